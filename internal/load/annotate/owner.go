package annotate

import (
	"go/ast"
	"go/token"

	"github.com/mcpgen/mcpgen/internal/directive"
)

// owner is the declaration to which a comment group belongs.
type owner struct {
	on    directive.Target
	node  ast.Node
	ident *ast.Ident
	// trailing marks a comment behind its declaration on the same line.
	trailing bool
}

// ownersOf returns the declaration that each comment group of f belongs to, if there is one.
func ownersOf(f *ast.File) map[*ast.CommentGroup]owner {
	m := map[*ast.CommentGroup]owner{}
	set := func(g *ast.CommentGroup, p owner) {
		if g != nil {
			m[g] = p
		}
	}
	set(f.Doc, owner{on: directive.OnPackage})
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			on := directive.OnFunc
			if d.Recv != nil {
				on = directive.OnMethod
			}
			set(d.Doc, owner{on: on, node: d, ident: d.Name})
		case *ast.GenDecl:
			fieldOwners(d, set)
			genOwners(d, set)
		}
	}
	return m
}

// genOwners handles import, const, type and var declarations. The comment above
// a parenthesised declaration counts for its spec if it has exactly one.
func genOwners(d *ast.GenDecl, set func(*ast.CommentGroup, owner)) {
	for _, spec := range d.Specs {
		p, doc, comment := specOwner(d.Tok, spec)
		set(doc, p)
		behind := p
		behind.trailing = true
		set(comment, behind)
		if len(d.Specs) == 1 {
			set(d.Doc, p)
		} else {
			set(d.Doc, owner{on: directive.OnGroup, node: d})
		}
	}
}

func specOwner(tok token.Token, spec ast.Spec) (p owner, doc, comment *ast.CommentGroup) {
	switch s := spec.(type) {
	case *ast.ImportSpec:
		return owner{on: directive.OnImport, node: s}, s.Doc, s.Comment
	case *ast.TypeSpec:
		on := directive.OnNamed
		if _, ok := s.Type.(*ast.StructType); ok {
			on = directive.OnStruct
		}
		return owner{on: on, node: s, ident: s.Name}, s.Doc, s.Comment
	case *ast.ValueSpec:
		on := directive.OnVar
		if tok == token.CONST {
			on = directive.OnConst
		}
		if len(s.Names) > 1 {
			on = directive.OnGroup
		}
		return owner{on: on, node: s, ident: s.Names[0]}, s.Doc, s.Comment
	}
	return owner{}, nil, nil
}

// fieldOwners finds comments on struct fields and interface methods.
func fieldOwners(d *ast.GenDecl, set func(*ast.CommentGroup, owner)) {
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
			set(f.Doc, owner{on: on, node: f})
			set(f.Comment, owner{on: on, node: f})
		}
		return true
	})
}
