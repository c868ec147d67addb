package contract

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
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/dev/overlay"
)

// mention adds a line for each type of the called packages that t is made of. Structs are open: of those only the
// fields count that are named.
func (l *lister) mention(t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		l.mention(types.Unalias(t))
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			l.mention(arg)
		}
		l.named(t.Origin())
	case *types.Pointer:
		l.mention(t.Elem())
	case *types.Slice:
		l.mention(t.Elem())
	case *types.Array:
		l.mention(t.Elem())
	case *types.Map:
		l.mention(t.Key())
		l.mention(t.Elem())
	case *types.TypeParam:
		l.mention(t.Constraint())
	case *types.Tuple:
		for v := range t.Variables() {
			l.mention(v.Type())
		}
	case *types.Signature:
		for p := range t.TypeParams().TypeParams() {
			l.mention(p)
		}
		l.mention(t.Params())
		l.mention(t.Results())
	case *types.Interface:
		for m := range t.Methods() {
			l.mention(m.Signature())
		}
	}
}

func (l *lister) named(t *types.Named) {
	obj := t.Obj()
	if obj.Pkg() == nil || !slices.Contains(called, obj.Pkg().Path()) {
		return
	}
	what := types.TypeString(t.Underlying(), short)
	if _, ok := t.Underlying().(*types.Struct); ok {
		what = "struct"
	}
	line := fmt.Sprintf("type %s %s", types.TypeString(t, short), what)
	if l.lines[line] {
		return
	}
	l.lines[line] = true
	if what != "struct" {
		l.mention(t.Underlying())
	}
}

// checked is a package of golden/ with the types of its names.
type checked struct {
	fset    *token.FileSet
	info    *types.Info
	imports map[string]*types.Package
}

// generated reports whether a position is in our output.
func (c *checked) generated(pos token.Pos) bool {
	return strings.HasSuffix(c.fset.Position(pos).Filename, "mcp_gen.go")
}

// listed is a package as go list describes it.
type listed struct {
	ImportPath, Export, Dir string
	GoFiles                 []string
}

// cells is a package whose output is large enough for the parts that only large servers have.
const cells = module + "internal/dev/interop/testdata/cells"

// golden are the packages that checkGolden returns. The tests only read them.
var golden []*checked

// checkGolden type-checks the packages of golden/ that have output, those that are modules too, and cells, once for all
// tests.
func checkGolden(t *testing.T) []*checked {
	t.Helper()
	if golden != nil {
		return golden
	}
	interop := filepath.Join(root, "internal/dev/interop")
	o := overlay.Generate(t, interop, "./testdata/cells")
	list := append(listPackages(t, root, "./golden/..."), listPackages(t, interop, o.Flag, cells)...)
	mods, err := filepath.Glob(filepath.Join(root, "golden/*/go.mod"))
	if err != nil || len(mods) == 0 {
		t.Fatalf("no modules in golden: %v", err)
	}
	for _, mod := range mods {
		list = append(list, listPackages(t, filepath.Dir(mod), "./...")...)
	}
	exports := map[string]string{}
	var pkgs []listed
	for _, p := range list {
		exports[p.ImportPath] = p.Export
		wanted := p.ImportPath == cells || strings.HasPrefix(p.ImportPath, module+"golden/")
		if wanted && slices.Contains(p.GoFiles, "mcp_gen.go") {
			pkgs = append(pkgs, p)
		}
	}
	fset := token.NewFileSet()
	imp := &recorder{seen: map[string]*types.Package{}}
	imp.Importer = importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser,
		error) {
		return os.Open(exports[path])
	})
	var all []*checked
	for _, p := range pkgs {
		c := &checked{fset: fset, info: &types.Info{Uses: map[*ast.Ident]types.Object{}}, imports: imp.seen}
		var files []*ast.File
		for _, name := range p.GoFiles {
			name = filepath.Join(p.Dir, name)
			source, err := o.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			f, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		conf := types.Config{Importer: imp}
		if _, err := conf.Check(p.ImportPath, fset, files, c.info); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	golden = all
	return all
}

// listPackages lists packages and all that they import, compiled.
func listPackages(t *testing.T, dir string, args ...string) (list []listed) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go",
		append([]string{"list", "-export", "-deps", "-json=ImportPath,Export,Dir,GoFiles"}, args...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

// recorder remembers what was imported.
type recorder struct {
	types.Importer
	seen map[string]*types.Package
}

// Import implements types.Importer.
func (r *recorder) Import(path string) (*types.Package, error) {
	p, err := r.Importer.Import(path)
	if err == nil {
		r.seen[path] = p
	}
	return p, err
}
