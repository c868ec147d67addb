package suite_test

import (
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/generated/protocol/ext/tasks"
	"github.com/mcpgen/mcpgen/golden/jobs"
	"github.com/mcpgen/mcpgen/golden/search"
	"github.com/mcpgen/mcpgen/golden/suite/sheets"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

const (
	apps   = "io.modelcontextprotocol/ui"
	skills = "io.modelcontextprotocol/skills"
	own    = "com.example/search"
)

// told is what a server tells the client of c about itself.
type told struct {
	Capabilities struct {
		Extensions map[string]json.RawMessage
		Tasks      any
	}
}

// capabilities asks for them, in the way of a revision.
func capabilities(t *testing.T, c *mcptest.Client, rev protocol.Revision) (r told) {
	t.Helper()
	if protocol.HasMethod(rev, protocol.MethodServerDiscover) {
		c.Do(protocol.MethodServerDiscover, nil)
	}
	for _, line := range c.Transcript() {
		if _, text, ok := strings.Cut(line, `"result":`); ok && strings.Contains(text, `"capabilities":{`) {
			if err := json.Unmarshal([]byte(text[:len(text)-1]), &r); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			return r
		}
	}
	t.Fatal("nothing is declared")
	return r
}

// extensions are the identifiers of what is declared, tasks of the core among them.
func (r *told) extensions() string {
	var ids []string
	for id := range r.Capabilities.Extensions {
		ids = append(ids, id)
	}
	if r.Capabilities.Tasks != nil {
		ids = append(ids, tasks.ID)
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

// apart returns the extensions that are declared in a revision if those of ids are offered. Tasks are in two only.
func apart(rev protocol.Revision, ids ...string) string {
	ids = slices.Clone(ids)
	if !hasTasks(rev) {
		ids = slices.DeleteFunc(ids, func(id string) bool { return id == tasks.ID })
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

func hasTasks(rev protocol.Revision) bool {
	return rev == protocol.Revision20251125 || protocol.HasMethod(rev, protocol.MethodServerDiscover)
}

// tagged are choices of tags: of the server, and what those of the server with the page leave out.
var tagged = []struct {
	name               string
	only, except, page []string
	extensions         []string
	tools              string // those that name an app end in a star
}{
	{"all", nil, nil, nil, []string{apps, skills, own, tasks.ID}, "table.reload* table.show* totals* work"},
	{"basic tools", []string{"basic"}, nil, nil, []string{own}, "table.reload table.show totals"},
	{"skills", []string{"manual", "ops"}, nil, nil, []string{skills, own}, ""},
	{"one skill", []string{"ops"}, nil, nil, []string{skills, own}, ""},
	{"no skills", nil, []string{"manual", "ops"}, nil, []string{apps, own, tasks.ID},
		"table.reload* table.show* totals* work"},
	{"no page in a member", nil, nil, []string{"page"}, []string{skills, own, tasks.ID},
		"table.reload table.show totals work"},
}

// What tags leave out is not declared, and a tool goes on without an app that they leave out: by the tags of the whole,
// and by those of a member.
func TestTags(t *testing.T) {
	for _, test := range tagged {
		for _, rev := range mcp.Revisions() {
			t.Run(test.name+" "+rev.String(), func(t *testing.T) {
				opts := &mcp.Options{OnlyTags: test.only, ExceptTags: test.except, Logger: slog.New(slog.DiscardHandler)}
				srv := start(t, 0, opts, &mcp.Options{ExceptTags: test.page})
				c := mcptest.New(t, srv, append(slices.Clone(all), mcptest.WithRevision(rev))...)
				told := capabilities(t, c, rev)
				if got, want := told.extensions(), apart(rev, test.extensions...); got != want {
					t.Errorf("declared: %s\nwant %s", got, want)
				}
				want := test.tools
				if !hasMeta(rev) { // nor tools for apps only
					want = strings.TrimPrefix(strings.ReplaceAll(want, "*", ""), "table.reload ")
				}
				if got := toolsOf(c, rev); got != want {
					t.Errorf("tools: %s\nwant %s", got, want)
				}
				_, fault := c.Do("skills/list", nil)
				if serves := slices.Contains(test.extensions, skills); serves != (fault == nil) {
					t.Errorf("skills/list: %v", fault)
				}
				_, fault = c.Do("tasks/get", json.RawMessage(`{"taskId":"X"}`))
				serves := hasTasks(rev) && slices.Contains(test.extensions, tasks.ID)
				if serves != (mcptest.CodeOf(fault) == wire.CodeInvalidParams) {
					t.Errorf("tasks/get: %v", fault)
				}
				if strings.Contains(test.tools, "table.show") {
					c.Call("table.show", `{}`)
				}
			})
		}
	}
}

// hasMeta reports whether tools of a revision have the member in which they name an app.
func hasMeta(rev protocol.Revision) bool { return rev >= protocol.Revision20250618 }

// toolsOf are the names of the tools that c lists; those of the archive are one.
func toolsOf(c *mcptest.Client, rev protocol.Revision) string {
	result, fault := c.Do(protocol.MethodToolsList, nil)
	if fault != nil {
		return ""
	}
	var list struct {
		Tools []struct {
			Name string
			Meta map[string]json.RawMessage `json:"_meta"`
		}
	}
	if err := json.Unmarshal(result, &list); err != nil {
		return err.Error()
	}
	var names []string
	for _, tool := range list.Tools {
		name := tool.Name
		if strings.HasPrefix(name, "work.") {
			name = "work"
		}
		_, old := tool.Meta["ui/resourceUri"]
		if strings.Contains(string(tool.Meta["ui"]), "resourceUri") || old {
			name += "*"
		}
		if hasMeta(rev) && strings.HasSuffix(tool.Name, "reload") && !strings.Contains(string(tool.Meta["ui"]), `["app"]`) {
			name += " (for models)"
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " ")
}

// A server that is joined twice over offers the same under one more prefix, also where tags have changed a tool.
func TestJoinTwice(t *testing.T) {
	inner := start(t, 0, nil, &mcp.Options{ExceptTags: []string{"page"}})
	joined, err := mcprt.Join(&mcprt.Features{Info: protocol.Implementation{Name: "all", Version: "1.0.0"}}, nil,
		mcprt.Prefixed("all.", inner))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = joined.Close() })
	for _, rev := range mcp.Revisions() {
		c := mcptest.New(t, joined, append(slices.Clone(all), mcptest.WithRevision(rev))...)
		told := capabilities(t, c, rev)
		if got, want := told.extensions(), apart(rev, own, skills, tasks.ID); got != want {
			t.Errorf("%s declares %s, want %s", rev, got, want)
		}
		if got := c.CallText("all.work.count_words", `{}`); got != `{"documents":1,"words":4}` {
			t.Errorf("%s: count_words: %s", rev, got)
		}
		if strings.Contains(strings.Join(c.Transcript(), "\n"), `"taskId"`) != hasTasks(rev) {
			t.Errorf("%s: count_words is no task, or is one: %s", rev, c.Transcript())
		}
		for method, want := range map[string]string{
			"skills/list":              "skill://restart/SKILL.md",
			"com.example/search/query": `"name":"start"`,
		} {
			if got, fault := c.Do(method, json.RawMessage(`{"words":["sheets"]}`)); fault != nil ||
				!strings.Contains(string(got), want) {
				t.Errorf("%s: %s: %s %v", rev, method, got, fault)
			}
		}
		inner.EnableTool("table.show", false)
		if got := toolsOf(c, rev); strings.Contains(got, "table.show") || !strings.Contains(got, "all.totals") {
			t.Errorf("%s: switched off in the member: %s", rev, got)
		}
		inner.EnableTool("table.show", true)
		c.Call("all.table.show", `{}`)
	}
}

// The switch of a tool in a member is that of a joined server too whose tags leave out the app of the tool.
func TestSwitchWithoutApp(t *testing.T) {
	table, err := sheets.NewSheetsServer(sheets.SheetsImpl{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	joined, err := mcprt.Join(&mcprt.Features{Info: protocol.Implementation{Name: "all", Version: "1.0.0"}},
		&mcp.Options{ExceptTags: []string{"page"}}, table)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = joined.Close() })
	rev := protocol.Revision20250618
	for _, test := range []struct {
		server mcptest.Server
		want   [2]string
	}{{joined, [2]string{"reload show", "reload"}}, {table, [2]string{"reload* show*", "reload*"}}} {
		c := mcptest.New(t, test.server, append(slices.Clone(all), mcptest.WithRevision(rev))...)
		for i, on := range []bool{true, false} {
			table.EnableTool("show", on)
			if got := toolsOf(c, rev); got != test.want[i] {
				t.Errorf("show is on: %t, tools: %s, want %s", on, got, test.want[i])
			}
		}
	}
}

// Two servers with the same page or the same extension cannot be joined, and two with the same tasks can: each task
// runs the tool whose call it was.
func TestJoinSame(t *testing.T) {
	info := protocol.Implementation{Name: "two", Version: "1.0.0"}
	two := func(open func() (mcprt.Member, error)) (*mcp.Server, error) {
		t.Helper()
		a, err := open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := open()
		if err != nil {
			t.Fatal(err)
		}
		return mcprt.Join(&mcprt.Features{Info: info}, nil, mcprt.Prefixed("a.", a), mcprt.Prefixed("b.", b))
	}
	_, err := two(func() (mcprt.Member, error) { return sheets.NewSheetsServer(sheets.SheetsImpl{}, nil) })
	if err == nil || !strings.Contains(err.Error(), "two members serve ui://sheets/table") {
		t.Errorf("the same page: %v", err)
	}
	_, err = two(func() (mcprt.Member, error) {
		return search.NewSearchServer(search.SearchImpl{Index: search.NewIndex()}, nil)
	})
	if err == nil || !strings.Contains(err.Error(), `two members have an extension "com.example/search"`) {
		t.Errorf("the same extension: %v", err)
	}
	n := 0
	joined, err := two(func() (mcprt.Member, error) {
		n++
		words := jobs.Document{Name: "words", Text: strings.Repeat("word ", n)}
		s, err := jobs.NewJobsServer(jobs.JobsImpl{Archive: jobs.New(0, words)}, nil)
		t.Cleanup(func() { _ = s.Close() })
		return s, err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = joined.Close() })
	for _, rev := range mcp.Revisions() {
		c := mcptest.New(t, joined, mcptest.WithRevision(rev), mcptest.WithTasks())
		for tool, want := range map[string]string{"a.count_words": `"words":1`, "b.count_words": `"words":2`} {
			if got := c.CallText(tool, `{}`); !strings.Contains(got, want) {
				t.Errorf("%s: %s: %s", rev, tool, got)
			}
		}
	}
}
