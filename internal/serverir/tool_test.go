package serverir

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
)

// fakeRuntime stands in for the runtime, so that loading does not compile it.
const fakeRuntime = `
-- go.mod --
module github.com/mcpgen/mcpgen

go 1.26.0
-- mcp/mcp.go --
package mcp

type ToolResult struct{ Text string }

type Call struct{}
`

// built is what became of one package.
type built struct {
	*ir.GoPackage
	out *diag.List
}

// toolsOf builds the features of package m, whose only file is src, beside other files of an archive.
func toolsOf(t *testing.T, src, others string) (*ir.GoPackage, *diag.List) {
	t.Helper()
	b := manyToolsOf(t, []string{src}, others)[0]
	return b.GoPackage, b.out
}

// manyToolsOf is toolsOf for several packages at once, because loading takes its time.
func manyToolsOf(t *testing.T, sources []string, others string) []built {
	t.Helper()
	dir := t.TempDir()
	files := txtar.Parse([]byte(fakeRuntime + others)).Files
	for i, src := range sources {
		files = append(files, txtar.File{Name: fmt.Sprintf("m%03d/m.go", i), Data: []byte(src)})
	}
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	res, err := load.Load(t.Context(), load.Config{Dir: dir, Patterns: []string{"./..."}, Stub: Stub})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Packages) != len(sources) {
		t.Fatalf("%d packages, want %d", len(res.Packages), len(sources))
	}
	all := make([]built, len(sources))
	for i, pkg := range slices.SortedFunc(slices.Values(res.Packages),
		func(x, y *load.Package) int { return strings.Compare(x.Dir, y.Dir) }) {
		out := new(diag.List)
		for _, d := range res.Diags.Sorted() {
			if filepath.Dir(d.Pos.File) == pkg.Dir {
				out.Add(d)
			}
		}
		p := Features(res, pkg, out)
		all[i] = built{p, described(out.AtLeast(diag.Warning))} // not the note about the server's name
	}
	return all
}

// described leaves out that the tools of the tests have no descriptions.
func described(all *diag.List) *diag.List {
	out := new(diag.List)
	for _, d := range all.Sorted() {
		if d.Code != "MCP609" {
			out.Add(d)
		}
	}
	return out
}

// said lists diagnostics with the source that they point to: "MCP403 `text`: message".
func said(out *diag.List, src string) string {
	lines := strings.Split(src, "\n")
	var b strings.Builder
	for _, d := range out.Sorted() {
		at := ""
		if strings.HasSuffix(d.Pos.File, "m.go") && d.Pos.Line > 0 {
			line := lines[d.Pos.Line-1]
			at = line[d.Pos.Col-1 : max(d.Pos.EndCol, d.Pos.Col+1)-1]
		}
		fmt.Fprintf(&b, "%s at %q: %s\n", d.Code, at, d.Message)
		for _, r := range d.Related {
			fmt.Fprintf(&b, "\trelated line %d: %s\n", r.Pos.Line, r.Message)
		}
	}
	return b.String()
}

const toolHead = `package m

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

var _ json.Number
var _ time.Time
var _ mcp.Call

type In struct{ A string }
`

