package load

import (
	"cmp"
	"go/ast"
	"go/constant"
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
	if tn.Pkg() == nil {
		return nil
	}
	var out []Constant
	p, scope := r.PackageOf(tn), tn.Pkg().Scope()
	for _, name := range scope.Names() {
		c, ok := scope.Lookup(name).(*types.Const)
		if !ok || !types.Identical(c.Type(), tn.Type()) || p == nil && !c.Exported() || p != nil && p.Generated(c) {
			continue
		}
		about := r.comments(c)
		out = append(out, Constant{Name: name, Value: c.Val(), Doc: about.doc.Text(),
			Label: strings.TrimSpace(about.label.Text()), Obj: c})
	}
	slices.SortStableFunc(out, func(a, b Constant) int {
		p, q := r.Fset.PositionFor(a.Obj.Pos(), false), r.Fset.PositionFor(b.Obj.Pos(), false)
		return cmp.Or(cmp.Compare(p.Filename, q.Filename), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
	})
	return out
}

// Doc returns the doc comment, without directives, of a type, variable, constant or struct field. For a variable, a
// constant and a field the comment behind it counts if there is none above. It is empty for objects of the standard
// library, whose comments depend on the version of Go.
func (r *Result) Doc(obj types.Object) string { return strings.TrimSpace(r.comments(obj).doc.Text()) }

func (r *Result) comments(obj types.Object) comments {
	p := r.PackageOf(obj)
	if p == nil {
		return r.foreignComments(obj)
	}
	if p.comments == nil {
		p.comments = map[types.Object]comments{}
		for _, f := range p.Files {
			eachComment(f.AST, func(id *ast.Ident, c comments) { p.comments[p.Info.Defs[id]] = c })
		}
	}
	if v, ok := obj.(*types.Var); ok {
		obj = v.Origin()
	}
	return p.comments[obj]
}

// IsEnum reports whether an enum directive limits the named type tn to its constants.
func (r *Result) IsEnum(tn *types.TypeName) bool {
	p := r.PackageOf(tn)
	if p == nil {
		doc := r.foreignComments(tn).doc
		return doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool { return c.Text == "//mcp:enum" })
	}
	return slices.ContainsFunc(p.Decls, func(d *Decl) bool {
		if d.Obj != tn || d.Primary == nil || d.Primary.Bad {
			return false
		}
		_, enum := d.Primary.Spec.(*directive.EnumOf)
		return enum
	})
}
