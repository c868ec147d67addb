package server

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// watchful is an observer that keeps what it is told.
type watchful struct {
	mu     sync.Mutex
	open   int
	told   []string
	panics bool
}

type watchedKey struct{}

func (o *watchful) Begin(ctx context.Context, op stats.Operation) context.Context {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.panics {
		panic("observer")
	}
	o.open++
	return context.WithValue(ctx, watchedKey{}, strings.TrimSpace(op.Method()+" "+op.Target()))
}

func (o *watchful) End(ctx context.Context, out stats.Outcome) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.panics {
		panic("observer")
	}
	o.open--
	name, _ := ctx.Value(watchedKey{}).(string)
	code, _ := out.Fault()
	o.told = append(o.told, fmt.Sprintf("%s: %d tool=%t cancelled=%t waited=%t",
		name, code, out.ToolError(), out.Cancelled(), out.Waited() > 0))
}

func (o *watchful) Carry(context.Context, func(key, value string)) {}

// wait returns what the observer was told, once it knows the end of everything.
func (o *watchful) wait(t *testing.T, n int) []string {
	t.Helper()
	var told []string
	eventually(t, func() error {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.open != 0 || len(o.told) < n {
			return fmt.Errorf("%d open, %q", o.open, o.told)
		}
		told = slices.Clone(o.told)
		o.told = nil
		return nil
	})
	return told
}

// The observer is told of the end of each request once: also of one that is cancelled, whose handler ends its
// goroutine, and that is answered in place of its handler.
func TestObserver(t *testing.T) {
	o := new(watchful)
	st := newTestServer(t, &Options{Observer: o, Logger: silent()})
	err := st.AddTool(feature.DynamicTool{
		Name: "slow", Limit: access.Limit{Timeout: time.Millisecond},
		Call: func(c *call.Call, _ json.RawMessage) (content.ToolResult, error) {
			if c.Value(watchedKey{}) != "tools/call slow" {
				t.Errorf("the handler sees %v", c.Value(watchedKey{}))
			}
			<-c.Done()
			time.Sleep(5 * time.Millisecond)
			return content.ToolResult{}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := newSession(t, st.Server, protocol.Revision20251125)
	o.wait(t, 1)
	call := func(tool string) string { return request("1", "tools/call", `"name":"`+tool+`"`) }
	for _, row := range []struct{ request, want string }{
		{call("echo"), "tools/call echo: 0 tool=false cancelled=false waited=false"},
		{call("fail"), "tools/call fail: 0 tool=true cancelled=false waited=false"},
		{call("panic"), "tools/call panic: -32603 tool=false cancelled=false waited=false"},
		{call("exit"), "tools/call exit: -32603 tool=false cancelled=false waited=false"},
		{call("slow"), "tools/call slow: 0 tool=true cancelled=false waited=false"},
		{call("nothing"), "tools/call: -32602 tool=false cancelled=false waited=false"},
		{request("1", "resources/read", `"uri":"fix:///a"`),
			"resources/read fix:///a: 0 tool=false cancelled=false waited=false"},
		{request("1", "resources/subscribe", `"uri":"do:///x"`),
			"resources/subscribe do:///x: 0 tool=false cancelled=false waited=false"},
		{request("1", "nothing", ``), "other: -32601 tool=false cancelled=false waited=false"},
	} {
		c.ask(row.request)
		if got := o.wait(t, 1); !slices.Equal(got, []string{row.want}) {
			t.Errorf("%s:\n got %q\nwant %q", row.request, got, row.want)
		}
	}
	c.send(call("block"))
	<-st.entered
	c.send(cancelled("1"))
	c.quiet()
	close(st.release)
	if got := o.wait(t, 2); got[1] != "tools/call block: 0 tool=false cancelled=true waited=false" {
		t.Errorf("cancelled: %q", got)
	}
}

// A listen ends for the observer once it is open, and does not count as long as it lasts.
func TestObserverOfListen(t *testing.T) {
	o := new(watchful)
	st := newTestServer(t, &Options{Observer: o, Logger: silent()})
	c := newHarness(t, st.Server)
	c.ask(modern("1", "subscriptions/listen", `"notifications":{"resourceSubscriptions":["fix:///a"]}`))
	if got := o.wait(t, 1); got[0] != "subscriptions/listen: 0 tool=false cancelled=false waited=false" {
		t.Errorf("%q", got)
	}
}

// An observer that panics changes nothing for clients.
func TestObserverThatPanics(t *testing.T) {
	st := newTestServer(t, &Options{Observer: &watchful{panics: true}, Logger: silent()})
	c := newHarness(t, st.Server)
	if got := c.ask(modern("1", "tools/call", `"name":"echo"`)); !strings.Contains(got, `"content"`) {
		t.Error(got)
	}
	if n := Stats(st.Server).Panics["observer"]; n != 2 {
		t.Errorf("%d panics", n)
	}
}

// forgetful is an observer that does not return the context that it got.
type forgetful struct{ stats.Observer }

func (forgetful) Begin(context.Context, stats.Operation) context.Context { return nil }

// Without a context of the observer, a handler has that of the connection.
func TestObserverThatReturnsNil(t *testing.T) {
	st := newTestServer(t, &Options{Observer: forgetful{new(watchful)}, Logger: silent()})
	err := st.AddTool(feature.DynamicTool{
		Name: "value", Call: func(c *call.Call, _ json.RawMessage) (content.ToolResult, error) {
			return content.ToolText(fmt.Sprint("value ", c.Value(watchedKey{}) == nil)), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := newHarness(t, st.Server)
	if got := c.ask(modern("1", "tools/call", `"name":"value"`)); !strings.Contains(got, `"text":"value true"`) {
		t.Error(got)
	}
	if n := Stats(st.Server).Panics["observer"]; n != 0 {
		t.Errorf("%d panics: the end was told without a context", n)
	}
}
