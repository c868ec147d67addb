package tasks_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/transport"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// patience is how long a test waits for a message that must come.
const patience = 20 * time.Second

// noLog is a logger that says nothing.
var noLog = slog.New(slog.DiscardHandler)

// harness is a client in a test, at the level of messages.
type harness struct {
	t      testing.TB
	conn   transport.Conn
	in     chan string
	cancel context.CancelFunc
}

// newHarness starts serving a new connection of s, which ends with the test.
func newHarness(t testing.TB, s *server.Server) *harness {
	client, end := transport.Pipe(nil)
	c := &harness{t: t, conn: client, in: make(chan string, 1000)}
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	go func() { _ = s.Serve(ctx, end) }()
	go c.readAll()
	t.Cleanup(func() {
		_ = client.Close()
		for range c.in { // until the server closes its end
		}
		cancel()
	})
	return c
}

// newSession is newHarness with the handshake of a legacy revision done.
func newSession(t testing.TB, s *server.Server, rev protocol.Revision) *harness {
	c := newHarness(t, s)
	c.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":%q,`+
		`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, rev))
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *harness) readAll() {
	defer close(c.in)
	for {
		msg, err := c.conn.ReadMessage(nil)
		if err != nil {
			return
		}
		c.in <- string(msg)
	}
}

func (c *harness) send(text string) {
	c.t.Helper()
	if err := c.conn.WriteMessage([]byte(text)); err != nil {
		c.t.Fatalf("send %s: %v", text, err)
	}
}

// recv returns the next message; "" if the server has closed the connection.
func (c *harness) recv() string {
	c.t.Helper()
	select {
	case msg := <-c.in:
		return msg
	case <-time.After(patience):
		c.t.Fatal("no message came")
		return ""
	}
}

func (c *harness) ask(text string) string {
	c.t.Helper()
	c.send(text)
	return c.recv()
}

// quiet fails the test if anything was sent before the answer to a ping.
func (c *harness) quiet() {
	c.t.Helper()
	if got := c.ask(`{"jsonrpc":"2.0","id":"quiet","method":"ping"}`); !strings.Contains(got, `"quiet"`) {
		c.t.Fatalf("unexpected message %s", got)
	}
}

// modern adds to the params of a request what makes it one of the newest revision.
func modern(id, method, params string) string {
	return request(id, method, `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientCapabilities":{}}`+comma(params))
}

func request(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params + `}}`
}

func comma(params string) string {
	if params == "" {
		return ""
	}
	return "," + params
}

// person is the answer to a form.
type person struct{ Name string }

func (*person) MCPForm() wire.FormSchema[person] {
	return wire.FormSchema[person]{
		Schema: `{"type":"object","properties":{"name":{"type":"string","title":"Name"}},"required":["name"]}`,
		Decode: func(d *wire.Decoder, v *person) {
			for d.Object(); d.Next(); {
				if string(d.Name()) == "name" {
					v.Name = d.String()
				} else {
					d.Skip()
				}
			}
		},
	}
}
