package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/transport"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// patience is how long a test waits for a message that must come.
const patience = 20 * time.Second

// harness is a client in a test, at the level of messages.
type harness struct {
	t      testing.TB
	conn   transport.Conn
	in     chan string
	served chan error
	cancel context.CancelFunc
}

// newHarness starts serving a new connection of s, which ends with the test.
func newHarness(t testing.TB, s *Server) *harness {
	client, server := newHalfClosers()
	c := &harness{t: t, conn: client, in: make(chan string, 1000), served: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	go func() { c.served <- s.Serve(ctx, server) }()
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
func newSession(t testing.TB, s *Server, rev protocol.Revision) *harness {
	c := newHarness(t, s)
	c.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, rev))
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

// wait returns what comes until the server closes the connection, and the result of Serve.
func (c *harness) wait() ([]string, error) {
	c.t.Helper()
	var rest []string
	for msg := range c.in {
		rest = append(rest, msg)
	}
	select {
	case err := <-c.served:
		return rest, err
	case <-time.After(patience):
		c.t.Fatal("Serve does not return")
		return nil, nil
	}
}

// modern adds to the params of a request what makes it one of the newest revision.
func modern(id, method, params string) string {
	return request(id, method,
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`+comma(params))
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

func read(id, uri string) string { return request(id, "resources/read", `"uri":"`+uri+`"`) }

func toolCall(id, tool, args string) string {
	return request(id, "tools/call", `"name":"`+tool+`","arguments":`+args)
}

// wantMatch compares JSON. In want, "*" stands for any value, "*…" for a string that contains the
// rest, and members that are not named in an object with the member "…" are not compared.
func wantMatch(t testing.TB, got, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal([]byte(got), &g); err != nil {
		t.Fatalf("got %q: %v", got, err)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatalf("want %q: %v", want, err)
	}
	if !matches(g, w) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func matches(got, want any) bool {
	switch w := want.(type) {
	case string:
		s, isString := got.(string)
		return w == "*" || w == got || strings.HasPrefix(w, "*") && isString && strings.Contains(s, w[1:])
	case map[string]any:
		g, ok := got.(map[string]any)
		_, open := w["…"]
		if !ok || !open && len(g) != len(w) {
			return false
		}
		for k, v := range w {
			if _, found := g[k]; k != "…" && (!found || !matches(g[k], v)) {
				return false
			}
		}
		return true
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return false
		}
		for i := range w {
			if !matches(g[i], w[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(got, want)
}

// logBook collects what the server logs.
type logBook struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *logBook) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBook) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func (b *logBook) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }

var tooLong = wire.NewError(wire.CodeParse, "too long")

// cutInput ends the input of the server; what it sends is still read.
func cutInput(c *harness) { c.conn.(*halfCloser).closeInput() }

// halfCloser is the client's end of a pair of pipes, one for each direction, so that one direction
// can end before the other.
type halfCloser struct {
	up, down transport.Conn // what the client writes to and reads from
}

// newHalfClosers returns both ends.
func newHalfClosers() (client *halfCloser, server transport.Conn) {
	upClient, upServer := transport.Pipe(nil)
	downClient, downServer := transport.Pipe(nil)
	return &halfCloser{upClient, downClient}, &halfCloser{downServer, upServer}
}

func (h *halfCloser) ReadMessage(buf []byte) ([]byte, error) { return h.down.ReadMessage(buf) }
func (h *halfCloser) WriteMessage(msg []byte) error          { return h.up.WriteMessage(msg) }
func (h *halfCloser) closeInput()                            { _ = h.up.Close() }

func (h *halfCloser) Close() error { return errors.Join(h.up.Close(), h.down.Close()) }

// contains expects parts in a text.
func contains(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%s\nhas no %s", text, p)
		}
	}
}
