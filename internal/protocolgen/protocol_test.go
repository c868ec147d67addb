package protocolgen

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/internal/output"
)

// committed lists the facts files of the checkout, oldest first.
func committed(t *testing.T) []SchemaFile {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", "schema", "????-??-??.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no facts: %v", err)
	}
	var out []SchemaFile
	for _, p := range paths {
		out = append(out, SchemaFile{Path: p})
	}
	return out
}

func generate(t *testing.T, schemas ...SchemaFile) ([]output.File, []error) {
	t.Helper()
	r, err := Generate(Options{Schemas: schemas, Package: "protocol"})
	if err != nil {
		t.Fatal(err)
	}
	return r.Files, r.Warnings
}

// typeChecker checks generated packages; the packages that they import are read once.
type typeChecker struct {
	fset *token.FileSet
	imp  types.Importer
}

func newTypeChecker(t testing.TB) *typeChecker {
	t.Helper()
	exports, err := exportData()
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	return &typeChecker{fset, importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("package protocol does not import %s", path)
		}
		return os.Open(exports[path])
	})}
}

// exportData returns the files of what the compiler has built of the packages that package protocol imports.
var exportData = sync.OnceValues(func() (map[string]string, error) {
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}",
		"../../generated/protocol").Output()
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return files, nil
})

func (c *typeChecker) check(files []output.File) (*types.Package, error) {
	var parsed []*ast.File
	for _, f := range files {
		file, err := parser.ParseFile(c.fset, f.Path, f.Data, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, file)
	}
	conf := types.Config{Importer: c.imp}
	return conf.Check("protocol", c.fset, parsed, nil)
}

// TestOutputIsCommitted expects generated/protocol to be what the committed schemas give.
func TestOutputIsCommitted(t *testing.T) {
	dir := filepath.Join("..", "..", "generated", "protocol")
	r, err := Generate(Options{Dir: dir, Package: "protocol", API: "schema/api.json"})
	if err != nil || len(r.Warnings) > 0 {
		t.Fatal(err, r)
	}
	if r.Record != nil {
		t.Errorf("%s is stale; run go generate ./schema", r.Record.Path)
	}
	files := r.Files
	for _, x := range r.Extensions {
		files = append(files, x.Files...)
	}
	if len(r.Extensions) == 0 {
		t.Error("no package of an extension")
	}
	changes, err := output.Compare(output.Disk{}, files, "*_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		t.Errorf("%s is %s; run go generate ./schema", c.Path, c.What())
	}
}

// TestSameOutput expects the same bytes from the embedded facts, from the files, and in any order.
func TestSameOutput(t *testing.T) {
	all := committed(t)
	want, _ := generate(t)
	got, _ := generate(t, all...)
	if d := compare(want, got); d != "" {
		t.Errorf("files differ from the embedded facts: %s", d)
	}
	for i, j := 0, len(all)-1; i < j; i, j = i+1, j-1 {
		all[i], all[j] = all[j], all[i]
	}
	got, _ = generate(t, all...)
	if d := compare(want, got); d != "" {
		t.Errorf("the order of files matters: %s", d)
	}
}

func compare(a, b []output.File) string {
	if len(a) != len(b) {
		return fmt.Sprintf("%d and %d files", len(a), len(b))
	}
	for i := range a {
		if a[i].Path != b[i].Path || string(a[i].Data) != string(b[i].Data) {
			return a[i].Path + " " + b[i].Path
		}
	}
	return ""
}

// TestUnknownRevision generates from a schema that has what no revision had before.
func TestUnknownRevision(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "2099-01-02.json"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "2099-01-02.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	checker := newTypeChecker(t)
	for name, schemas := range map[string][]SchemaFile{
		"alone":     {{Path: path}},
		"with all":  append(committed(t), SchemaFile{Path: path}),
		"as oldest": append(committed(t), SchemaFile{Path: path, Revision: "2001-01-01"}),
	} {
		files, _ := generate(t, schemas...)
		if _, err := checker.check(files); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRevisionThatChangesNothing adds the newest revision once more under another date. Only the file that lists the
// revisions differs: what a revision does not touch stays as it is.
func TestRevisionThatChangesNothing(t *testing.T) {
	all := committed(t)
	before, _ := generate(t, all...)
	newest := all[len(all)-1]
	after, _ := generate(t, append(all, SchemaFile{Path: newest.Path, Revision: "2099-01-01"})...)
	if len(before) != len(after) {
		t.Fatalf("%d files become %d", len(before), len(after))
	}
	for i := range after {
		if same := string(before[i].Data) == string(after[i].Data); same != (after[i].Path != "revision_gen.go") {
			t.Errorf("%s: same as before: %v", after[i].Path, same)
		}
	}
}
