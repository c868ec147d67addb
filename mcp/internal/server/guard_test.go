package server

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

// newGuardedServer is a server of a:///x with a watcher, and of a policy that the test decides.
func newGuardedServer(t *testing.T, policy access.Policy) (s *Server, opened *atomic.Int64) {
	t.Helper()
	opened = new(atomic.Int64)
	s = oneResourceServer(t, feature.Resource{
		Subscribe: true,
		Read:      func(*call.Call) (content.Contents, error) { return content.Text("x"), nil },
		Watch: func(c *call.Call) (iter.Seq2[time.Time, error], error) {
			opened.Add(1)
			return never(c), nil
		},
		Guard: &access.Guard{Access: access.Access{Policies: []access.Policy{policy}}},
	})
	return s, opened
}

// What is refused does not make the program watch anything, in either era; what is granted does so once.
func TestRefusedSubscriberOpensNoWatch(t *testing.T) {
	var refuse atomic.Bool
	refuse.Store(true)
	s, opened := newGuardedServer(t, func(*call.Call) error {
		if refuse.Load() {
			runtime.Gosched() // a watcher that was begun too early has its chance
			return errors.New("no")
		}
		return nil
	})
	c := newSession(t, s, protocol.Revision20251125)
	for range 20 {
		wantMatch(t, c.ask(subscribeTo("1", "a:///x")),
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"*","data":{"uri":"a:///x"}}}`)
		wantMatch(t, c.ask(listenTo("2", `"resourceSubscriptions":["a:///x"]`)),
			acknowledged("2", `"resourceSubscriptions":[]`))
		c.send(cancelled("2"))
	}
	if n := opened.Load(); n != 0 {
		t.Errorf("a watcher was opened %d times for the refused", n)
	}
	refuse.Store(false)
	wantMatch(t, c.ask(subscribeTo("1", "a:///x")), emptyResult)
	wantMatch(t, c.ask(listenTo("3", `"resourceSubscriptions":["a:///x"]`)),
		acknowledged("3", `"resourceSubscriptions":["a:///x"]`))
	_ = s.Close() // and all watchers have ended
	if n := opened.Load(); n != 1 {
		t.Errorf("the watcher was opened %d times for the granted, want once", n)
	}
}

// A policy that ends its goroutine means no: to the request that it was asked for, and to the update that it was asked
// target, after which the connection goes on.
func TestPolicyThatExits(t *testing.T) {
	var exit atomic.Bool
	s, _ := newGuardedServer(t, func(*call.Call) error {
		if exit.Load() {
			runtime.Goexit()
		}
		return nil
	})
	c := newSession(t, s, protocol.Revision20251125)
	wantMatch(t, c.ask(subscribeTo("1", "a:///x")), emptyResult)
	exit.Store(true)
	s.ResourceUpdated("a:///x", "")
	eventually(t, func() error {
		if n := s.subscriptions(); n != 0 {
			return fmt.Errorf("%d subs are left", n)
		}
		return nil
	})
	const failed = `{"jsonrpc":"2.0","id":%d,"error":{"code":-32603,"message":"*internal error (ref ","data":{"uri":"a:///x"}}}`
	wantMatch(t, c.ask(subscribeTo("1", "a:///x")), fmt.Sprintf(failed, 1))
	wantMatch(t, c.ask(listenTo("2", `"resourceSubscriptions":["a:///x"]`)),
		acknowledged("2", `"resourceSubscriptions":[]`))
	c.send(cancelled("2"))
	if n := s.subscriptions(); n != 0 {
		t.Errorf("%d subs of requests that failed", n)
	}
	exit.Store(false)
	wantMatch(t, c.ask(listenTo("2", `"resourceSubscriptions":["a:///x"]`)),
		acknowledged("2", `"resourceSubscriptions":["a:///x"]`))
	wantMatch(t, c.ask(subscribeTo("1", "a:///x")), emptyResult)
	s.ResourceUpdated("a:///x", "")
	c.recv()
	c.recv() // both streams hear of it: the pump runs
}

// silentConn is the transport of a session that is told nothing.
type silentConn struct{ transport.Conn }

func (silentConn) WriteMessage([]byte) error { return nil }

// writerOf is a ResponseWriter that keeps the answer.
type writerOf struct {
	answers []string
}

func (p *writerOf) Notify([]byte) error { return nil }

func (p *writerOf) Respond(frame []byte, _ int) error {
	p.answers = append(p.answers, string(frame))
	return nil
}

// In a batch over HTTP a handler that ends its goroutine costs the others nothing.
func TestBatchWithHandlersThatExit(t *testing.T) {
	exits := oneResourceServer(t,
		feature.Resource{Read: func(*call.Call) (content.Contents, error) {
			runtime.Goexit()
			return content.Contents{},
				nil
		}})
	x, err := exits.host.NewSession(silentConn{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	handle := func(text string) string {
		p := new(writerOf)
		ended := make(chan struct{})
		go func() { // as net/http has a goroutine for each request
			defer close(ended)
			e := session.OpenEnvelope([]byte(text))
			x.Handle(context.Background(), &e, call.Caller{}, p)
		}()
		<-ended
		return fmt.Sprint(p.answers)
	}
	handle(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	read := `{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{"uri":"a:///x"}}`
	const failed = `{"jsonrpc":"2.0","id":%d,"error":{"code":-32603,"message":"*internal error (ref ","data":{"uri":"a:///x"}}}`
	got := handle(fmt.Sprintf("["+read+`,{"jsonrpc":"2.0","id":2,"method":"ping"},`+read+"]", 1, 3))
	wantMatch(t, got, fmt.Sprintf("[["+failed+`,{"jsonrpc":"2.0","id":2,"result":{}},`+failed+"]]", 1, 3))
}

// A handler that returns at the very moment at which its call is answered for it, because the server closes, leaves
// the way back alone until the answer is written.
func TestShutdownAnswersBeforeTheHandlerIsDone(t *testing.T) {
	t.Attr("requirements", "http-not-before")
	for range 200 {
		running := make(chan struct{})
		s, err := NewServer(&feature.Features{
			Capabilities: protocol.ServerCapabilities{Tools: &protocol.ServerCapabilitiesTools{}},
			Tools: []feature.Tool{{
				Entry: &protocol.Tool{Name: "stay", InputSchema: []byte(`{"type":"object"}`)},
				Call: func(c *call.Call, _ []byte) (content.ToolResult, error) {
					close(running)
					for c.Running() {
						runtime.Gosched()
					}
					return content.ToolText("too late"), nil
				},
			}},
		}, &Options{Logger: noLog, Grace: 1})
		if err != nil {
			t.Fatal(err)
		}
		p, ended := new(writerOf), make(chan struct{})
		go func() {
			defer close(ended)
			e := session.OpenEnvelope([]byte(modern("1", "tools/call", `"name":"stay"`)))
			s.host.Exchange(context.Background(), &e, call.Caller{}, p)
		}()
		<-running
		_ = s.Close()
		<-ended
		if len(p.answers) != 1 {
			t.Fatalf("answers: %q", p.answers)
		}
	}
}
