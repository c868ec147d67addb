package importrules

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// protocolRoot is the import path of the generated packages of the protocol and of its extensions.
const protocolRoot = module + "/generated/protocol"

// Two structs of the protocol that are alike in one revision are not in the next, and then a conversion between them
// does not compile: hand-written code names the fields.
func TestNoConversionBetweenMessages(t *testing.T) {
	var paths []string
	for _, p := range load(t) {
		uses := func(path string) bool { return within(path, protocolRoot) }
		if slices.ContainsFunc(p.Imports, uses) {
			paths = append(paths, p.ImportPath)
		}
	}
	mode := packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
		packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo
	pkgs, err := packages.Load(&packages.Config{Mode: mode, Dir: root}, paths...)
	if err != nil || len(pkgs) < len(paths) {
		t.Fatalf("%d of %d packages: %v", len(pkgs), len(paths), err)
	}
	isMessage := func(p *types.Package) bool { return within(p.Path(), protocolRoot) }
	for _, p := range pkgs {
		if len(p.Errors) > 0 {
			t.Fatalf("%s: %v", p.PkgPath, p.Errors[0])
		}
		for _, file := range p.Syntax {
			for _, c := range conversions(file, p.TypesInfo, isMessage) {
				t.Errorf("%s: %s; write a literal with the fields", p.Fset.Position(c.pos), c.what)
			}
		}
	}
}

type conversion struct {
	pos  token.Pos
	what string
}

// conversions finds those from one struct, or pointer to one, of a package of messages to another one.
func conversions(file *ast.File, info *types.Info, isMessage func(*types.Package) bool) (out []conversion) {
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 || !info.Types[call.Fun].IsType() {
			return true
		}
		from, to := structOf(info.TypeOf(call.Args[0])), structOf(info.TypeOf(call.Fun))
		if from != nil && to != nil && from.Obj() != to.Obj() && (isMessage(from.Obj().Pkg()) || isMessage(to.Obj().Pkg())) {
			what := fmt.Sprintf("%s is converted to %s", from.Obj().Name(), to.Obj().Name())
			out = append(out, conversion{call.Pos(), what})
		}
		return true
	})
	return out
}

// structOf returns the struct type that t names or points to, or nil.
func structOf(t types.Type) *types.Named {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return nil
	}
	if _, ok := named.Underlying().(*types.Struct); !ok {
		return nil
	}
	return named
}

func TestConversionsAreFound(t *testing.T) {
	const text = `package p
type A struct{ X int }
type B struct{ X int }
type S string
var (
	a A
	_ = B(a)
	_ = (*B)(&a)
	_ = A(a)
	_ = S("x")
	_ = B{X: a.X}
)`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if _, err := (&types.Config{Importer: importer.Default()}).Check("p", fset, []*ast.File{file}, info); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range conversions(file, info, func(*types.Package) bool { return true }) {
		got = append(got, fmt.Sprint(fset.Position(c.pos).Line, " ", c.what))
	}
	if want := "7 A is converted to B, 8 A is converted to B"; strings.Join(got, ", ") != want {
		t.Errorf("found %s, want %s", strings.Join(got, ", "), want)
	}
}
