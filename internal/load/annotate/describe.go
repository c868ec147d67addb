package annotate

import (
	"go/ast"

	"github.com/mcpgen/mcpgen/internal/directive"
)

// describe names a declaration as its first line would.
func describe(n ast.Node, on directive.Target) string {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if n.Recv == nil || len(n.Recv.List) == 0 {
			return "func " + n.Name.Name
		}
		recv := ""
		if names := n.Recv.List[0].Names; len(names) > 0 {
			recv = names[0].Name + " "
		}
		name, pointer := receiver(n)
		if pointer {
			name = "*" + name
		}
		return "func (" + recv + name + ") " + n.Name.Name
	case *ast.GenDecl:
		if len(n.Specs) != 1 {
			return "the " + n.Tok.String() + " group"
		}
		p, _, _ := specOwner(n.Tok, n.Specs[0])
		return describe(p.node, p.on)
	case *ast.TypeSpec:
		return "type " + n.Name.Name
	case *ast.ValueSpec:
		if on == directive.OnConst {
			return "const " + n.Names[0].Name
		}
		return "var " + n.Names[0].Name
	case *ast.ImportSpec:
		return "import " + n.Path.Value
	}
	return "the declaration"
}

// receiver returns the name of the receiver's type.
func receiver(f *ast.FuncDecl) (name string, pointer bool) {
	if len(f.Recv.List) == 0 {
		return "", false
	}
	t := ast.Unparen(f.Recv.List[0].Type)
	if star, ok := t.(*ast.StarExpr); ok {
		pointer = true
		t = ast.Unparen(star.X)
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	if id, ok := t.(*ast.Ident); ok {
		name = id.Name
	}
	return name, pointer
}
