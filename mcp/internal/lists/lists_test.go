package lists

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/paging"
	"github.com/mcpgen/mcpgen/mcp/internal/seal/aead"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// What a reference says of itself stands before what its template says of all.
func TestInstance(t *testing.T) {
	tpl := &protocol.ResourceTemplate{
		Name: "t", Title: "T", Description: "D", MIMEType: "m/t", Annotations: &protocol.Annotations{Priority: new(1.0)},
		Icons: []protocol.Icon{{Src: "a"}},
	}
	ref := feature.Ref{URI: []byte("u"), Name: "n", Info: feature.RefInfo{
		Title: "T2", MIMEType: "m/2", Size: new(int64(3)), Icons: []protocol.Icon{{Src: "b"}},
		Modified: time.Date(2026, 7, 28, 12, 0, 0, 5, time.FixedZone("", 7200)),
	}}
	var room entryBuffer
	r := room.instance(baseOf(tpl), &ref)
	wantJSON(t, r.AppendJSON(nil, protocol.Latest), `{"uri":"u","name":"n","title":"T2","description":"D","mimeType":"m/2","size":3,
		"icons":[{"src":"b"}],"annotations":{"priority":1,"lastModified":"2026-07-28T10:00:00Z"}}`)
	if tpl.Annotations.LastModified != "" {
		t.Error("the template was changed")
	}
	r = room.instance(baseOf(tpl), &feature.Ref{URI: []byte("u")})
	wantJSON(t, r.AppendJSON(nil, protocol.Latest), `{"uri":"u","name":"t","description":"D","mimeType":"m/t",
		"icons":[{"src":"a"}],"annotations":{"priority":1}}`)
}

// wantJSON compares two JSON texts but for blanks and the order of members.
func wantJSON(t *testing.T, got []byte, want string) {
	t.Helper()
	var g, w any
	if err := errors.Join(json.Unmarshal(got, &g), json.Unmarshal([]byte(want), &w)); err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(g)
	if b, _ := json.Marshal(w); string(a) != string(b) {
		t.Errorf("got  %s\nwant %s", a, b)
	}
}

// newLists are the lists of f, in pages of two entries.
func newLists(t *testing.T, f *feature.Features, shared bool, log *slog.Logger) *Lists {
	t.Helper()
	box, err := aead.New([][]byte{[]byte("0123456789abcdef")})
	if err != nil {
		t.Fatal(err)
	}
	r, l := new(feature.Registry), new(Lists)
	r.Init(f)
	l.Init(Config{
		Registry: r, Cursors: &paging.Codec{Box: box, Server: "t"}, PageSize: 2, Log: log,
		Meta: func(protocol.Revision) *protocol.ResultMetaObject { return nil }, Shared: func() bool { return shared },
	})
	return l
}

// toolPages are the names on all pages of the tools, from a cursor on; between is called after the first page.
func toolPages(t *testing.T, l *Lists, between func()) string {
	t.Helper()
	w := new(session.Worker)
	w.Rev = protocol.Latest
	var all []string
	for cursor := (*string)(nil); ; {
		page, err := l.ListTools(w, cursor, true)
		if err != nil {
			t.Fatal(err)
		}
		var r protocol.ListToolsResult
		var names []string
		if err := json.Unmarshal(*page, &r); err != nil {
			t.Fatal(err)
		}
		for _, tool := range r.Tools {
			names = append(names, tool.Name)
		}
		all = append(all, strings.Join(names, " "))
		if cursor = r.NextCursor; cursor == nil {
			return strings.Join(all, "|")
		}
		between()
	}
}

func namedTool(name string) *feature.Tool {
	return &feature.Tool{Entry: &protocol.Tool{Name: name, InputSchema: json.RawMessage("{}")}}
}

