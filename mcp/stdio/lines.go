package stdio

import (
	"bytes"
	"fmt"
	"io"

	"github.com/mcpgen/mcpgen/mcp/transport"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

const (
	// chunkSize is how many bytes are asked of the reader at once, and the most that are held beside the message itself.
	chunkSize = 64 << 10

	// maxEmptyReads bounds how often a reader may return nothing without an error.
	maxEmptyReads = 100
)

// lineReader cuts a byte stream into messages.
type lineReader struct {
	src   io.Reader
	max   int    // bytes of a message
	chunk []byte // allocated by the first read
	rest  []byte // part of chunk that is not consumed yet
	err   error  // of src, sticky; returned once rest is used up
}

// next appends the next message to buf[:0]. See transport.Conn for its errors.
func (r *lineReader) next(buf []byte) ([]byte, error) {
	buf = buf[:0]
	dropping := false
	for {
		if len(r.rest) == 0 {
			if r.err == nil {
				r.fill()
				continue
			}
			return r.last(buf, dropping)
		}
		part, ended := r.take()
		if !dropping {
			if dropping = r.tooLong(buf, part); !dropping {
				buf = r.grow(buf, len(part))
				buf = append(buf, part...)
			}
		}
		if !ended {
			continue
		}
		if dropping {
			return buf[:0], r.limitError()
		}
		if buf = trimReturn(buf); len(buf) > 0 {
			return buf, nil
		}
	}
}

// last returns the last line of the stream, if that has no newline at its end; otherwise the error of the stream.
func (r *lineReader) last(buf []byte, dropping bool) ([]byte, error) {
	switch {
	case r.err != io.EOF: //nolint:errorlint // readers return EOF itself; what wraps it is a failure
		return buf[:0], r.err
	case dropping:
		return buf[:0], r.limitError()
	}
	if buf = trimReturn(buf); len(buf) > 0 {
		return buf, nil
	}
	return buf, io.EOF
}

// fill reads the next chunk, after the last one is used up. It sets rest, err or both.
func (r *lineReader) fill() {
	if r.chunk == nil {
		r.chunk = make([]byte, chunkSize)
	}
	for range maxEmptyReads {
		n, err := r.src.Read(r.chunk)
		r.rest, r.err = r.chunk[:n], err
		if n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}

// take consumes rest up to the next newline, and returns it without the newline. ended is false if there is no newline:
// then part is all of rest.
func (r *lineReader) take() (part []byte, ended bool) {
	i := bytes.IndexByte(r.rest, '\n')
	if i < 0 {
		part, r.rest = r.rest, nil
		return part, false
	}
	part, r.rest = r.rest[:i], r.rest[i+1:]
	return part, true
}

// tooLong reports whether line and part together exceed the limit. One more byte is allowed if it may be the "\r" of
// the line ending.
func (r *lineReader) tooLong(line, part []byte) bool {
	n := len(line) + len(part)
	if n != r.max+1 {
		return n > r.max
	}
	if len(part) == 0 {
		part = line
	}
	return part[len(part)-1] != '\r'
}

// grow makes room for n more bytes. It doubles as append does, but never past what the largest message needs.
func (r *lineReader) grow(buf []byte, n int) []byte {
	need := len(buf) + n
	if need <= cap(buf) {
		return buf
	}
	bigger := make([]byte, len(buf), max(need, min(2*cap(buf), r.max+1)))
	copy(bigger, buf)
	return bigger
}

func (r *lineReader) limitError() error {
	return &transport.MessageError{Err: &wire.Error{
		Code:    wire.CodeParse,
		Message: fmt.Sprintf("message is larger than the limit of %d bytes", r.max),
	}}
}

// trimReturn drops one carriage return at the end of a line.
func trimReturn(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}
