package server

import (
	"encoding/json"
	"errors"
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
)

// callTool is a call of a tool by a modern client.
func callTool(name string) string { return modern("1", "tools/call", `"name":"`+name+`"`) }

// What declared tools have around their calls, added ones have too.
func TestAddedToolsAreGuarded(t *testing.T) {
	s := newToolServer(t, &Options{Caller: call.Caller{Scopes: []string{"read"}}})
	around := 0
	guarded := func(name string, change func(*feature.DynamicTool)) {
		tool := echoTool(name)
		change(&tool)
		if err := s.AddTool(tool); err != nil {
			t.Fatal(err)
		}
	}
	guarded("secret", func(d *feature.DynamicTool) { d.Access.Scopes = []string{"write"} })
	guarded("mine", func(d *feature.DynamicTool) { d.Access.Scopes = []string{"read"} })
	guarded("never", func(d *feature.DynamicTool) {
		d.Access.Policies = []access.Policy{func(*call.Call) error { return errors.New("no") }}
	})
	guarded("once", func(d *feature.DynamicTool) { d.Limit = access.Limit{Rate: 1, Per: time.Hour} })
	guarded("short", func(d *feature.DynamicTool) {
		d.Limit.Timeout = time.Millisecond
		d.Call = func(c *call.Call, _ json.RawMessage) (content.Result, error) {
			<-c.Done()
			return content.Result{}, c.Err()
		}
	})
	guarded("used", func(d *feature.DynamicTool) {
		d.Use = call.NewUse(func(c *call.Call, p call.Params, next call.Next) (protocol.Reply, error) {
			around++
			return next(c, p)
		})
	})
	c := newHarness(t, s)
	const (
		unknown = `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"*unknown tool"}}`
		says    = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"*%s"}],"…":0}}`
		fails   = `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"*called too often","data":{"…":0}}}`
	)
	wantMatch(t, c.ask(callTool("secret")), unknown)
	wantMatch(t, c.ask(callTool("never")), unknown)
	wantMatch(t, c.ask(callTool("mine")), fmt.Sprintf(says, "{}"))
	wantMatch(t, c.ask(callTool("once")), fmt.Sprintf(says, "{}"))
	if got := c.ask(callTool("once")); !strings.Contains(got, "called too often") {
		t.Errorf("the second call in an hour: %s", got)
	}
	wantMatch(t, c.ask(callTool("short")), fmt.Sprintf(says, "took longer than 1ms"))
	wantMatch(t, c.ask(callTool("used")), fmt.Sprintf(says, "{}"))
	if around != 1 {
		t.Errorf("middleware ran %d times", around)
	}
	list := c.ask(modern("1", "tools/list", ""))
	for name, shown := range map[string]bool{"search": true, "mine": true, "once": true, "secret": false,
		"never": false} {
		if strings.Contains(list, `"name":"`+name+`"`) != shown {
			t.Errorf("%s is listed: %v in %s", name, !shown, list)
		}
	}
}

func TestAddToolRefusesGuards(t *testing.T) {
	s := newToolServer(t, nil)
	for want, change := range map[string]func(*feature.DynamicTool){
		"ItemPolicies": func(d *feature.DynamicTool) {
			d.Access.ItemPolicies = []access.Policy{func(*call.Call) error { return nil }}
		},
		"negative":  func(d *feature.DynamicTool) { d.Limit.Timeout = -1 },
		"needs Per": func(d *feature.DynamicTool) { d.Limit.Rate = 1 },
	} {
		tool := echoTool("x")
		change(&tool)
		if err := s.AddTool(tool); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
}

// joined joins members, which end with the test after the server that it returns.
func joined(t *testing.T, name string, opts *Options, members ...Member) *Server {
	t.Helper()
	opts.Logger = noLog
	s, err := Join(&feature.Features{Info: protocol.Implementation{Name: name}}, opts, members...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// A tool that is added to a member is one of all servers that are joined from it, and so is its end.
func TestToolsOfMembersAreJoined(t *testing.T) {
	member := newToolServer(t, &Options{DynamicTools: true})
	if err := member.AddTool(echoTool("early")); err != nil {
		t.Fatal(err)
	}
	mid := joined(t, "mid", &Options{DynamicTools: true}, member)
	top := joined(t, "top", &Options{DynamicTools: true}, mid)
	all := []*Server{member, mid, top}
	wantTools := func(want ...string) {
		t.Helper()
		for _, s := range all {
			if names, _ := listedTools(t, s, nil); !slices.Equal(names, want) {
				t.Errorf("%s lists %q, want %q", s.features.Info.Name, names, want)
			}
		}
	}
	wantTools("search", "early")
	c := newHarness(t, top)
	wantMatch(t, c.ask(listenTo("7", `"toolsListChanged":true`)), acknowledged("7", `"toolsListChanged":true`))
	if err := member.AddTool(echoTool("late")); err != nil {
		t.Fatal(err)
	}
	wantMatch(t, c.recv(),
		`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}`)
	wantTools("search", "early", "late")
	wantMatch(t, c.ask(callTool("late")),
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{}"}],"…":0}}`)
	if there, err := top.RemoveTool("late"); there || err != nil {
		t.Errorf("removed from a server that it was not added to: %v, %v", there, err)
	}
	if err := top.AddTool(echoTool("late")); err == nil || !strings.Contains(err.Error(), "another server") {
		t.Errorf("added under the name of a member's tool: %v", err)
	}
	if there, err := member.RemoveTool("early"); !there || err != nil {
		t.Error(there, err)
	}
	wantTools("search", "late")
	if err := top.AddTool(echoTool("own")); err != nil || member.tool("own", protocol.Latest) != nil {
		t.Errorf("added to the joined server: %v", err)
	}
	if err := member.AddTool(echoTool("own")); err == nil || !strings.Contains(err.Error(), "in top, which is joined") {
		t.Errorf("added under the name of a tool of the joined server: %v", err)
	}
	all = all[:2]
	wantTools("search", "late")
}

