package load

import (
	"go/ast"
	"go/token"

	"github.com/mcpgen/mcpgen/internal/directive"
)

// placesOf maps the comment groups of f that belong to something to what they
// belong to.
func placesOf(f *ast.File) map[*ast.CommentGroup]place {
	m := map[*ast.CommentGroup]place{}
	set := func(g *ast.CommentGroup, p place) {
		if g != nil {
			m[g] = p
		}
	}
	set(f.Doc, place{on: directive.OnPackage})
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			on := directive.OnFunc
			if d.Recv != nil {
				on = directive.OnMethod
			}
			set(d.Doc, place{on: on, node: d, ident: d.Name})
		case *ast.GenDecl:
			fieldPlaces(d, set)
			genPlaces(d, set)
		}
	}
	return m
}

// genPlaces handles import, const, type and var declarations. The comment above
// a parenthesised declaration counts for its spec if it has exactly one.
func genPlaces(d *ast.GenDecl, set func(*ast.CommentGroup, place)) {
	for _, spec := range d.Specs {
		p, doc, comment := specPlace(d.Tok, spec)
		set(doc, p)
		behind := p
		behind.trailing = true
		set(comment, behind)
		if len(d.Specs) == 1 {
			set(d.Doc, p)
		} else {
			set(d.Doc, place{on: directive.OnGroup, node: d})
		}
	}
}

func specPlace(tok token.Token, spec ast.Spec) (p place, doc, comment *ast.CommentGroup) {
	switch s := spec.(type) {
	case *ast.ImportSpec:
		return place{on: directive.OnImport, node: s}, s.Doc, s.Comment
	case *ast.TypeSpec:
		on := directive.OnNamed
		if _, ok := s.Type.(*ast.StructType); ok {
			on = directive.OnStruct
		}
		return place{on: on, node: s, ident: s.Name}, s.Doc, s.Comment
	case *ast.ValueSpec:
		on := directive.OnVar
		if tok == token.CONST {
			on = directive.OnConst
		}
		if len(s.Names) > 1 {
			on = directive.OnGroup
		}
		return place{on: on, node: s, ident: s.Names[0]}, s.Doc, s.Comment
	}
	return place{}, nil, nil
}

// fieldPlaces finds comments on struct fields and interface methods.
func fieldPlaces(d *ast.GenDecl, set func(*ast.CommentGroup, place)) {
	ast.Inspect(d, func(n ast.Node) bool {
		on := directive.OnField
		var fields *ast.FieldList
		switch n := n.(type) {
		case *ast.InterfaceType:
			on, fields = directive.OnMember, n.Methods
		case *ast.StructType:
			fields = n.Fields
		}
		if fields == nil {
			return true
		}
		for _, f := range fields.List {
			set(f.Doc, place{on: on, node: f})
			set(f.Comment, place{on: on, node: f})
		}
		return true
	})
}

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
		p, _, _ := specPlace(n.Tok, n.Specs[0])
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
