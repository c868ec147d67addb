package stdio_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/mcpgen/mcpgen/mcp/stdio"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

const dropped = "(dropped)"

// readAll returns the messages of c until its end, and "(dropped)" in the place of one that was too large.
func readAll(c transport.Conn) (msgs []string, end error) {
	var buf []byte
	for {
		var err error
		buf, err = c.ReadMessage(buf)
		var bad *transport.MessageError
		switch {
		case err == nil:
			msgs = append(msgs, string(buf))
		case errors.As(err, &bad):
			msgs = append(msgs, dropped)
		default:
			return msgs, err
		}
	}
}

func TestFraming(t *testing.T) {
	t.Attr("requirements", "stdio-newline")
	const limit = 8
	tests := []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"one line", "{}\n", "{}"},
		{"two lines", "{1}\n{2}\n", "{1}|{2}"},
		{"no newline at the end", "{1}\n{2}", "{1}|{2}"},
		{"crlf", "{1}\r\n{2}\r\n", "{1}|{2}"},
		{"only the last return is dropped", "{1}\r\r\n{\r2}\n", "{1}\r|{\r2}"},
		{"return at the end of input", "{1}\r", "{1}"},
		{"empty lines", "\n\r\n\n{1}\n\n\r\n{2}\n\n", "{1}|{2}"},
		{"only empty lines", "\n\r\n\n\r", ""},
		{"blank is not empty", " \n", " "},
		{"mark at the start is kept", "\xef\xbb\xbf{}\n", "\xef\xbb\xbf{}"},
		{"any bytes", "\x00\xff\n\xe2\x80\xa8\n", "\x00\xff|\xe2\x80\xa8"},
		{"at the limit", "12345678\n", "12345678"},
		{"at the limit, crlf", "12345678\r\n", "12345678"},
		{"at the limit, end of input", "12345678", "12345678"},
		{"at the limit, return at the end of input", "12345678\r", "12345678"},
		{"one above", "123456789\n{}\n", dropped + "|{}"},
		{"one above, crlf", "123456789\r\n{}\n", dropped + "|{}"},
		{"return beyond the limit is no line ending", "12345678\r9\n{}\n", dropped + "|{}"},
		{"two returns beyond the limit", "12345678\r\r\n{}\n", dropped + "|{}"},
		{"giant at the end of input", strings.Repeat("x", 100), dropped},
		{"giant between", "{1}\n" + strings.Repeat("x", 300) + "\n{2}\n", "{1}|" + dropped + "|{2}"},
		{"two giants", strings.Repeat("x", 9) + "\n" + strings.Repeat("y", 99) + "\n{}", dropped + "|" + dropped + "|{}"},
	}
	readers := map[string]func(io.Reader) io.Reader{
		"whole":          func(r io.Reader) io.Reader { return r },
		"byte by byte":   iotest.OneByteReader,
		"halves":         iotest.HalfReader,
		"end with data":  iotest.DataErrReader,
		"empty between":  func(r io.Reader) io.Reader { return &stutter{r: r} },
		"one and an end": func(r io.Reader) io.Reader { return iotest.DataErrReader(iotest.OneByteReader(r)) },
	}
	for _, tt := range tests {
		for name, wrap := range readers {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				c := stdio.Over(wrap(strings.NewReader(tt.in)), nil, &stdio.Options{MaxMessage: limit})
				msgs, err := readAll(c)
				if got := strings.Join(msgs, "|"); got != tt.want || err != io.EOF {
					t.Errorf("got %q, %v; want %q, EOF", got, err, tt.want)
				}
				if _, err := c.ReadMessage(nil); err != io.EOF {
					t.Errorf("read after the end: %v", err)
				}
			})
		}
	}
}

// stutter returns no bytes at every other read.
type stutter struct {
	r    io.Reader
	skip bool
}

func (s *stutter) Read(p []byte) (int, error) {
	if s.skip = !s.skip; s.skip {
		return 0, nil
	}
	return s.r.Read(p[:min(len(p), 3)])
}

// endless yields n times the same byte and then the tail.
type endless struct {
	n    int
	tail io.Reader
}