// toolSignatures are functions with //mcp:tool: what each returns, and what mcpgen says of it.
var toolSignatures = []struct {
	sig  string
	want ir.ToolResultKind // 0 for a mistake
	says string
}{
	{"(ctx context.Context, in In) (string, error)", ir.ToolText, ""},
	{"(ctx context.Context, in *In) (Name, error)", ir.ToolText, ""},
	{"(ctx context.Context) (In, error)", ir.ToolStructured, ""},
	{"(ctx context.Context, c *mcp.Call, in In) (*In, error)", ir.ToolStructured, ""},
	{"(ctx context.Context, in In) (map[string]int, error)", ir.ToolStructured, ""},
	{"(ctx context.Context, in In) error", ir.ToolDone, ""},
	{"(ctx context.Context) (mcp.ToolResult, error)", ir.ToolRaw, ""},
	{"(ctx context.Context) (*mcp.ToolResult, error)", 0,
		"MCP401 at \"(*mcp.ToolResult, error)\": a tool returns (Out, error) or error; found (*mcp.ToolResult, error)"},
	{"(ctx context.Context) ([]In, error)", ir.ToolWrapped, ""},
	{"(ctx context.Context) (int, error)", ir.ToolWrapped, ""},
	{"(ctx context.Context) (*bool, error)", ir.ToolWrapped, ""},
	{"(ctx context.Context) (time.Time, error)", ir.ToolWrapped, ""},
	{"(ctx context.Context) (*time.Time, error)", ir.ToolWrapped, ""},
	{"(ctx context.Context) ([2]float64, error)", ir.ToolWrapped, ""},
	{"(ctx context.Context) (*map[string]int, error)", ir.ToolWrapped, ""},
	{"(ctx context.Context) ([]byte, error)", 0,
		"MCP401 at \"([]byte, error)\": a tool returns (Out, error) or error; found ([]byte, error)"},
	{"(ctx context.Context) (**In, error)", 0,
		"MCP401 at \"(**In, error)\": a tool returns (Out, error) or error; found (**In, error)"},
	{"(ctx context.Context) (complex128, error)", 0,
		"MCP401 at \"(complex128, error)\": a tool returns (Out, error) or error; found (complex128, error)"},
	{"(ctx context.Context) (any, error)", 0,
		"MCP401 at \"(any, error)\": a tool returns (Out, error) or error; found (any, error)"},
	{"(ctx context.Context) string", 0, "MCP401 at \"string\": a tool returns (Out, error) or error; found (string)"},
	{"(ctx context.Context)", 0, "MCP401 at \"Do\": a tool returns (Out, error) or error; found ()"},
	{"(in In) error", 0, "MCP401 at \"Do\": a tool takes a context.Context first"},
	{"(ctx context.Context, in ...In) error", 0, "MCP401 at \"Do\": a tool has no variable number of parameters"},
	{"(ctx context.Context, a string) error", ir.ToolDone, ""},
	{"(ctx context.Context, a, b In) error", ir.ToolDone, ""},
	{"(ctx context.Context, _ string, call *mcp.Call) error", ir.ToolDone,
		"MCP302 at \"_\": a parameter without a name stands for no argument"},
	{"(ctx context.Context, a int, f func()) error", ir.ToolDone,
		"MCP403 at \"func()\": `func()` cannot be read from JSON: it is a function"},
	{"(ctx context.Context, in struct{ A int }) error", ir.ToolDone,
		"MCP401 at \"struct{ A int }\": the struct of arguments needs a name; found struct{A int}"},
	{"(ctx context.Context, in Own) error", ir.ToolDone,
		"MCP401 at \"Own\": `Own` reads itself, so its arguments are not known"},
	{"[T any](ctx context.Context) error", 0, "MCP401 at \"Do\": a tool cannot have type parameters"},
	{"(ctx context.Context) (map[In]string, error)", ir.ToolStructured,
		"MCP403 at \"(map[In]string, error)\": `map[In]string` cannot be encoded as JSON: it is a map with keys of type `In`"},
	{"(ctx context.Context) (map[string][]func(), error)", ir.ToolStructured,
		"MCP403 at \"(map[string][]func(), error)\": `map[string][]func()` cannot be encoded as JSON: it holds a function"},
	{"(ctx context.Context) (Job, error)", ir.ToolStructured,
		"MCP403 at \"(Job, error)\": `Job` cannot be encoded as JSON: field Done is a channel\n\trelated line 27: the field"},
}

func TestToolSignatures(t *testing.T) {
	t.Attr("requirements", "tool-schema")
	const rest = `

type Name string

type Own struct{ time.Time }

type Job struct {
	Next *Job
	E    error
	Done chan bool
}
`
	var sources []string
	for _, tt := range toolSignatures {
		sources = append(sources, toolHead+"\n//mcp:tool\nfunc Do"+tt.sig+" { panic(0) }"+rest)
	}
	for i, p := range manyToolsOf(t, sources, "") {
		tt := toolSignatures[i]
		if got := strings.TrimSpace(said(p.out, sources[i])); got != tt.says {
			t.Errorf("%s:\n got %s\nwant %s", tt.sig, got, tt.says)
		}
		if got := p.Servers[0].Tools[0].Result; got != tt.want {
			t.Errorf("%s: result %d, want %d", tt.sig, got, tt.want)
		}
	}
}

