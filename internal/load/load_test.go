package load

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
)

var update = flag.Bool("update", false, "rewrite the want sections of testdata")

// refStub predicts the one kind of name that the tests need: XRef for every
// resource X.
func refStub(p *Package) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n", p.Name)
	for _, d := range p.Decls {
		if d.Primary != nil && d.Primary.Name == "resource" {
			fmt.Fprintf(&b, "type %sRef struct{}\nfunc %sURI() string\n", d.Name, d.Name)
		}
	}
	return []byte(b.String())
}

// unpack writes the files of an archive, with a go.mod if it has none, and
// returns the directory.
func unpack(t testing.TB, files []txtar.File) string {
	t.Helper()
	dir := t.TempDir()
	hasMod := false
	for _, f := range files {
		if f.Name == "want" {
			continue
		}
		hasMod = hasMod || f.Name == "go.mod" || f.Name == "go.work"
		write(t, filepath.Join(dir, f.Name), string(f.Data))
	}
	if !hasMod {
		write(t, filepath.Join(dir, "go.mod"), "module example.com/m\n\ngo 1.26.0\n")
	}
	return dir
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func archive(text string) []txtar.File { return txtar.Parse([]byte(text)).Files }

// load unpacks an archive and loads ./... with refStub.
func load(t testing.TB, text string, patterns ...string) *Result {
	t.Helper()
	return loadDir(t, unpack(t, archive(text)), patterns...)
}

func loadDir(t testing.TB, dir string, patterns ...string) *Result {
	t.Helper()
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	r, err := Load(t.Context(), Config{Dir: dir, Patterns: patterns, Stub: refStub})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func printed(t testing.TB, r *Result, dir string) string {
	t.Helper()
	var b strings.Builder
	p := diag.Printer{Dir: dir, Source: r.Source}
	if err := p.Print(&b, &r.Diags); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func clean(t testing.TB, r *Result) *Result {
	t.Helper()
	if s := printed(t, r, ""); s != "" {
		t.Fatalf("diagnostics:\n%s", s)
	}
	return r
}

func pkg(t testing.TB, r *Result, path string) *Package {
	t.Helper()
	for _, p := range r.Packages {
		if p.Path == path {
			return p
		}
	}
	t.Fatalf("no package %s", path)
	return nil
}

func decl(t testing.TB, p *Package, name string) *Decl {
	t.Helper()
	for _, d := range p.Decls {
		if d.Name == name {
			return d
		}
	}
	t.Fatalf("no declaration %s", name)
	return nil
}

// TestErrors compares the printed diagnostics of every archive below
// testdata/errors with its want section.
func TestErrors(t *testing.T) {
	paths, err := filepath.Glob("testdata/errors/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no error cases", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			ar, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			dir := unpack(t, ar.Files)
			var patterns []string
			if _, named, ok := strings.Cut(string(ar.Comment), "Patterns: "); ok {
				patterns = strings.Fields(named)
			}
			got := printed(t, loadDir(t, dir, patterns...), dir)
			want := &ar.Files[len(ar.Files)-1]
			if want.Name != "want" {
				t.Fatal("the last file must be want")
			}
			if *update {
				want.Data = []byte(got)
				write(t, path, string(txtar.Format(ar)))
			} else if got != string(want.Data) {
				t.Errorf("got\n%swant\n%s", got, want.Data)
			}
			if code := strings.ToUpper(filepath.Base(path)[:6]); !strings.Contains(got, code) {
				t.Errorf("%s is not reported", code)
			}
		})
	}
}

// TestEverySyntaxCodeHasACase keeps the error cases complete. MCP804 comes from later stages (golden/errors).
func TestEverySyntaxCodeHasACase(t *testing.T) {
	for _, c := range diag.Codes() {
		if c.ID > "MCP199" && c.ID < "MCP805" || c.ID > "MCP806" {
			continue
		}
		if m, _ := filepath.Glob("testdata/errors/" + strings.ToLower(c.ID) + "_*.txtar"); len(m) == 0 {
			t.Errorf("%s has no case", c.ID)
		}
	}
}

// declModel has one declaration of each kind.
const declModel = `
-- a.go --
// Package m serves notes.
//
//mcp:server name=notes
//mcp:cache ttl=30s
package m

import (
	"context"
	_ "embed"
)

// Server is the receiver.
//
//mcp:cache scope=public
type Server struct{ broken NotDefined }

// Note returns a note.
//
//mcp:resource uri=notes:///{name} list=none
//mcp:var name param=n
func (s *Server) Note(ctx context.Context, n string) (string, error) {
	return undefined(ctx)
}

//go:embed readme.md other.md
//mcp:resource uri=notes:///readme
//mcp:icon src=https://example.com/a.png
//mcp:icon src=https://example.com/b.png
var Readme string

const greeting = "hel" + "lo"

//mcp:resource uri=notes:///raw
var Raw = []byte(greeting)

//mcp:resource uri=notes:///computed
var Computed = compute()

func compute() string { return "" }

type (
	// Level is how loud.
	//
	//mcp:enum
	Level string
)
-- readme.md --
-- other.md --
-- b_test.go --
package m

//mcp:nonsense
func helper() {}
`

func TestDeclModel(t *testing.T) {
	r := clean(t, load(t, declModel))
	p := pkg(t, r, "example.com/m")
	var got []string
	for _, d := range p.Decls {
		prim := "-"
		if d.Primary != nil {
			prim = d.Primary.Name
		}
		got = append(got, fmt.Sprintf("%s|%s|%s|%d", d.Kind, d, prim, len(d.Directives)))
	}
	want := []string{
		"package doc|package comment|server|2",
		"struct|type Server|-|1",
		"method|func (s *Server) Note|resource|2",
		"var|var Readme|resource|3",
		"var|var Raw|resource|1",
		"var|var Computed|resource|1",
		"named type|type Level|enum|1",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("declarations\n%s", strings.Join(got, "\n"))
	}
	note := decl(t, p, "Note")
	if note.Recv != "Server" || !note.RecvPointer || note.Doc != "Note returns a note.\n" || note.Obj == nil {
		t.Errorf("note %+v", note)
	}
	if s := note.Obj.Type().String(); s != "func(ctx context.Context, n string) (string, error)" {
		t.Errorf("note has type %s", s)
	}
	if v := Refinements[*directive.Var](note); len(v) != 1 || v[0].Param.V != "n" {
		t.Errorf("modifiers %v", v)
	}
	readme := decl(t, p, "Readme")
	if len(readme.Embed) != 2 || readme.Embed[0].Text != "readme.md" || readme.Embed[1].Text != "other.md" ||
		len(Refinements[*directive.Icon](readme)) != 2 {
		t.Errorf("readme %+v", readme)
	}
	if d := decl(t, p, "Raw"); d.Text != "hello" || !d.HasText {
		t.Errorf("raw text %q %v", d.Text, d.HasText)
	}
	if d := decl(t, p, "Computed"); d.HasText {
		t.Errorf("computed text %q", d.Text)
	}
}

// constantsAndDocs has constants and comments in all places where they may stand.
const constantsAndDocs = `
-- a/a.go --
package a

import (
	"context"
	"time"

	"example.com/m/lib"
)

// Level is how loud.
//
//mcp:enum
type Level int

const (
	// Loud is loud.
	Loud Level = iota + 1
	_
	Quiet // Quiet is not.
	other = 7
)

// Off is nothing.
const Off Level = 0

// In is what goes in.
type In struct {
	// Name is a name.
	Name string
	Size int // Size is a size.
	// Inner is embedded.
	lib.Inner
}

//mcp:tool
func Run(ctx context.Context, in In, m time.Month) (string, error) { return "", nil }
-- lib/lib.go --
package lib

type Inner struct{}
`

func TestConstantsAndDocs(t *testing.T) {
	r := clean(t, load(t, constantsAndDocs, "./a"))
	p := pkg(t, r, "example.com/m/a")
	scope := p.Types.Scope()
	var got []string
	for _, c := range r.Constants(decl(t, p, "Level").Obj.(typeName)) {
		got = append(got, fmt.Sprintf("%s=%s %q", c.Name, c.Value, c.Doc))
	}
	if s := strings.Join(got,
		", "); s != `Loud=1 "Loud is loud.\n", Quiet=3 "Quiet is not.\n", Off=0 "Off is nothing.\n"` {
		t.Errorf("constants %s", s)
	}
	in := scope.Lookup("In")
	st := structOf(in)
	for i, want := range []string{"Name is a name.", "Size is a size.", "Inner is embedded."} {
		if got := r.Doc(st.Field(i)); got != want {
			t.Errorf("field %d has doc %q", i, got)
		}
	}
	if got := r.Doc(in); got != "In is what goes in." {
		t.Errorf("type has doc %q", got)
	}
	month := paramType(scope.Lookup("Run"), 2)
	consts := r.Constants(month)
	if len(consts) != 12 || consts[0].Name != "January" || consts[11].Name != "December" {
		t.Errorf("months %v", consts)
	}
}