func (e *endless) Read(p []byte) (int, error) {
	if e.n == 0 {
		return e.tail.Read(p)
	}
	p = p[:min(len(p), e.n)]
	for i := range p {
		p[i] = 'x'
	}
	e.n -= len(p)
	return len(p), nil
}

func TestGiantLineIsNotStored(t *testing.T) {
	const limit, giant = 1 << 20, 64 << 20
	c := stdio.Over(&endless{giant, strings.NewReader("\n{}\n")}, nil, &stdio.Options{MaxMessage: limit})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	buf, err := c.ReadMessage(nil)
	runtime.ReadMemStats(&after)
	// Doubling up to the limit allocates twice the limit in sum.
	if size := after.TotalAlloc - before.TotalAlloc; size > 2*limit+256<<10 {
		t.Errorf("dropping %d bytes allocated %d", giant, size)
	}
	var bad *transport.MessageError
	if !errors.As(err, &bad) || bad.Err.Code != -32700 || !strings.Contains(bad.Err.Message, "1048576") {
		t.Fatalf("got %v, want a parse error that names the limit", err)
	}
	if len(buf) != 0 || cap(buf) > limit+64<<10 {
		t.Errorf("the buffer has length %d and capacity %d", len(buf), cap(buf))
	}
	if buf, err = c.ReadMessage(buf); err != nil || string(buf) != "{}" {
		t.Errorf("the next message is %q, %v", buf, err)
	}
}

func TestBufferStaysWithinLimit(t *testing.T) {
	const limit = 300_000 // doubling alone would go past it by more than the slack
	line := bytes.Repeat([]byte("x"), limit)
	c := stdio.Over(iotest.HalfReader(bytes.NewReader(line)), nil, &stdio.Options{MaxMessage: limit})
	msg, err := c.ReadMessage(nil)
	if err != nil || !bytes.Equal(msg, line) {
		t.Fatalf("read %d bytes, %v", len(msg), err)
	}
	if cap(msg) > limit+64<<10 {
		t.Errorf("capacity is %d", cap(msg))
	}
}

func TestDefaultLimit(t *testing.T) {
	tail := strings.NewReader("\n" + strings.Repeat("y", 4<<20) + "\n")
	msgs, err := readAll(stdio.Over(&endless{4<<20 + 1, tail}, nil, nil))
	if len(msgs) != 2 || msgs[0] != dropped || len(msgs[1]) != 4<<20 || err != io.EOF {
		t.Errorf("got %d messages, %v; want one dropped, one read", len(msgs), err)
	}
}

func TestReadErrorIsFinal(t *testing.T) {
	for _, broken := range []error{errors.New("cable cut"), fmt.Errorf("cable cut: %w", io.EOF)} {
		c := stdio.Over(io.MultiReader(strings.NewReader("{1}\n{2"), iotest.ErrReader(broken)), nil, nil)
		msgs, err := readAll(c)
		if len(msgs) != 1 || msgs[0] != "{1}" || !errors.Is(err, broken) {
			t.Errorf("got %q, %v; half a message must not be delivered", msgs, err)
		}
		if _, err := c.ReadMessage(nil); !errors.Is(err, broken) {
			t.Errorf("the next read: %v", err)
		}
	}
}

func TestReaderWithoutProgress(t *testing.T) {
	c := stdio.Over(readerFunc(func([]byte) (int, error) { return 0, nil }), nil, nil)
	if _, err := c.ReadMessage(nil); err != io.ErrNoProgress {
		t.Errorf("got %v, want ErrNoProgress", err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestReadDoesNotAllocate(t *testing.T) {
	short, long := "{"+strings.Repeat("x", 500)+"}\n", "{"+strings.Repeat("x", 90_000)+"}\r\n"
	src := strings.NewReader("")
	c := stdio.Over(readerFunc(func(p []byte) (int, error) {
		if src.Len() == 0 {
			src.Reset(short + long + "\n" + short)
		}
		return src.Read(p)
	}), nil, nil)
	var buf []byte
	readOne := func() { buf, _ = c.ReadMessage(buf) }
	for range 6 {
		readOne()
	}
	if n := testing.AllocsPerRun(300, readOne); n != 0 {
		t.Errorf("a message costs %v allocations, want 0", n)
	}
}
