package directive

import (
	"bytes"
	"encoding/json"
	"errors"
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
	"reflect"
	"slices"
	"strings"
	"testing"
)

// stages are the packages that act on directives.
var stages = []string{"./internal/load", "./internal/serverir", "./internal/gen"}

const directivePath = "github.com/mcpgen/mcpgen/internal/directive"

// program type-checks packages from source; what they import comes from export data.
type program struct {
	fset  *token.FileSet
	files map[string][]string // by import path
	types types.Importer
}

func newProgram(t *testing.T) *program {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-export", "-deps",
		"-json=ImportPath,Dir,GoFiles,Export"}, stages...)...)
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	p := &program{fset: token.NewFileSet(), files: map[string][]string{}}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l struct {
			ImportPath, Dir, Export string
			GoFiles                 []string
		}
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[l.ImportPath] = l.Export
		for _, name := range l.GoFiles {
			p.files[l.ImportPath] = append(p.files[l.ImportPath], filepath.Join(l.Dir, name))
		}
	}
	p.types = importer.ForCompiler(p.fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data for %s", path)
		}
		return os.Open(exports[path])
	})
	return p
}

// check type-checks one package; edit may change its files.
func (p *program) check(t *testing.T, path string, edit func(src string) string) (*types.Package, *types.Info,
	[]*ast.File) {
	t.Helper()
	var files []*ast.File
	for _, name := range p.files[path] {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(p.fset, name, edit(string(src)), parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := &types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}, Defs: map[*ast.Ident]types.Object{}}
	pkg, err := (&types.Config{Importer: p.types}).Check(path, p.fset, files, info)
	if err != nil {
		t.Fatal(err)
	}
	return pkg, info, files
}

// forReaders are options that no stage needs, and why.
var forReaders = map[string]string{"Allow.Reason": "it is for whoever reads the source; that it is there is checked"}

// options are the fields of the structs of the table, as Struct.Field.
func options(pkg *types.Package) []string {
	var out []string
	for _, name := range pkg.Scope().Names() {
		s, ok := pkg.Scope().Lookup(name).Type().Underlying().(*types.Struct)
		if !ok {
			continue
		}
		for i := range s.NumFields() {
			if reflect.StructTag(s.Tag(i)).Get("option") != "" {
				out = append(out, name+"."+s.Field(i).Name())
			}
		}
	}
	return out
}

// selected adds the fields and methods of types of this package that a package selects.
func selected(info *types.Info, into map[string]bool) {
	for _, s := range info.Selections {
		obj := s.Obj()
		if f, ok := obj.(*types.Func); ok {
			into["method "+f.Name()] = true
			continue
		}
		if obj.Pkg() == nil || obj.Pkg().Path() != directivePath {
			continue
		}
		owner := s.Recv()
		for _, i := range s.Index()[:len(s.Index())-1] { // through embedded structs
			if ptr, ok := owner.Underlying().(*types.Pointer); ok {
				owner = ptr.Elem()
			}
			owner = owner.Underlying().(*types.Struct).Field(i).Type()
		}
		if ptr, ok := types.Unalias(owner).(*types.Pointer); ok {
			owner = ptr.Elem()
		}
		if named, ok := types.Unalias(owner).(*types.Named); ok {
			into[named.Obj().Name()+"."+obj.Name()] = true
		}
	}
}

// throughMethods adds the fields that methods of this package read, if the method is called elsewhere.
func throughMethods(info *types.Info, files []*ast.File, used map[string]bool) {
	for _, f := range files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || !fn.Name.IsExported() || !used["method "+fn.Name.Name] {
				continue
			}
			inside := &types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}}
			ast.Inspect(fn, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok && info.Selections[sel] != nil {
					inside.Selections[sel] = info.Selections[sel]
				}
				return true
			})
			selected(inside, used)
		}
	}
}

// unread are the options that no stage reads, if the source of this package is edited before.
func unread(t *testing.T, p *program, edit func(src string) string) []string {
	t.Helper()
	used := map[string]bool{}
	for path := range p.files {
		if strings.HasPrefix(path, "github.com/mcpgen/mcpgen/internal/") && path != directivePath &&
			!strings.HasSuffix(path, "/ir") {
			_, info, _ := p.check(t, path, func(src string) string { return src })
			selected(info, used)
		}
	}
	pkg, info, files := p.check(t, directivePath, edit)
	throughMethods(info, files, used)
	return slices.DeleteFunc(options(pkg), func(o string) bool { return used[o] || forReaders[o] != "" })
}

// TestEveryOptionIsRead shows by types that each option of each directive has a consumer in a later stage, so that
// nothing that the grammar takes is ignored; and that one without a consumer would be found.
func TestEveryOptionIsRead(t *testing.T) {
	p := newProgram(t)
	if left := unread(t, p, func(src string) string { return src }); len(left) > 0 {
		t.Fatalf("no stage reads %s: act on it", strings.Join(left, ", "))
	}
	extra := func(src string) string {
		return strings.Replace(src, "type Tool struct {", "type Tool struct {\n\tZzz String `option:\"zzz\"`", 1)
	}
	if left := unread(t, p, extra); !slices.Equal(left, []string{"Tool.Zzz"}) {
		t.Errorf("a field that nobody reads is not found: %q", left)
	}
}
