package load

import (
	"cmp"
	"go/ast"
)

// comments are those of a declaration or a field: above it, or else behind it, and only behind it.
type comments struct{ doc, label *ast.CommentGroup }

// eachComment calls f for the names of the types, variables, constants and fields that a file declares outside of
// functions.
func eachComment(file *ast.File, f func(*ast.Ident, comments)) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			return false
		case *ast.Field:
			for _, id := range fieldNames(n) {
				f(id, comments{cmp.Or(n.Doc, n.Comment), n.Comment})
			}
		case *ast.GenDecl:
			eachSpecComment(n, f)
		}
		return true
	})
}

// eachSpecComment is eachComment for the names of one declaration. What stands above it is about its only spec.
func eachSpecComment(gen *ast.GenDecl, f func(*ast.Ident, comments)) {
	var above *ast.CommentGroup
	if len(gen.Specs) == 1 {
		above = gen.Doc
	}
	for _, spec := range gen.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			f(s.Name, comments{cmp.Or(s.Doc, above), s.Comment})
		case *ast.ValueSpec:
			for _, id := range s.Names {
				f(id, comments{cmp.Or(s.Doc, above, s.Comment), s.Comment})
			}
		}
	}
}

// fieldNames returns the names of a field; an embedded one is called like its type.
func fieldNames(field *ast.Field) []*ast.Ident {
	if len(field.Names) > 0 {
		return field.Names
	}
	if id := embeddedName(field.Type); id != nil {
		return []*ast.Ident{id}
	}
	return nil
}

func embeddedName(t ast.Expr) *ast.Ident {
	switch t := ast.Unparen(t).(type) {
	case *ast.Ident:
		return t
	case *ast.StarExpr:
		return embeddedName(t.X)
	case *ast.SelectorExpr:
		return t.Sel
	case *ast.IndexExpr:
		return embeddedName(t.X)
	case *ast.IndexListExpr:
		return embeddedName(t.X)
	}
	return nil
}
