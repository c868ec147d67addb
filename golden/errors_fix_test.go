package golden

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/output"
)

// fix is an exam of a case after the edits of one diagnostic.
type fix struct {
	*exam
	of     diag.Diagnostic
	before *exam
	wrong  []string // what the compiler says before
}

// fixes are the exams of the fixes of a case.
func (x *exam) fixes(t *testing.T) (out []*fix) {
	t.Helper()
	var wrong []string
	for i, d := range x.diags {
		if len(d.Edits) == 0 {
			continue
		}
		if d.Fix == "" {
			t.Errorf("%s: edits without a fix in words", said(d))
		}
		if len(out) == 0 {
			wrong = typeErrors(t, x.dir, nil)
		}
		name := fmt.Sprintf("%s %d", x.name, i)
		fixed := &exam{name: name, files: maps.Clone(x.files), patterns: x.patterns, module: "fixes"}
		if x.alone() {
			fixed.module = fixed.name
		}
		for _, e := range slices.Backward(d.Edits) {
			name := filepath.ToSlash(diag.RelPath(x.dir, e.File))
			text, ok := fixed.files[name]
			if !ok {
				t.Fatalf("%s: an edit of %s, which is not in the case", said(d), e.File)
			}
			fixed.files[name] = text[:e.Start] + e.New + text[e.End:]
		}
		out = append(out, &fix{fixed, d, x, wrong})
	}
	return out
}

// tryFixes applies all fixes, each to a copy of its case, and looks again.
func tryFixes(t *testing.T, fixes []*fix) {
	t.Helper()
	all := make([]*exam, len(fixes))
	for i, f := range fixes {
		all[i] = f.exam
	}
	examineAll(t, all)
	// Where mistakes are left in a module, nothing is generated for those without mistakes.
	clean := slices.DeleteFunc(all, func(x *exam) bool { return x.alone() || x.hasErrors() })
	for _, x := range clean {
		x.module = "clean"
	}
	examineAll(t, clean)
	for _, f := range fixes {
		t.Run(f.name, f.judge)
	}
}

// judge says what is wrong after a fix.
func (f *fix) judge(t *testing.T) {
	if f.hasErrors() != (len(f.outputs) == 0) {
		t.Errorf("%d outputs, and these diagnostics:\n%s", len(f.outputs), f.text)
	}
	for _, e := range typeErrors(t, f.dir, f.outputs) {
		if !slices.Contains(f.wrong, e) {
			t.Errorf("%s: its fix %+v does not compile: %s", said(f.of), f.of.Edits, e)
		}
	}
	if count(f.diags, said(f.of)) >= count(f.before.diags, said(f.of)) {
		t.Errorf("%s: still there after %+v", said(f.of), f.of.Edits)
	}
	for _, a := range f.diags {
		if a.Severity == diag.Error && count(f.before.diags, said(a)) == 0 {
			t.Errorf("%s: its fix %+v brings %s", said(f.of), f.of.Edits, said(a))
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
