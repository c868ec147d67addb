package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
)

// newToolServer returns a server with the declared tool search.
func newToolServer(t *testing.T, opts *Options) *Server {
	t.Helper()
	if opts == nil {
		opts = new(Options)
	}
	opts.Logger = noLog
	s, err := NewServer(&feature.Features{
		Info:         protocol.Implementation{Name: "t"},
		Capabilities: protocol.ServerCapabilities{Tools: &protocol.ServerCapabilitiesTools{}},
		Tools: []feature.Tool{{
			Entry: &protocol.Tool{Name: "search", InputSchema: json.RawMessage(`{"type":"object"}`)},
			Call:  func(*call.Call, []byte) (content.ToolResult, error) { return content.ToolText("found"), nil },
		}},
	}, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func echoTool(name string) feature.DynamicTool {
	return feature.DynamicTool{Name: name, Call: func(_ *call.Call, args json.RawMessage) (content.Result,
		error) {
		return content.ToolText(string(args)), nil
	}}
}

// listedTools are the names on the pages that follow cursor.
func listedTools(t *testing.T, s *Server, cursor *string) (names []string, next *string) {
	t.Helper()
	w := new(session.Worker)
	w.Rev = protocol.Latest
	page, err := s.lists.ListTools(w, cursor, true)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Tools      []struct{ Name string }
		NextCursor *string
	}
	if err := json.Unmarshal(*page, &r); err != nil {
		t.Fatal(err)
	}
	for _, tool := range r.Tools {
		names = append(names, tool.Name)
	}
	return names, r.NextCursor
}

func TestAddToolRefuses(t *testing.T) {
	t.Attr("requirements", "tool-name-unique")
	s := newToolServer(t, &Options{DynamicTools: true})
	call := echoTool("x").Call
	for want, tool := range map[string]feature.DynamicTool{
		"is declared already":            {Name: "search", Call: call},
		"the name must be":               {Name: "two words", Call: call},
		`tool "": the name must be`:      {Call: call},
		"1 to 128":                       {Name: strings.Repeat("x", 129), Call: call},
		"no function":                    {Name: "x"},
		"input schema: unexpected end":   {Name: "x", Call: call, InputSchema: json.RawMessage("{")},
		`input schema: its "type"`:       {Name: "x", Call: call, InputSchema: json.RawMessage(`{"type":"array"}`)},
		`output schema: its "type" must`: {Name: "x", Call: call, OutputSchema: json.RawMessage(`[]`)},
	} {
		if err := s.AddTool(tool); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
	if names, _ := listedTools(t, s, nil); !slices.Equal(names, []string{"search"}) {
		t.Errorf("list %q", names)
	}
}

// Clients that were not told that the list may change keep the list that they know.
func TestToolsAreFixedOnceServed(t *testing.T) {
	s := newToolServer(t, nil)
	if err := s.AddTool(echoTool("early")); err != nil {
		t.Fatal(err)
	}
	s.added.open()
	if err := s.AddTool(echoTool("late")); !errors.Is(err, ErrToolsFixed) {
		t.Errorf("added: %v", err)
	}
	if _, err := s.RemoveTool("early"); !errors.Is(err, ErrToolsFixed) {
		t.Errorf("removed: %v", err)
	}
	if names, _ := listedTools(t, s, nil); !slices.Equal(names, []string{"search", "early"}) {
		t.Errorf("list %q", names)
	}
	if feature.IsTrue(s.features.Capabilities.Tools.ListChanged) {
		t.Error("the list is said to change")
	}
}

// A server without declared tools has the capability if a tool was added, or may be.
func TestAddedToolsAreACapability(t *testing.T) {
	t.Attr("requirements", "tool-capability")
	for _, opts := range []*Options{{Logger: noLog}, {Logger: noLog, DynamicTools: true}} {
		s, err := NewServer(&feature.Features{Info: protocol.Implementation{Name: "t"}}, opts)
		if err != nil {
			t.Fatal(err)
		}
		if caps := s.features.Capabilities.Tools; (caps != nil) != opts.DynamicTools || caps != nil &&
			!feature.IsTrue(caps.ListChanged) {
			t.Errorf("DynamicTools %v: capability %+v", opts.DynamicTools, caps)
		}
		if err := s.AddTool(echoTool("x")); err != nil || s.features.Capabilities.Tools == nil {
			t.Errorf("DynamicTools %v: %v", opts.DynamicTools, err)
		}
	}
}

// Paging neither loses nor repeats a tool that stays, whatever comes and goes meanwhile.
func TestPagesOfChangingTools(t *testing.T) {
	t.Attr("requirements", "tool-order")
	s := newToolServer(t, &Options{DynamicTools: true, PageSize: 2})
	add := func(name string) {
		if err := s.AddTool(echoTool(name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		add(name)
	}
	first, next := listedTools(t, s, nil)
	if _, err := s.RemoveTool("a"); err != nil {
		t.Fatal(err)
	}
	add("b") // in its place
	add("e")
	all := first
	for next != nil {
		var names []string
		names, next = listedTools(t, s, next)
		all = append(all, names...)
	}
	if want := []string{"search", "a", "b", "c", "d", "e"}; !slices.Equal(all, want) {
		t.Errorf("got %q, want %q", all, want)
	}
	if there, err := s.RemoveTool("a"); there || err != nil {
		t.Error(there, err)
	}
}

// Tools come and go while others list and look them up: with -race this is the test of the locking.
func TestAddToolIsSafe(t *testing.T) {
	s := newToolServer(t, &Options{DynamicTools: true})
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			name := fmt.Sprintf("t%d", n)
			for range 50 {
				if err := s.AddTool(echoTool(name)); err != nil {
					t.Error(err)
				}
				if s.tool(name, protocol.Latest) == nil {
					t.Error("an added tool is not found")
				}
				names, _ := listedTools(t, s, nil)
				if !slices.Contains(names, name) {
					t.Errorf("%s is not listed", name)
				}
				if there, err := s.RemoveTool(name); !there || err != nil {
					t.Error(there, err)
				}
			}
		})
	}
	wg.Wait()
	if names, _ := listedTools(t, s, nil); !slices.Equal(names, []string{"search"}) {
		t.Errorf("left over: %q", names)
	}
}

// A nil block is a mistake of the tool: its text is not for clients, and the result is an error.
func TestNilBlocks(t *testing.T) {
	r, err := content.AsBlocks([]content.Block{content.TextBlock("a"), nil}, nil)
	if err != nil || r.Check() == nil {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := content.AsBlock(nil, nil); err != nil || r.Content == nil || len(r.Content) != 0 || r.Check() != nil {
		t.Errorf("%+v, %v", r, err)
	}
	bad := content.PromptResult{Messages: []content.Message{content.UserText("x"), {Role: "user"},
		{Content: content.TextBlock("y")}}}
	if err := bad.Check(); err == nil ||
		err.Error() != "message 1 has no content\nmessage 2 has role \"\": want user or assistant" {
		t.Errorf("got %v", err)
	}
}
