package shapes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// The tests of this file hold lines of the generated file that no transcript shows; make mutation found them.

// A reader never sees a value that its template forbids.
func TestReadsOfWrongValues(t *testing.T) {
	c := mcptest.New(t, newServer(t))
	for uri, want := range wrongValues {
		_, fault := c.Do(protocol.MethodResourcesRead, fmt.Appendf(nil, `{"uri":%q}`, uri))
		if fault == nil || fault.Error() != "variable "+want+" (code -32602)" {
			t.Errorf("%s: got %v, want %s", uri, fault, want)
		}
	}
}

// A completer sees earlier values as its parameters, or not at all.
func TestEarlierValues(t *testing.T) {
	t.Attr("requirements", "completion-validate")
	c := mcptest.New(t, newServer(t))
	const (
		logs  = "logs:///{host}/{level}{?since,limit,step}"
		find  = "things:///shelf/find{?tag*,page,exact,all,text,colour,rank}"
		maybe = "maybe:///{rank}{?at,addr,wait,ok}"
	)
	for _, level := range []string{"debug", "info", "warn"} {
		if got := c.Complete(logs, "host", "h", "level", level); !slices.Equal(got, []string{"h" + level}) {
			t.Errorf("hosts for %s: %q", level, got)
		}
	}
	for _, ask := range []struct{ template, variable string }{{find, "exact"}, {find, "all"}, {maybe, "ok"}} {
		if got := c.Complete(ask.template, ask.variable, ""); !slices.Equal(got, []string{"false", "true"}) {
			t.Errorf("%s of %s: %q", ask.variable, ask.template, got)
		}
	}
	for _, row := range []struct{ variable, earlier, value, want string }{
		{"host", "level", "loud", "variable level: want one of debug, info, warn"},
		{"limit", "host", "here", "variable host: not a valid value"},
		{"limit", "since", "yesterday", "variable since: want a time such as 2006-01-02T15:04:05Z"},
	} {
		_, fault := c.Do(protocol.MethodCompletionComplete, fmt.Appendf(nil,
			`{"ref":{"type":"ref/resource","uri":%q},"argument":{"name":%q,"value":""},"context":{"arguments":{%q:%q}}}`,
			logs, row.variable, row.earlier, row.value))
		if fault == nil || fault.Error() != row.want+" (code -32602)" {
			t.Errorf("%s after %s=%s: got %v", row.variable, row.earlier, row.value, fault)
		}
	}
}

// A URI is checked before it takes the place of a subscription.
func TestChecksComeFirst(t *testing.T) {
	impl := ShapesImpl{Attic: Attic{}, Clock: &Clock{}, Shelf: Shelf{}}
	srv, err := NewShapesServer(impl, &mcp.Options{MaxSubscriptions: 1})
	if err != nil {
		t.Fatal(err)
	}
	c := mcptest.New(t, srv, mcptest.WithRevision(protocol.Revision20251125))
	c.Subscribe("things:///cup")
	for uri, want := range wrongValues {
		_, fault := c.Do(protocol.MethodResourcesSubscribe, fmt.Appendf(nil, `{"uri":%q}`, uri))
		if fault == nil || fault.Error() != "variable "+want+" (code -32602)" {
			t.Errorf("%s: got %v", uri, fault)
		}
	}
	if _, err := NewShapesServer(impl, &mcp.Options{PageSize: -1}); err == nil {
		t.Error("a server with wrong options")
	}
}

