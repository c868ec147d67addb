package load

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
)

// Constant is one declared constant of a named type.
type Constant struct {
	Name  string
	Value constant.Value
	// Doc is the comment above the constant, or else the one behind it. It is
	// empty for packages of the standard library.
	Doc string
	// Label is the comment behind the constant, also if there is one above.
	Label string
	Obj   *types.Const
}

// Constants returns the package-level constants of the named type tn, in order
// of declaration: files by name, then position. Only exported ones are visible
// in packages that were not loaded from source.
func (r *Result) Constants(tn *types.TypeName) []Constant {
	if p := r.PackageOf(tn); p != nil {
		return p.constants(tn.Type())
	}
	if tn.Pkg() == nil {
		return nil
	}
	var out []Constant
	scope := tn.Pkg().Scope()
	for _, name := range scope.Names() {
		c, ok := scope.Lookup(name).(*types.Const)
		if ok && c.Exported() && types.Identical(c.Type(), tn.Type()) {
			doc := r.foreignDoc(c)
			out = append(out, Constant{Name: name, Value: c.Val(), Doc: doc.doc.Text(),
				Label: strings.TrimSpace(doc.label.Text()), Obj: c})
		}
	}
	slices.SortStableFunc(out, func(a, b Constant) int {
		p, q := r.Fset.Position(a.Obj.Pos()), r.Fset.Position(b.Obj.Pos())
		return cmp.Or(cmp.Compare(p.Filename, q.Filename), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
	})
	return out
}

func (p *Package) constants(t types.Type) []Constant {
	var out []Constant
	for _, f := range p.Files {
		for _, d := range f.AST.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok || gen.Tok != token.CONST {
				continue
			}
			for _, spec := range gen.Specs {
				out = append(out, p.specConstants(gen, spec.(*ast.ValueSpec), t)...)
			}
		}
	}
	return out
}

func (p *Package) specConstants(gen *ast.GenDecl, spec *ast.ValueSpec, t types.Type) []Constant {
	var out []Constant
	for _, id := range spec.Names {
		c, ok := p.Info.Defs[id].(*types.Const)
		if ok && id.Name != "_" && types.Identical(c.Type(), t) {
			out = append(out, Constant{Name: id.Name, Value: c.Val(), Doc: valueDoc(gen, spec).Text(),
				Label: strings.TrimSpace(spec.Comment.Text()), Obj: c})
		}
	}
	return out
}

// Doc returns the doc comment, without directives, of a type, function,
// variable, constant, method or struct field. For a field the comment behind it
// counts if there is none above. It is empty for objects of the standard
// library, whose comments depend on the version of Go.
func (r *Result) Doc(obj types.Object) string {
	p := r.PackageOf(obj)
	if p == nil {
		return strings.TrimSpace(r.foreignDoc(obj).doc.Text())
	}
	if p.docs == nil {
		p.docs = map[types.Object]*ast.CommentGroup{}
		for _, f := range p.Files {
			ast.Inspect(f.AST, p.collectDoc)
		}
	}
	if v, ok := obj.(*types.Var); ok {
		obj = v.Origin()
	}
	return strings.TrimSpace(p.docs[obj].Text())
}

func (p *Package) collectDoc(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return false
	case *ast.FuncDecl:
		p.docs[p.Info.Defs[n.Name]] = n.Doc
	case *ast.Field:
		p.fieldDoc(n)
	case *ast.GenDecl:
		for _, spec := range n.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				p.docs[p.Info.Defs[s.Name]] = s.Doc
				if s.Doc == nil && len(n.Specs) == 1 {
					p.docs[p.Info.Defs[s.Name]] = n.Doc
				}
			case *ast.ValueSpec:
				for _, id := range s.Names {
					p.docs[p.Info.Defs[id]] = valueDoc(n, s)
				}
			}
		}
	}
	return true
}

// fieldDoc notes the comment of a field; an embedded one is defined by the name
// of its type.
func (p *Package) fieldDoc(f *ast.Field) {
	doc := f.Doc
	if doc == nil {
		doc = f.Comment
	}
	names := f.Names
	if len(names) == 0 {
		if id := embeddedName(f.Type); id != nil {
			names = []*ast.Ident{id}
		}
	}
	for _, id := range names {
		if obj := p.Info.Defs[id]; obj != nil {
			p.docs[obj] = doc
		}
	}
}

// IsEnum reports whether an enum directive limits the named type tn to its constants.
func (r *Result) IsEnum(tn *types.TypeName) bool {
	p := r.PackageOf(tn)
	if p == nil {
		doc := r.foreignDoc(tn).doc
		return doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool { return c.Text == "//mcp:enum" })
	}
	if p.enums == nil {
		p.enums = map[types.Object]bool{}
		for _, d := range p.Decls {
			if d.Primary != nil && !d.Primary.Bad {
				_, enum := d.Primary.Spec.(*directive.EnumOf)
				p.enums[d.Obj] = p.enums[d.Obj] || enum
			}
		}
	}
	return p.enums[tn]
}
