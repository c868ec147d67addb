package server

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// changing is a list of names that changes while somebody pages.
type changing struct {
	names []string
	made  int
}

func (l *changing) insert(at int) {
	l.made++
	l.names = slices.Insert(l.names, at, fmt.Sprintf("n%d", l.made))
}

// change removes up to three of what was shown last and of the rest, and inserts and moves as many.
func (l *changing) change(r *rand.Rand, shown []string) {
	for range r.IntN(4) {
		if i := slices.Index(l.names, shown[max(0, len(shown)-1-r.IntN(4))]); i >= 0 {
			l.names = slices.Delete(l.names, i, i+1)
		}
		if len(l.names) > 0 {
			i := r.IntN(len(l.names))
			l.names = slices.Delete(l.names, i, i+1)
		}
		l.insert(r.IntN(len(l.names) + 1))
	}
}

// A list that changes between pages repeats nothing, and skips nothing that stayed.
func TestPagesOfAChangingSequence(t *testing.T) {
	t.Attr("requirements", "page-stable")
	seed := uint64(time.Now().UnixNano())
	for n := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, n))
		l := new(changing)
		for range r.IntN(300) {
			l.insert(len(l.names))
		}
		stayed := slices.Clone(l.names)
		lister := feature.ListSeq(func(context.Context) iter.Seq2[string, error] {
			return func(yield func(string, error) bool) {
				for _, name := range l.names {
					if !yield(name, nil) {
						return
					}
				}
			}
		}, func(b []byte, name string) feature.Ref { return feature.Ref{URI: append(b, name...), Name: name} })
		var shown []string
		moved := map[string]bool{} // as if they had been taken out and were new
		for from, size := "", 8+r.IntN(40); ; {
			entries, next, err := listed(t, lister, from, size)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if slices.Contains(shown, e.URI) && !moved[e.URI] {
					t.Fatalf("seed %d, %d: %s is shown twice", seed, n, e.URI)
				}
				shown = append(shown, e.URI)
			}
			if from = next; next == "" {
				break
			}
			l.change(r, shown)
			if r.IntN(4) == 0 && len(shown) > 2 { // one of those shown moves
				if i := slices.Index(l.names, shown[len(shown)-1-r.IntN(2)]); i >= 0 {
					name := l.names[i]
					moved[name] = true
					l.names = slices.Insert(slices.Delete(l.names, i, i+1), r.IntN(len(l.names)), name)
				}
			}
			stayed = slices.DeleteFunc(stayed, func(name string) bool { return !slices.Contains(l.names, name) })
		}
		for _, name := range stayed {
			if !slices.Contains(shown, name) {
				t.Fatalf("seed %d, %d: %s is never shown", seed, n, name)
			}
		}
	}
}

// rolled are servers with the same keys and other declarations, as during a rolling update.
func rolled(t *testing.T, names ...string) *Server {
	f := &feature.Features{
		Info: protocol.Implementation{Name: "rolled"},
		Capabilities: protocol.ServerCapabilities{Resources: new(protocol.ServerCapabilitiesResources),
			Tools: new(protocol.ServerCapabilitiesTools), Prompts: new(protocol.ServerCapabilitiesPrompts)},
		Route: func(string, *uri.Vars) int { return -1 },
	}
	read := func(*call.Call) (content.Contents, error) { return content.Text("x"), nil }
	for _, name := range names {
		list := seqOf(new("12"))
		f.Resources = append(f.Resources,
			feature.Resource{Entry: &protocol.Resource{URI: name, Name: name}, Read: read},
			feature.Resource{Template: &protocol.ResourceTemplate{URITemplate: name + "{x}", Name: name}, Read: read,
				List: list})
		f.Tools = append(f.Tools, feature.Tool{Entry: &protocol.Tool{Name: name, InputSchema: content.EmptyObject},
			Call: func(*call.Call, []byte) (content.ToolResult, error) { return content.ToolText(""), nil }})
		f.Prompts = append(f.Prompts, feature.Prompt{Entry: &protocol.Prompt{Name: name},
			Get: func(*call.Call) (content.PromptResult, error) { return content.PromptResult{}, nil }})
	}
	s, err := NewServer(f, &Options{PageSize: 2, Keys: [][]byte{[]byte("0123456789abcdef")}, Logger: noLog})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// A cursor of one server means the same to another one with its keys, whose declarations have changed.
func TestCursorsHoldNames(t *testing.T) {
	t.Attr("requirements", "state-process page-stable")
	old := rolled(t, "a", "b", "c", "d")
	for _, c := range []struct {
		names []string
		want  string // of what follows a and b
	}{
		{[]string{"a", "b", "c", "d"}, "c d"},
		{[]string{"0", "a", "x", "b", "c", "d"}, "c d"},
		{[]string{"a", "c", "d"}, "c d"},
		{[]string{"b", "a", "c"}, "a c"}, // order is what it is
		{[]string{"c", "d"}, "error"},
	} {
		now := newSession(t, rolled(t, c.names...), protocol.Revision20251125)
		for _, method := range []string{"tools/list", "resources/templates/list"} {
			first := askPage(t, newSession(t, old, protocol.Revision20251125), method, "")
			page, got := askPage(t, now, method, first.Result.NextCursor), "error"
			if page.Error == nil {
				got = page.names()
			} else if page.Error.Code != wire.CodeInvalidParams {
				t.Errorf("error %d", page.Error.Code)
			}
			if got != c.want {
				t.Errorf("%s of %v after %q: %q, want %q", method, c.names, first.names(), got, c.want)
			}
		}
	}
	// The first page of resources ends in the middle of what the template of a lists.
	first := askPage(t, newSession(t, old, protocol.Revision20251125), "resources/list", "")
	for want, names := range map[string][]string{"a b": {"a", "b"}, "a x": {"0", "a", "x"}, "error": {"b"}} {
		page, got := askPage(t, newSession(t, rolled(t, names...), protocol.Revision20251125), "resources/list",
			first.Result.NextCursor), "error"
		if page.Error == nil {
			got = page.names()
		}
		if got != want {
			t.Errorf("resources of %v after %q: %q, want %q", names, first.names(), got, want)
		}
	}
}

// A tool that is removed and added again while somebody pages skips no other.
func TestPagesOfToolsThatComeBack(t *testing.T) {
	s := newTestServer(t, &Options{PageSize: 2, DynamicTools: true}).Server
	add := func(name string) {
		err := s.AddTool(feature.DynamicTool{Name: name, Call: func(*call.Call, json.RawMessage) (content.Result, error) {
			return content.ToolText(""),
				nil
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		add(name)
	}
	c := newSession(t, s, protocol.Revision20251125)
	var all []string
	for cursor := ""; ; {
		p := askPage(t, c, "tools/list", cursor)
		all = append(all, strings.Fields(p.names())...)
		if slices.Contains(strings.Fields(p.names()), "b") && !slices.Contains(all, "c") {
			if _, err := s.RemoveTool("b"); err != nil {
				t.Fatal(err)
			}
			add("b")
		}
		if cursor = p.Result.NextCursor; cursor == "" {
			break
		}
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		if !slices.Contains(all, name) {
			t.Errorf("%s is not listed: %v", name, all)
		}
	}
}
