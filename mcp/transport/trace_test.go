package transport_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/transport"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// scripted is a conn that reads what the test says and can be asked to stop.
type scripted struct {
	transport.Conn
	reads []any
	stop  chan struct{}
}

func (s *scripted) ReadMessage(buf []byte) ([]byte, error) {
	if len(s.reads) == 0 {
		return buf[:0], io.EOF
	}
	next := s.reads[0]
	s.reads = s.reads[1:]
	if err, ok := next.(error); ok {
		return buf[:0], err
	}
	return append(buf[:0], next.(string)...), nil
}

func (s *scripted) Stopped() <-chan struct{} { return s.stop }
func (s *scripted) Name() string             { return "scripted" }

func TestTrace(t *testing.T) {
	client, server := transport.Pipe(nil)
	tooLarge := &transport.MessageError{Err: &wire.Error{Code: wire.CodeParse, Message: "too large"}}
	inner := &scripted{Conn: server, reads: []any{`{"id":1}`, tooLarge, `{"id":2}`}, stop: make(chan struct{})}
	var out bytes.Buffer
	c := transport.Trace(inner, &out)

	for range 4 {
		msg, err := c.ReadMessage(nil)
		if err == io.EOF {
			break
		}
		if err == nil {
			write(t, c, string(msg)+"\n")
		}
	}
	want := "→ {\"id\":1}\n← {\"id\":1}\n→ (too large)\n→ {\"id\":2}\n← {\"id\":2}\n"
	if out.String() != want {
		t.Errorf("trace is\n%swant\n%s", out.String(), want)
	}
	if got := read(t, client) + read(t, client); got != `{"id":1}{"id":2}` {
		t.Errorf("client read %q", got)
	}
	if c.(transport.Stopper).Stopped() != (<-chan struct{})(inner.stop) || c.(transport.Named).Name() != "scripted" {
		t.Error("trace hides what the conn can do")
	}
}

func TestTraceOfPlainConn(t *testing.T) {
	t.Attr("requirements", "stdio-custom")
	_, server := transport.Pipe(nil)
	c := transport.Trace(struct{ transport.Conn }{server}, io.Discard)
	if c.(transport.Stopper).Stopped() != nil || c.(transport.Named).Name() != "" {
		t.Error("a plain conn has neither a stop channel nor a name")
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := server.WriteMessage(nil); err != transport.ErrClosed {
		t.Errorf("Close did not reach the conn: %v", err)
	}
}

func TestMessageError(t *testing.T) {
	t.Attr("requirements", "stdio-custom-document")
	var err error = &transport.MessageError{Err: &wire.Error{Code: wire.CodeParse, Message: "too large"}}
	var we *wire.Error
	if !errors.As(err, &we) || we.Code != -32700 || err.Error() != "transport: too large" {
		t.Errorf("got %v, %+v", err, we)
	}
}
