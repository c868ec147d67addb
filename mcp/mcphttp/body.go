package mcphttp

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

const (
	// maxTrust is how much room is made for a body because its sender says so, before any of it is there, and how much
	// of one takes nothing of the bytes that may be pending.
	maxTrust = 16 << 10
	// maxSpare is the largest body buffer that is kept.
	maxSpare = 256 << 10
)

// body is the body of a request, and what it takes of the bytes that may be pending.
type body struct {
	buf  *[]byte
	took int64
}

// read reads the body of a request of u. release takes it back.
func (h *handler) read(w http.ResponseWriter, r *http.Request, u *usage) (body, *web.Refusal) {
	if r.ContentLength > h.opts.MaxBody {
		h.refused(stats.RefusedLargeBody)
		return body{}, web.NewRefusal(http.StatusRequestEntityTooLarge, "the body is too large")
	}
	got := h.buffer(r.ContentLength, u)
	from := http.MaxBytesReader(w, r.Body, h.opts.MaxBody)
	whole, err := readAll((*got.buf)[:0], from, r.ContentLength, func(n int) error {
		if n <= maxTrust {
			return nil
		}
		if !h.admit.grow(u, pendingBytes, got.took, int64(n)) {
			return errBudget
		}
		got.took = int64(n)
		return nil
	})
	*got.buf = whole
	if err == nil {
		if r.ContentLength != 0 {
			_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
		}
		return got, nil
	}
	h.release(u, got)
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		h.refused(stats.RefusedLargeBody)
		return body{}, web.NewRefusal(http.StatusRequestEntityTooLarge, "the body is too large")
	}
	if errors.Is(err, errBudget) {
		return body{}, h.tooMany(pendingBytes)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		h.refused(stats.RefusedSlowBody)
	}
	return body{}, web.NewRefusal(http.StatusBadRequest, "the body could not be read")
}

// buffer returns a buffer for a body of u; size is how much is expected, or -1. A large one that was kept counts like
// one that is made; if u may not have it, the body begins with a small one.
func (h *handler) buffer(size int64, u *usage) body {
	if size > maxTrust {
		if b, _ := h.large.Get().(*[]byte); b != nil {
			if n := int64(cap(*b)); h.admit.take(u, pendingBytes, n) {
				return body{b, n}
			}
			h.large.Put(b)
		}
	}
	b, _ := h.bodies.Get().(*[]byte)
	if b == nil {
		b = new([]byte)
	}
	return body{buf: b}
}

// readAll appends all of r to b; size is how much is expected, or -1. Before b grows, room is asked for as many bytes
// as it will have.
func readAll(b []byte, r io.Reader, size int64, room func(n int) error) ([]byte, error) {
	if need := int(min(size+1, maxTrust)); size >= 0 && cap(b) < need {
		b = make([]byte, 0, need)
	}
	for {
		if len(b) == cap(b) {
			n := max(2*cap(b), 512)
			if err := room(n); err != nil {
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

// release takes back what read has returned.
func (h *handler) release(u *usage, b body) {
	if b.took > 0 {
		h.admit.give(u, pendingBytes, b.took)
	}
	switch n := cap(*b.buf); {
	case n <= maxTrust:
		h.bodies.Put(b.buf)
	case n <= maxSpare:
		h.large.Put(b.buf)
	}
}