func TestToolParams(t *testing.T) {
	src := toolHead + `
type S struct{}

// Find looks for
// things.
//
// At length.
//
//mcp:tool title=Finder readonly=false idempotent closed
//mcp:icon src=https://example.com/i.png
//mcp:meta com.example/a=b
func (s *S) Find(ctx context.Context, in *In, c *mcp.Call) error { return nil }

//mcp:tool name=list.things desc=Lists. open
func ListHTTPThings(ctx context.Context) error { return nil }

type T struct{}

//mcp:tool name=other
func (t T) Find(ctx context.Context, in In) error { return nil }
`
	p, out := toolsOf(t, src, "")
	if out.Len() > 0 {
		t.Fatal(said(out, src))
	}
	tools := p.Servers[0].Tools
	find, list, other := tools[0], tools[1], tools[2]
	if find.Name != "find" || find.Title != "Finder" || find.Description != "Looks for things.\n\nAt length." ||
		find.CallName != "callFind" {
		t.Errorf("find: %+v", find)
	}
	if k := find.Callee.Params; len(k) != 2 || k[0].Kind != ir.ParamArgs || k[0].Type.Kind != ir.GoPointer ||
		k[1].Kind != ir.ParamCall {
		t.Errorf("parameters of find: %+v", k)
	}
	if find.ReadOnly == nil || *find.ReadOnly || find.Destructive != nil || find.Idempotent == nil || !*find.Idempotent ||
		find.OpenWorld == nil || *find.OpenWorld {
		t.Error("hints of find")
	}
	if len(find.Icons) != 1 || len(find.Meta) != 1 {
		t.Errorf("icons %v, meta %v", find.Icons, find.Meta)
	}
	if list.Name != "list.things" || list.Description != "Lists." || list.Args != nil || list.OpenWorld == nil ||
		!*list.OpenWorld {
		t.Errorf("list: %+v", list)
	}
	if want := `{"type":"object","properties":{},"additionalProperties":false}`; list.InputSchema != want {
		t.Errorf("schema without arguments: %s", list.InputSchema)
	}
	if other.CallName != "callTFind" || other.Args != find.Args || len(p.Args) != 1 || find.Args.Decode != "decodeIn" {
		t.Errorf("other: %+v, %d decoders", other, len(p.Args))
	}
	if r := p.Servers[0].Receivers; len(r) != 2 || r[0].Field != "S" || !r[0].Pointer || r[1].Pointer ||
		len(p.Guards) != 3 {
		t.Errorf("receivers %+v, %d guards", r, len(p.Guards))
	}
}

func TestToolMistakes(t *testing.T) {
	tests := []struct{ name, src, says string }{
		{"name with a space", "//mcp:tool \"name=a b\"\nfunc A(ctx context.Context) error { return nil }",
			"MCP109 at \"a b\": `a b` is not a name for a tool: 1 to 128 of A-Z a-z 0-9 _ . -"},
		{"name from Go", "//mcp:tool\nfunc Größe(ctx context.Context) error { return nil }",
			"MCP109 at \"Größe\": `größe` is not a name for a tool: 1 to 128 of A-Z a-z 0-9 _ . -"},
		{"twice", "//mcp:tool\nfunc A(ctx context.Context) error { return nil }\n\n//mcp:tool name=a\nfunc B(ctx context.Context) error { return nil }",
			"MCP207 at \"a\": tool `a` is already declared by `A`\n\trelated line 18: declared here first"},
		{"hints", "//mcp:tool readonly destructive open closed\nfunc A(ctx context.Context) error { return nil }",
			"MCP604 at \"destructive\": `destructive` has no meaning with `readonly`\n\trelated line 17: the other one\n" +
				"MCP604 at \"closed\": `closed` contradicts `open`\n\trelated line 17: the other one"},
		{"modifiers", "//mcp:tool\n//mcp:cache ttl=1s\nfunc A(ctx context.Context) error { return nil }",
			"MCP108 at \"cache\": `cache` cannot stand on a tool"},
	}
	var sources []string
	for _, tt := range tests {
		sources = append(sources, toolHead+"\n"+tt.src+"\n")
	}
	for i, p := range manyToolsOf(t, sources, "") {
		tt := tests[i]
		if got := strings.TrimSpace(said(p.out, sources[i])); got != tt.says {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.says)
		}
	}
}
