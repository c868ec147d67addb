package repolint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

func TestExportedDocs(t *testing.T) {
	for _, s := range sources(t) {
		if s.generated() || s.test() || s.tree.Name.Name == "main" {
			continue
		}
		for _, name := range undocumented(s.tree) {
			t.Errorf("%s: %s has no doc comment", s.path, name)
		}
	}
}

// undocumented returns the exported identifiers of a file that have no doc comment. Within a group
// of constants or variables the comment of the group or of the line will do.
func undocumented(f *ast.File) []string {
	var names []string
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && receiverExported(d) && d.Doc == nil {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				names = append(names, undocumentedIn(d, spec)...)
			}
		}
	}
	return names
}

// receiverExported reports whether a reader of the documentation sees d, if it is exported itself.
func receiverExported(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	for {
		switch t := typ.(type) {
		case *ast.StarExpr:
			typ = t.X
		case *ast.IndexExpr:
			typ = t.X
		case *ast.IndexListExpr:
			typ = t.X
		case *ast.Ident:
			return t.IsExported()
		default:
			return false
		}
	}
}

// undocumentedIn is undocumented for one part of a declaration.
func undocumentedIn(d *ast.GenDecl, spec ast.Spec) []string {
	var names []string
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if spec.Name.IsExported() && d.Doc == nil && spec.Doc == nil && spec.Comment == nil {
			names = append(names, spec.Name.Name)
		}
	case *ast.ValueSpec:
		documented := d.Doc != nil || spec.Doc != nil || spec.Comment != nil
		for _, id := range spec.Names {
			if id.IsExported() && !documented {
				names = append(names, d.Tok.String()+" "+id.Name)
			}
		}
	}
	return names
}

func TestUndocumented(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", `package p
const A = 1
// B and C are documented together.
const (
	B = 1
	C = 2
)
type T struct{}
// D is documented.
func D() {}
func (t *T) E() {}
func (t *u) F() {}
func (t *T[A]) G() {}
func h() {}
`, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(undocumented(f), " "), "const A T E G"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
