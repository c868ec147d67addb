package exchange_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/exchange"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

const resource = "r:///a"

// newServer returns a server with a resource to subscribe to, and with a tool that f is.
func newServer(t *testing.T, f func()) *mcp.Server {
	t.Helper()
	features := &mcprt.Features{
		Info: protocol.Implementation{Name: "s", Version: "1"},
		Capabilities: protocol.ServerCapabilities{
			Resources: &protocol.ServerCapabilitiesResources{Subscribe: new(true)},
		},
		Resources: []mcprt.Resource{{Entry: &protocol.Resource{URI: resource, Name: "a"}, Subscribe: true,
			Read: func(*mcprt.Call) (mcprt.Contents, error) { return mcprt.Text("a"), nil }}},
		Route: func(uri string, _ *mcprt.Vars) int { return strings.Compare(uri, resource) },
	}
	srv, err := mcprt.NewServer(features, &mcp.Options{Grace: time.Second, UpdateDelay: -1, DynamicTools: true,
		MaxInFlight: 2, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	err = srv.AddTool(mcp.DynamicTool{Name: "f", Call: func(*mcp.Call, json.RawMessage) (mcp.ToolResult, error) {
		f()
		return mcp.ToolText("done"), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// message returns a message that stands alone.
func message(method, params string) *exchange.Message {
	return exchange.Parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `,"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
}

func callsTool() *exchange.Message { return message("tools/call", `"name":"f","arguments":{}`) }

func listens() *exchange.Message {
	return message("subscriptions/listen", `"notifications":{"resourceSubscriptions":["`+resource+`"]}`)
}

// back keeps what it gets. Its hook may be nil.
type back struct {
	during func(msg string)

	mu  sync.Mutex
	all []string
}

func (b *back) Notify(msg []byte) error {
	b.mu.Lock()
	b.all = append(b.all, string(msg))
	b.mu.Unlock()
	if b.during != nil {
		b.during(string(msg))
	}
	return nil
}

func (b *back) Respond(msg []byte, _ int) error { return b.Notify(msg) }

// with counts the messages that have a word.
func (b *back) with(word string) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, msg := range b.all {
		n += strings.Count(msg, word)
	}
	return n
}

// A handler that ends its goroutine is answered, and nothing is left of its request while the context of the transport
// goes on.
func TestHandlerThatExits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(t, runtime.Goexit)
		ctx := &watchedContext{Context: context.Background(), end: make(chan struct{})}
		b := new(back)
		for range 100 {
			go exchange.Handle(ctx, srv, mcp.Caller{}, callsTool(), b)
		}
		synctest.Wait()
		if n := b.with(`"code":-32603`) + b.with(`"isError":true`); n != 100 {
			t.Errorf("%d responses, the first: %.1q", n, b.all)
		}
		if n := ctx.waits.Load(); n != 0 {
			t.Errorf("%d requests wait for the end of the context", n)
		}
		start := time.Now()
		_ = srv.Close()
		if took := time.Since(start); took > 0 {
			t.Errorf("Close has taken %v", took)
		}
	})
}

// watchedContext is one that does not end, and counts what waits for that.
type watchedContext struct {
	context.Context
	end   chan struct{}
	waits atomic.Int64
}

func (c *watchedContext) Done() <-chan struct{} { return c.end }

// AfterFunc is called by package context.
func (c *watchedContext) AfterFunc(func()) (stop func() bool) {
	c.waits.Add(1)
	return func() bool {
		c.waits.Add(-1)
		return true
	}
}

// A transport that panics loses the stream or the session that it writes, and no more.
func TestTransportThatPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		srv := newServer(t, func() { <-hang })
		breaks := func(msg string) {
			if !strings.Contains(msg, "acknowledged") {
				panic("the transport is broken")
			}
		}
		healthy, broken := new(back), &back{during: breaks}
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		go exchange.Handle(ctx, srv, mcp.Caller{}, listens(), healthy)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			exchange.Handle(ctx, srv, mcp.Caller{}, listens(), broken)
		}()
		s := newSession(t, srv, breaks)
		late := &back{during: breaks}
		go exchange.Handle(ctx, srv, mcp.Caller{}, callsTool(), late)
		synctest.Wait()
		for range 2 {
			srv.ResourceUpdated(resource)
			synctest.Wait()
		}
		if n := healthy.with("resources/updated"); n != 2 {
			t.Errorf("the other stream has %d updates", n)
		}
		<-ended
		<-s.Ended()
		_ = srv.Close() // which answers in place of the handler, on a goroutine of the server
		if n := srv.Stats().Panics["transport"]; n != 3 || late.with(`"code":-32603`) != 1 {
			t.Errorf("%d panics, and the late response: %q", n, late.all)
		}
		close(hang)
	})
}

// newSession returns a session that is subscribed; breaks is called with its notifications.
func newSession(t *testing.T, srv *mcp.Server, breaks func(string)) *exchange.Session {
	t.Helper()
	s, err := exchange.NewSession(srv, func(msg []byte) error { breaks(string(msg)); return nil })
	if err != nil {
		t.Fatal(err)
	}
	b := new(back)
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
			`"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"` + resource + `"}}`,
	} {
		s.Handle(t.Context(), mcp.Caller{}, exchange.Parse([]byte(text)), b)
	}
	if n := b.with(`"result"`); n != 2 {
		t.Fatalf("%q", b.all)
	}
	s.Resume()
	return s
}

// A way back that ends the goroutine of the handler leaves nothing of the request, which would count for ever.
func TestWayBackThatExits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(t, func() {})
		s := newSession(t, srv, func(string) {})
		for range 3 {
			b := &back{during: func(string) { runtime.Goexit() }}
			m := exchange.Parse([]byte(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"f","arguments":{}}}`))
			go s.Handle(t.Context(), mcp.Caller{}, m, b)
			synctest.Wait()
			if b.with("done") != 1 {
				t.Errorf("%q", b.all)
			}
		}
		if n := srv.Stats().Running; n != 0 {
			t.Errorf("%d requests run", n)
		}
		start := time.Now()
		_ = srv.Close()
		if took := time.Since(start); took > 0 {
			t.Errorf("Close has taken %v", took)
		}
	})
}