// Where clients of the joined server could not be told, adding to a member is an error and changes nothing.
func TestToolsOfMembersAreFixedOnceServed(t *testing.T) {
	member := newToolServer(t, &Options{DynamicTools: true})
	s := joined(t, "whole", &Options{}, member)
	if err := member.AddTool(echoTool("early")); err != nil || s.tool("early", protocol.Latest) == nil {
		t.Errorf("before anybody is served: %v", err)
	}
	if feature.IsTrue(s.features.Capabilities.Tools.ListChanged) {
		t.Error("the joined server promises changes that it does not tell of")
	}
	s.added.open()
	if err := member.AddTool(echoTool("late")); !errors.Is(err, ErrToolsFixed) ||
		!strings.Contains(err.Error(), "in whole") {
		t.Errorf("added: %v", err)
	}
	if _, err := member.RemoveTool("early"); !errors.Is(err, ErrToolsFixed) {
		t.Errorf("removed: %v", err)
	}
	if member.tool("late", protocol.Latest) != nil || member.tool("early", protocol.Latest) == nil {
		t.Error("the member has changed")
	}
	_ = s.Close()
	if err := member.AddTool(echoTool("late")); err != nil {
		t.Errorf("after the joined server was closed: %v", err)
	}
}

func TestJoinRefusesNamesOfAddedTools(t *testing.T) {
	one, two := newToolServer(t, nil), joined(t, "two", &Options{})
	if err := two.AddTool(echoTool("search")); err != nil {
		t.Fatal(err)
	}
	s, err := Join(&feature.Features{}, &Options{Logger: noLog}, one, two)
	if err == nil || !strings.Contains(err.Error(), `tool "search": is declared already`) {
		t.Fatalf("joined: %v, %v", s, err)
	}
	if err := two.AddTool(echoTool("more")); err != nil {
		t.Errorf("what failed to be joined is still asked: %v", err)
	}
}

// Members and joined servers change at the same time: with -race this is the test of the locking.
func TestToolsOfMembersAreSafe(t *testing.T) {
	dynamic := func() *Options { return &Options{DynamicTools: true} }
	a, b := joined(t, "a", dynamic()), joined(t, "b", dynamic())
	x, y := joined(t, "x", dynamic(), a, b), joined(t, "y", dynamic(), b, a)
	var wg sync.WaitGroup
	for n, s := range []*Server{a, b, x, y} {
		wg.Go(func() {
			name := fmt.Sprintf("t%d", n)
			for range 100 {
				if err := s.AddTool(echoTool(name)); err != nil {
					t.Error(err)
				}
				if there, err := s.RemoveTool(name); !there || err != nil {
					t.Error(there, err)
				}
			}
		})
	}
	wg.Wait()
	for _, s := range []*Server{a, b, x, y} {
		if names, _ := listedTools(t, s, nil); len(names) != 0 {
			t.Errorf("left over: %q", names)
		}
	}
}

// A next that was kept is of no use, and one that still runs holds up the answer.
func TestNextAfterMiddleware(t *testing.T) {
	s := newToolServer(t, nil)
	kept := make(chan call.Next, 1)
	running, finish := make(chan struct{}), make(chan struct{})
	add := func(name string, use call.Middleware, c func()) {
		tool := func(*call.Call, json.RawMessage) (content.Result, error) {
			c()
			return content.ToolText(name), nil
		}
		err := s.AddTool(feature.DynamicTool{Name: name, Use: call.NewUse(use), Call: tool})
		if err != nil {
			t.Fatal(err)
		}
	}
	ran := 0
	add("kept", func(c *call.Call, p call.Params, next call.Next) (protocol.Reply, error) {
		kept <- next
		return next(c, p)
	}, func() { ran++ })
	add("late", func(c *call.Call, p call.Params, next call.Next) (protocol.Reply, error) {
		go func() { _, _ = next(c, p) }()
		<-running
		return &protocol.CallToolResult{Content: content.Blocks(content.TextBlock("early")).Content}, nil
	}, func() { close(running); <-finish })
	c := newHarness(t, s)
	c.ask(callTool("kept"))
	if _, err := (<-kept)(t.Context(), nil); !errors.Is(err, call.ErrNextLate) || ran != 1 {
		t.Errorf("kept: %v, %d runs", err, ran)
	}
	c.send(callTool("late"))
	<-running
	close(finish)
	wantMatch(t, c.recv(), `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"early"}],"…":0}}`)
}
