package mcptest_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/transport"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// serveFunc is a server that answers as a test wants: with the text that it returns for a request, or
// not at all.
type serveFunc func(m *wire.Message) string

func (f serveFunc) Serve(_ context.Context, c transport.Conn) error {
	return serve(c, func(m *wire.Message) error {
		if answer := f(m); answer != "" {
			return c.WriteMessage([]byte(answer + "\n"))
		}
		return nil
	})
}

// serve gives each message to f, until the client has gone or f fails.
func serve(c transport.Conn, f func(m *wire.Message) error) error {
	for {
		text, err := c.ReadMessage(nil)
		if err != nil {
			return nil //nolint:nilerr // the client has gone
		}
		m, bad := wire.ParseMessage(text, wire.Limits{})
		if bad != nil {
			return bad
		}
		if err := f(&m); err != nil {
			return err
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
		mcptest.WithTimeout(time.Millisecond))
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
		return string(wire.AppendResult(nil, m.ID)) +
			`{"content":[{"type":"text","text":"out of ink"}],"isError":true,"resultType":"complete"}}`
	}, func(c *mcptest.Client) { c.CallText("print", "") })
	if !strings.Contains(said, "call print: the tool failed: out of ink") {
		t.Errorf("failed with %q", said)
	}
}

func TestErrorsThatDoNotCome(t *testing.T) {
	fine := func(m *wire.Message) string {
		return string(wire.AppendResult(nil, m.ID)) +
			`{"content":[{"type":"text","text":"printed"}],"contents":[],"resultType":"complete"}}`
	}
	if said := failure(t, fine, func(c *mcptest.Client) { c.CallError("print", "") }); !strings.Contains(said,
		"call print: no error but: printed") {
		t.Errorf("failed with %q", said)
	}
	if said := failure(t, fine, func(c *mcptest.Client) { c.ReadError("a:b") }); !strings.Contains(said,
		"read a:b: no error but: {") {
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

func TestMisuse(t *testing.T) {
	silent := func(*wire.Message) string { return "" }
	for want, use := range map[string]func(c *mcptest.Client){
		`call print: the arguments are not JSON: {"pages":`: func(c *mcptest.Client) {
			c.Call("print",
				`{"pages":`)
		},
		`tools/list: the params are no JSON object: []`: func(c *mcptest.Client) {
			c.Do(protocol.MethodToolsList,
				[]byte("[]"))
		},
		`get letter: want name, value, name, value; "tone" has no value`: func(c *mcptest.Client) {
			c.GetPrompt("letter",
				"tone")
		},
		`complete id: want name, value, name, value; "x" has no value`: func(c *mcptest.Client) {
			c.Complete("a:{id}", "id",
				"", "o", "p", "x")
		},
	} {
		if said := failure(t, silent, use); !strings.Contains(said, want) {
			t.Errorf("failed with %q, want %q", said, want)
		}
	}
	defer func() {
		if v := recover(); v != `mcptest: Accept wants the text of a JSON object, not "yes"` {
			t.Errorf("panic: %v", v)
		}
	}()
	mcptest.Accept("yes")
}

func TestResultOfAnotherType(t *testing.T) {
	said := failure(t, func(m *wire.Message) string { return string(wire.AppendResult(nil, m.ID)) + `{"content":7}}` },
		func(c *mcptest.Client) { c.Call("print", "") })
	if !strings.Contains(said, "call print: the result is not one of "+slices.Max(mcp.Revisions()).String()) {
		t.Errorf("failed with %q", said)
	}
}

// flood is a server that tells of so many changes of a URI once somebody has subscribed to it, and then closes the
// connection.
type flood int

func (n flood) Serve(_ context.Context, c transport.Conn) error {
	return serve(c, func(m *wire.Message) error {
		switch string(m.Method) {
		case protocol.MethodInitialize:
			return c.WriteMessage(append(wire.AppendResult(nil, m.ID),
				`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`...))
		case protocol.MethodResourcesSubscribe:
			if err := c.WriteMessage(append(wire.AppendResult(nil, m.ID), "{}}"...)); err != nil {
				return err
			}
			for range n {
				if err := c.WriteMessage([]byte(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b"}}`)); err != nil {
					return err
				}
			}
			return c.Close()
		}
		return nil
	})
}

// Changes wait for Next, however many; those that came before the end of the connection are not lost.
func TestManyChanges(t *testing.T) {
	const n = 3000
	got := 0
	said := make(chan string)
	w := &witness{TB: t}
	go func() {
		defer func() { said <- w.said }()
		sub := mcptest.New(w, flood(n), mcptest.WithRevision(protocol.Revision20251125)).Subscribe("a:b")
		for {
			if sub.Next() == "a:b" {
				got++
			}
		}
	}()
	if end := <-said; got != n || end != "mcptest: the server closed the connection" {
		t.Errorf("%d of %d changes, then %q", got, n, end)
	}
}
