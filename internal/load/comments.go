package load

import "go/ast"

// valueDoc returns the comment of a const or var spec.
func valueDoc(gen *ast.GenDecl, spec *ast.ValueSpec) *ast.CommentGroup {
	switch {
	case spec.Doc != nil:
		return spec.Doc
	case len(gen.Specs) == 1 && gen.Doc != nil:
		return gen.Doc
	}
	return spec.Comment
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

// firstOf returns the first comment that is not nil.
func firstOf(docs ...*ast.CommentGroup) *ast.CommentGroup {
	for _, d := range docs {
		if d != nil {
			return d
		}
	}
	return nil
}

// eachFieldName calls f for the names of a field; an embedded one is called like its type.
func eachFieldName(field *ast.Field, f func(*ast.Ident)) {
	if len(field.Names) == 0 {
		f(embeddedName(field.Type))
	}
	for _, id := range field.Names {
		f(id)
	}
}

// eachSpecName calls f for the names of a declaration with their comments.
func eachSpecName(gen *ast.GenDecl, f func(id *ast.Ident, doc, label *ast.CommentGroup)) {
	for _, spec := range gen.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			doc := s.Doc
			if doc == nil && len(gen.Specs) == 1 {
				doc = gen.Doc
			}
			f(s.Name, doc, s.Comment)
		case *ast.ValueSpec:
			for _, id := range s.Names {
				f(id, valueDoc(gen, s), s.Comment)
			}
		}
	}
}
