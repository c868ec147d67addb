package golden

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/output"
)

// tryFix applies the edits of d, looks again, and undoes them.
func tryFix(t *testing.T, dir string, d diag.Diagnostic, before []diag.Diagnostic) {
	t.Helper()
	if len(d.Edits) == 0 {
		return
	}
	if d.Fix == "" {
		t.Errorf("%s: edits without a fix in words", said(d))
	}
	wrong := typeErrors(t, dir, nil)
	old := map[string][]byte{}
	for _, e := range slices.Backward(d.Edits) {
		text, err := os.ReadFile(e.File)
		if err != nil {
			t.Fatal(err)
		}
		if old[e.File] == nil {
			old[e.File] = text
		}
		write(t, e.File, string(text[:e.Start])+e.New+string(text[e.End:]))
	}
	fixed := pipeline(t, dir)
	for _, e := range typeErrors(t, dir, fixed.Files) {
		if !slices.Contains(wrong, e) {
			t.Errorf("%s: its fix %+v does not compile: %s", said(d), d.Edits, e)
		}
	}
	after := fixed.Diags.Sorted()
	for file, text := range old {
		write(t, file, string(text))
	}
	if count(after, said(d)) >= count(before, said(d)) {
		t.Errorf("%s: still there after %+v", said(d), d.Edits)
	}
	for _, a := range after {
		if a.Severity == diag.Error && count(before, said(a)) == 0 {
			t.Errorf("%s: its fix %+v brings %s", said(d), d.Edits, said(a))
		}
	}
}

// compiled imports what the compiler has built, for one check at a time.
var compiled struct {
	sync.Mutex
	fset *token.FileSet
	from types.Importer
}

// typeErrors are what the compiler says of the packages below dir with their outputs. A package without an output may
// use names that would be in it, so those are not told from others.
func typeErrors(t *testing.T, dir string, outputs []output.File) []string {
	t.Helper()
	compiled.Lock()
	defer compiled.Unlock()
	if compiled.from == nil {
		compiled.fset = token.NewFileSet()
		compiled.from = exportData(t, compiled.fset)
	}
	var said []string
	conf := types.Config{Importer: compiled.from, Error: func(err error) {
		if e, ok := err.(types.Error); ok && !e.Soft {
			said = append(said, e.Msg)
		}
	}}
	for _, folder := range foldersBelow(t, dir) {
		var files []*ast.File
		paths, _ := filepath.Glob(filepath.Join(folder, "*.go"))
		for _, path := range paths {
			if f, err := parser.ParseFile(compiled.fset, path, nil, parser.SkipObjectResolution); err == nil {
				files = append(files, f)
			}
		}
		for _, out := range outputs {
			if filepath.Dir(out.Path) == folder {
				f, err := parser.ParseFile(compiled.fset, out.Path, out.Data, parser.SkipObjectResolution)
				if err != nil {
					t.Fatal(err)
				}
				files = append(files, f)
			}
		}
		_, _ = conf.Check("example.com/m", compiled.fset, files, nil) // said has the errors
	}
	return said
}

func foldersBelow(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
