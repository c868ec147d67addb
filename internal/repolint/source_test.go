package repolint

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const root = "../.."

// source is one Go file of this module.
type source struct {
	path string // relative to the module
	text []byte
	tree *ast.File
	fset *token.FileSet
}

// generated reports whether a program wrote the file.
func (s *source) generated() bool { return ast.IsGenerated(s.tree) }

// test reports whether only tests see what the file declares.
func (s *source) test() bool { return strings.HasSuffix(s.path, "_test.go") }

// lines returns how many lines a node takes.
func (s *source) lines(n ast.Node) int {
	return s.fset.Position(n.End()).Line - s.fset.Position(n.Pos()).Line + 1
}

// skipped reports whether the Go files of a folder are not ours or belong to another module, but for adapters.
func skipped(dir string) bool {
	if slices.Contains([]string{"testdata", "node_modules", ".git"}, filepath.Base(dir)) {
		return true
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil && dir != root && filepath.Base(filepath.Dir(dir)) != "bus" &&
		filepath.Base(filepath.Dir(dir)) != "tasks"
}

// read reads all Go files of this module and of the adapters outside of testdata.
var read = sync.OnceValues(func() (list []*source, err error) {
	fset := token.NewFileSet()
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && skipped(name):
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go"):
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(fset, name, text, parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		list = append(list, &source{path: filepath.ToSlash(rel), text: text, tree: tree, fset: fset})
		return err
	})
	return list, err
})

func sources(t *testing.T) []*source {
	t.Helper()
	list, err := read()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 100 {
		t.Fatalf("only %d files found", len(list))
	}
	return list
}

func TestFormat(t *testing.T) {
	for _, s := range sources(t) {
		want, err := format.Source(s.text)
		if err != nil {
			t.Fatalf("%s: %v", s.path, err)
		}
		if !bytes.Equal(s.text, want) {
			t.Errorf("%s is not formatted", s.path)
		}
	}
}

func TestPackageDocs(t *testing.T) {
	docs := make(map[string]int)
	for _, s := range sources(t) {
		if s.test() {
			continue
		}
		dir := path.Dir(s.path)
		docs[dir] += 0
		if s.tree.Doc != nil {
			docs[dir]++
		}
	}
	for dir, n := range docs {
		if n != 1 {
			t.Errorf("%s has %d package comments, want 1", dir, n)
		}
	}
}