// Tools that come and go between two pages: nothing that stays is missed or shown twice, in either order.
func TestToolsChange(t *testing.T) {
	for _, c := range []struct {
		shared        bool
		want, without string // the last one, from the second page on
	}{
		{false, "d y|x w", "d y|x"}, // in the order in which they were added
		{true, "d w|x y", "d w|x y"},
	} {
		l := newLists(t, &feature.Features{Tools: []feature.Tool{*namedTool("d")}}, c.shared, nil)
		var added []Added
		for i, name := range []string{"y", "x", "w"} {
			added = append(added, Added{namedTool(name), i})
		}
		l.SetTools(added)
		if got := toolPages(t, l, func() {}); got != c.want {
			t.Errorf("shared: %v: %s, want %s", c.shared, got, c.want)
		}
		if got := toolPages(t, l, func() { l.SetTools(added[:2]) }); got != c.without {
			t.Errorf("shared: %v: w has gone: %s, want %s", c.shared, got, c.without)
		}
	}
}

// A tool that is switched off leaves the first page, which was made before.
func TestForget(t *testing.T) {
	f := &feature.Features{Tools: []feature.Tool{*namedTool("a"), *namedTool("b"), *namedTool("c")}}
	l := newLists(t, f, false, nil)
	if got := toolPages(t, l, func() {}); got != "a b|c" {
		t.Error(got)
	}
	l.Switch(feature.KindTool, feature.Kinds[feature.KindTool].ID(l.Features, 0), false, func(int) {})
	l.Forget(feature.KindTool)
	if got := toolPages(t, l, func() {}); got != "b c" {
		t.Error(got)
	}
	cursor := "abc"
	if _, err := l.ListTools(new(session.Worker), &cursor, true); !errors.Is(err, content.ErrCursor) {
		t.Error(err)
	}
}

// A template that is switched off leaves the page of templates, which was made before, and comes back.
func TestForgetTemplates(t *testing.T) {
	f := &feature.Features{Resources: []feature.Resource{
		{Template: &protocol.ResourceTemplate{URITemplate: "t:///{id}", Name: "t"}},
		{Template: &protocol.ResourceTemplate{URITemplate: "u:///{id}", Name: "u"}},
	}}
	l := newLists(t, f, false, nil)
	w := new(session.Worker)
	w.Rev = protocol.Latest
	for i, want := range []string{"t u", "u", "t u"} {
		if i > 0 {
			l.Switch(feature.KindResource, feature.Kinds[feature.KindResource].ID(l.Features, 0), i == 2, func(int) {})
			l.Forget(feature.KindResource)
		}
		page, err := l.ListTemplates(w, nil)
		if err != nil {
			t.Fatal(err)
		}
		var r protocol.ListResourceTemplatesResult
		if err := json.Unmarshal(*page, &r); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range r.ResourceTemplates {
			names = append(names, e.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// An instance that nobody could read is left out, and logged once.
func TestUnreadable(t *testing.T) {
	var log strings.Builder
	f := &feature.Features{
		Resources: []feature.Resource{{
			Template:  &protocol.ResourceTemplate{URITemplate: "t:///{id}", Name: "t"},
			CheckVars: func(*uri.Vars) error { return nil },
			List: feature.ListSeq(func(context.Context) iter.Seq2[string, error] {
				return func(yield func(string, error) bool) { _ = yield("t:///1", nil) && yield("other:///2", nil) }
			}, func(b []byte, s string) feature.Ref { return feature.Ref{URI: append(b, s...)} }),
		}},
		Route: func(uri string, v *uri.Vars) int {
			if v.Split(uri) && v.Scheme == "t" {
				return 0
			}
			return -1
		},
	}
	l := newLists(t, f, false, slog.New(slog.NewTextHandler(&log, nil)))
	c := new(call.Call)
	c.Init(call.Request{}, protocol.Latest, 0)
	for range 2 {
		b, _, err := l.appendInstances(nil, new(Room), c, paging.Position{})
		if err != nil {
			t.Fatal(err)
		}
		wantJSON(t, []byte("["+strings.TrimSuffix(string(b), ",")+"]"), `[{"uri":"t:///1","name":"t"}]`)
	}
	if n := strings.Count(log.String(), "other:///2"); n != 1 {
		t.Errorf("logged %d times: %s", n, log.String())
	}
}
