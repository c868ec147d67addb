package limits

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

const (
	// maxTrust is the size, in bytes, of a buffer that may be made only because the sender announces a body of that size.
	// Bodies that fit in such a buffer do not count as pending.
	maxTrust = 16 << 10
	// maxSpare is the largest body buffer that is kept.
	maxSpare = 256 << 10
)

// Bodies reads the bodies of requests. It is safe for concurrent use.
type Bodies struct {
	admit *Admission
	most  int64     // bytes of one
	small sync.Pool // of *[]byte, up to maxTrust
	large sync.Pool // of *[]byte, larger ones
}

// NewBodies returns a reader of bodies. The parameter most is how many bytes a body may have.
func NewBodies(admit *Admission, most int64) *Bodies { return &Bodies{admit: admit, most: most} }

// Body is the body of a request; took is how many pending bytes it counts for. The zero value is empty.
type Body struct {
	buf  *[]byte
	took int64
}

// Text returns the body. It is valid until the body is released.
func (b *Body) Text() []byte { return *b.buf }

// HandOver makes b empty. The caller now owns the text that b had, and must give back as many pending bytes as took
// says.
func (b *Body) HandOver() (took int64) {
	took = b.took
	*b = Body{}
	return took
}

// errNoRoom is the error for a client that may not have so many bytes.
var errNoRoom = errors.New("mcphttp: too many bytes of bodies")

// Read reads the body of a request of u. The caller must call Release, unless the request is refused.
func (s *Bodies) Read(w http.ResponseWriter, r *http.Request, u *Usage) (Body, *web.Refusal) {
	if r.ContentLength > s.most {
		s.admit.counts.Refused[labels.RefusedLargeBody].Add(1)
		return Body{}, web.NewRefusal(http.StatusRequestEntityTooLarge, "the body is too large")
	}
	got := s.buffer(r.ContentLength, u)
	from := http.MaxBytesReader(w, r.Body, s.most)
	whole, err := readAll((*got.buf)[:0], from, r.ContentLength, func(begin []byte, n int) error {
		if n <= maxTrust {
			return nil
		}
		need := int64(n)
		if need > r.ContentLength && r.ContentLength > 0 { // for the whole: its values are taken to be like the first ones
			need += wire.DecodedSize(begin) * need / int64(len(begin))
		}
		if !s.admit.grow(u, PendingBytes, got.took, need) {
			return errNoRoom
		}
		got.took = need
		return nil
	})
	*got.buf = whole
	if err == nil {
		err = s.countValues(u, &got)
	}
	if err == nil {
		if r.ContentLength != 0 {
			_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
		}
		return got, nil
	}
	s.Release(u, got)
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		s.admit.counts.Refused[labels.RefusedLargeBody].Add(1)
		return Body{}, web.NewRefusal(http.StatusRequestEntityTooLarge, "the body is too large")
	}
	if errors.Is(err, errNoRoom) {
		return Body{}, s.admit.TooMany(PendingBytes)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		s.admit.counts.Refused[labels.RefusedSlowBody].Add(1)
	}
	return Body{}, web.NewRefusal(http.StatusBadRequest, "the body could not be read")
}

// countValues counts the memory of the values that a large body is decoded into. Handlers use them as long as the body.
func (s *Bodies) countValues(u *Usage, b *Body) error {
	if b.took == 0 {
		return nil
	}
	n := int64(cap(*b.buf)) + wire.DecodedSize(*b.buf)
	if !s.admit.grow(u, PendingBytes, b.took, n) {
		return errNoRoom
	}
	b.took = n
	return nil
}

// buffer returns a buffer for a body of u; size is the expected size, or -1. A large buffer that is reused counts like
// a new one. If u may not have that much, the body begins with a small buffer.
func (s *Bodies) buffer(size int64, u *Usage) Body {
	if size > maxTrust {
		if b, _ := s.large.Get().(*[]byte); b != nil {
			if n := int64(cap(*b)); s.admit.Take(u, PendingBytes, n) {
				return Body{b, n}
			}
			s.large.Put(b)
		}
	}
	b, _ := s.small.Get().(*[]byte)
	if b == nil {
		b = new([]byte)
	}
	return Body{buf: b}
}

// readAll appends all of r to b; size is the expected size, or -1. Before b grows, readAll calls room with what b has
// so far and with the new size. If room returns an error, readAll stops.
func readAll(b []byte, r io.Reader, size int64, room func(begin []byte, n int) error) ([]byte, error) {
	if need := int(min(size+1, maxTrust)); size >= 0 && cap(b) < need {
		b = make([]byte, 0, need)
	}
	for {
		if len(b) == cap(b) {
			n := max(2*cap(b), 512)
			if whole := size + 1; n < int(whole) && whole <= 4*int64(cap(b)) {
				n = int(whole) // a quarter of the body has come, so the rest is likely to come too
			}
			if err := room(b, n); err != nil {
				return b, err
			}
			b = append(make([]byte, 0, n), b...)
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return b, err
		}
	}
}

// Release gives back what Read has taken for u.
func (s *Bodies) Release(u *Usage, b Body) {
	if b.buf == nil {
		return
	}
	if b.took > 0 {
		s.admit.Give(u, PendingBytes, b.took)
	}
	switch n := cap(*b.buf); {
	case n <= maxTrust:
		s.small.Put(b.buf)
	case n <= maxSpare:
		s.large.Put(b.buf)
	}
}
