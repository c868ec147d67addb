package stdio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/mcp/transport"
)

// maxSpare is the largest write buffer that is kept for the next message.
const maxSpare = 1 << 20

// stream is a conn over a reader and a writer.
type stream struct {
	lines lineReader
	src   io.Reader

	out     io.Writer
	timeout time.Duration
	line    []byte // spare buffer of WriteMessage
	failed  error  // of WriteMessage

	closed atomic.Bool
}

// deadliner is a writer that can give up, such as a socket.
type deadliner interface{ SetWriteDeadline(time.Time) error }

func newStream(r io.Reader, w io.Writer, o Options) *stream {
	return &stream{lines: lineReader{src: r, max: o.MaxMessage}, src: r, out: w, timeout: o.WriteTimeout}
}

// Name implements transport.Named.
func (s *stream) Name() string { return "stream" }

// ReadMessage implements transport.Conn.
func (s *stream) ReadMessage(buf []byte) ([]byte, error) {
	if s.closed.Load() {
		return buf[:0], transport.ErrClosed
	}
	msg, err := s.lines.next(buf)
	if err != nil && s.closed.Load() {
		return msg, transport.ErrClosed
	}
	return msg, err
}

// WriteMessage implements transport.Conn.
func (s *stream) WriteMessage(msg []byte) error {
	if s.closed.Load() {
		return transport.ErrClosed
	}
	if s.failed != nil {
		return s.failed
	}
	if err := s.write(s.frame(msg)); err != nil {
		if s.closed.Load() {
			return transport.ErrClosed
		}
		s.failed = fmt.Errorf("stdio: write: %w", err)
	}
	return s.failed
}

// frame returns msg as one line, in one slice, so that writing takes one system call. In JSON a raw newline can only be
// between tokens, so it is replaced by a space.
func (s *stream) frame(msg []byte) []byte {
	i := bytes.IndexByte(msg, '\n')
	if i >= 0 && i == len(msg)-1 {
		return msg
	}
	line := append(append(s.line[:0], msg...), '\n')
	if i >= 0 {
		line = line[:len(bytes.TrimRight(line, "\n"))+1]
		for j := i; j < len(line)-1; j++ {
			if line[j] == '\n' {
				line[j] = ' '
			}
		}
	}
	if cap(line) <= maxSpare {
		s.line = line
	}
	return line
}

func (s *stream) write(line []byte) error {
	if s.timeout > 0 {
		if d, ok := s.out.(deadliner); ok {
			// The error means that the stream has no deadlines; it is then written without one.
			_ = d.SetWriteDeadline(time.Now().Add(s.timeout))
		}
	}
	for len(line) > 0 {
		n, err := s.out.Write(line)
		if err != nil {
			return err
		}
		if n <= 0 || n > len(line) {
			return io.ErrShortWrite
		}
		line = line[n:]
	}
	return nil
}

// Close implements transport.Conn.
func (s *stream) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	var errs [2]error
	if c, ok := s.out.(io.Closer); ok {
		errs[0] = c.Close()
	}
	// The reader may be the same socket, which is closed already, so its error is ignored.
	if c, ok := s.src.(io.Closer); ok {
		_ = c.Close()
	}
	return errors.Join(errs[:]...)
}