// Lists leave out what nobody could read: a thing with a short name, week 54 and page 0. Each is in the log once.
func TestListsOfWhatCanBeRead(t *testing.T) {
	var log bytes.Buffer
	impl := ShapesImpl{Attic: Attic{}, Clock: &Clock{}, Shelf: Shelf{Things: []string{"x", "cup"}}}
	srv, err := NewShapesServer(impl, &mcp.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	c := mcptest.New(t, srv)
	var listed []string
	for range 2 {
		listed = listed[:0]
		for _, r := range c.List() {
			listed = append(listed, r.URI)
		}
	}
	for _, row := range []struct{ wrong, right string }{
		{"things:///x", "things:///cup"},
		{"reports:///week-2026-54.md", "reports:///week-2026-31.md"},
		{"things:///shelf/find?page=0", "things:///shelf/find?tag=a%20b&tag=c&page=2&exact=true"},
	} {
		if slices.Contains(listed, row.wrong) || !slices.Contains(listed, row.right) {
			t.Errorf("want %s and not %s in %q", row.right, row.wrong, listed)
		}
		if n := strings.Count(log.String(), row.wrong); n != 1 {
			t.Errorf("%s is in the log %d times:\n%s", row.wrong, n, &log)
		}
	}
}

// Watchers and typed methods report changes of the resource that they are called after.
func TestChangesOfOneResource(t *testing.T) {
	srv := newServer(t)
	c := mcptest.New(t, srv)
	week := c.Subscribe("reports:///week-2026-53.md")
	if got := week.Next(); got != "reports:///week-2026-53.md" {
		t.Errorf("the watcher reports %s", got)
	}
	clock := c.Subscribe("shapes:///time")
	clock.Next() // of the watcher, which ends
	srv.TimeUpdated()
	if got := clock.Next(); got != "shapes:///time" {
		t.Errorf("told of %s", got)
	}
}

// A reference says what the list shows of it.
func TestEntries(t *testing.T) {
	info := mcp.RefInfo{Title: "shown"}
	for _, row := range []struct {
		got       mcprt.Ref
		uri, name string
	}{
		{thingEntry(nil, ThingRef{Thing: "cup", RefInfo: info}), "things:///cup", "cup"},
		{weekEntry(nil, WeekRef{Year: 2026, Week: 12, RefInfo: info}), "reports:///week-2026-12.md", "2026/12"},
		{
			findEntry(nil, FindRef{Exact: true, All: new(false), Text: "x", Colour: 0xff, Rank: Low, RefInfo: info}),
			"things:///shelf/find?exact=true&all=false&text=x&colour=%230000ff&rank=1", "",
		},
		{findEntry(nil, FindRef{All: new(true), Colour: 0xffffff, RefInfo: info}), "things:///shelf/find", ""},
	} {
		if string(row.got.URI) != row.uri || row.got.Name != row.name || row.got.Info.Title != "shown" {
			t.Errorf("got %s, %+v, want %s", row.got.URI, row.got, row.uri)
		}
	}
}

// Every tool checks its arguments.
func TestArgumentsOfEveryTool(t *testing.T) {
	c := mcptest.New(t, newServer(t))
	for _, row := range []struct{ tool, args, want string }{
		{"describe.it", `{}`, "/id: is required"},
		{"describe.it", `{"id":"a","no":1}`, "/no: unknown argument\""},
		{"fail", `{}`, "/id: is required"},
		{"ping", `{"x":1}`, "/x"},
		{"exact", `{"x":1}`, "/x"},
	} {
		r := c.Call(row.tool, row.args)
		text := r.AppendJSON(nil, protocol.Latest)
		if r.IsError == nil || !*r.IsError || !strings.Contains(string(text), row.want) {
			t.Errorf("%s %s: got %s", row.tool, row.args, text)
		}
	}
}

// What a decoder would not read is written all the same, and a value that holds itself is an error.
func TestOddResults(t *testing.T) {
	odd := All{Raw: json.RawMessage("1"), Deep: map[string][]map[string]*Point{"k": {{"p": nil}}}}
	r, err := mcprt.EncodeStructured(encodeAll, &odd, nil)
	if want := `{"id":"","name":"","level":"","deep":{"k":[{"p":null}]},"raw":1}`; err != nil ||
		string(r.Structured) != want {
		t.Errorf("got %s, %v", r.Structured, err)
	}
	odd.Next = &odd
	if _, err := mcprt.EncodeStructured(encodeAll, &odd, nil); err == nil {
		t.Error("a value without an end is written")
	}
}
