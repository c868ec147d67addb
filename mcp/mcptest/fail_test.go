package mcptest_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/transport"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// serveFunc is a server that answers as a test wants: with the text that it returns for a request, or
// not at all.
type serveFunc func(m *wire.Message) string

func (f serveFunc) Serve(_ context.Context, c transport.Conn) error {
	for {
		text, err := c.ReadMessage(nil)
		if err != nil {
			return nil //nolint:nilerr // the client has gone
		}
		m, bad := wire.ParseMessage(text, wire.Limits{})
		if bad != nil {
			return bad
		}
		if answer := f(&m); answer != "" {
			if err := c.WriteMessage([]byte(answer + "\n")); err != nil {
				return err
			}
		}
	}
}

// witness is a test that may fail.
type witness struct {
	testing.TB
	said string
}

func (w *witness) Fatalf(format string, args ...any) {
	w.said = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// failure returns what use is told when it uses a client of f.
func failure(t *testing.T, f serveFunc, use func(c *mcptest.Client), opts ...mcptest.Option) string {
	t.Helper()
	w := &witness{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		use(mcptest.New(w, f, opts...))
	}()
	<-done
	return w.said
}

func TestSilentServer(t *testing.T) {
	said := failure(t, func(*wire.Message) string { return "" }, func(c *mcptest.Client) { c.Tools() },
		mcptest.Timeout(time.Millisecond))
	if !strings.Contains(said, "1ms") || !strings.Contains(said, protocol.MethodToolsList) {
		t.Errorf("failed with %q", said)
	}
}

func TestEndlessList(t *testing.T) {
	said := failure(t, func(m *wire.Message) string {
		return string(wire.AppendResult(nil, m.ID)) +
			`{"tools":[],"nextCursor":"again","resultType":"complete","cacheScope":"private","ttlMs":0}}`
	}, func(c *mcptest.Client) { c.Tools() })
	if !strings.Contains(said, `"again" twice`) {
		t.Errorf("failed with %q", said)
	}
}

func TestCallTextOfFailure(t *testing.T) {
	said := failure(t, func(m *wire.Message) string {
		return string(wire.AppendResult(nil, m.ID)) + `{"content":[{"type":"text","text":"out of ink"}],"isError":true,"resultType":"complete"}}`
	}, func(c *mcptest.Client) { c.CallText("print", "") })
	if !strings.Contains(said, "call print: the tool failed: out of ink") {
		t.Errorf("failed with %q", said)
	}
}

func TestErrorsThatDoNotCome(t *testing.T) {
	fine := func(m *wire.Message) string {
		return string(wire.AppendResult(nil, m.ID)) + `{"content":[{"type":"text","text":"printed"}],"contents":[],"resultType":"complete"}}`
	}
	if said := failure(t, fine, func(c *mcptest.Client) { c.CallError("print", "") }); !strings.Contains(said, "call print: no error but: printed") {
		t.Errorf("failed with %q", said)
	}
	if said := failure(t, fine, func(c *mcptest.Client) { c.ReadError("a:b") }); !strings.Contains(said, "read a:b: no error but: {") {
		t.Errorf("failed with %q", said)
	}
}

func TestSend(t *testing.T) {
	srv, _ := newNotes(t)
	c := mcptest.New(t, srv)
	c.Send("{")
	c.Tools() // the answer to the message before has arrived by now
	if all := strings.Join(c.Transcript(), "\n"); !strings.Contains(all, "-32700") {
		t.Errorf("no complaint in\n%s", all)
	}
}
