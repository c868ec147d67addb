package mcphttp

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// read reads the body into a buffer that release takes back.
func (h *handler) read(w http.ResponseWriter, r *http.Request) (*[]byte, *refusal) {
	if r.ContentLength > h.opts.MaxBody {
		return nil, &refusal{http.StatusRequestEntityTooLarge, "the body is too large"}
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(h.opts.ReadTimeout)) // not every server has deadlines
	b, _ := h.bodies.Get().(*[]byte)
	if b == nil {
		b = new([]byte)
	}
	var err error
	if *b, err = readAll((*b)[:0], http.MaxBytesReader(w, r.Body, h.opts.MaxBody), r.ContentLength); err != nil {
		h.release(b)
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return nil, &refusal{http.StatusRequestEntityTooLarge, "the body is too large"}
		}
		return nil, &refusal{http.StatusBadRequest, "the body could not be read"}
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	return b, nil
}

// maxTrust is how much room is made for a body because its sender says so, before any of it is there.
const maxTrust = 64 << 10

// readAll appends all of r to b; size is how much is expected, or -1.
func readAll(b []byte, r io.Reader, size int64) ([]byte, error) {
	if need := int(min(size, maxTrust)) + 1; size >= 0 && cap(b) < need {
		b = make([]byte, 0, need)
	}
	for {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
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

// maxSpare is the largest body buffer that is kept.
const maxSpare = 256 << 10

func (h *handler) release(b *[]byte) {
	if cap(*b) <= maxSpare {
		h.bodies.Put(b)
	}
}
