package impl

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
)

// implField is the name of the field of the Impl struct for values of a type: that of the type, or an exported one
// if only other packages can fill it.
func (b *Fields) implField(obj *types.TypeName) string {
	if obj.Exported() || !b.fromOutside(obj) {
		return obj.Name()
	}
	up := goname.UpperFirst(obj.Name())
	if other, ok := b.Pkg.Types.Scope().Lookup(up).(*types.TypeName); ok && !other.IsAlias() {
		return obj.Name() // the field of that type has this name
	}
	return up
}

// fromOutside reports whether other packages fill the field for an unexported type: they can get values of it, and the
// package itself does not.
func (b *Fields) fromOutside(obj *types.TypeName) bool {
	return b.Pkg.Name != "main" && !b.buildsImpl() && b.obtainable(obj) && token.IsExported(goname.UpperFirst(obj.Name()))
}

// settable reports whether somebody can fill a field for values of the type.
func (b *Fields) settable(obj *types.TypeName) bool {
	return obj.Exported() || b.Pkg.Name == "main" || b.buildsImpl() || b.fromOutside(obj)
}

// Unfillable reports the receivers that no caller can put into the Impl struct.
func (b *Fields) Unfillable() {
	for _, r := range b.Server.Receivers {
		if r.Recv == "" || token.IsExported(r.Field) || b.Pkg.Name == "main" || b.buildsImpl() {
			continue
		}
		obj, ok := b.Pkg.Types.Scope().Lookup(r.Recv).(*types.TypeName)
		if !ok || !r.Pointer && empty(obj.Type()) {
			continue // the zero value of the Impl struct has all there is
		}
		i := slices.IndexFunc(b.Pkg.Decls, func(d *load.Decl) bool { return b.recvType(d) == obj && d.Func() != nil })
		if i < 0 {
			continue
		}
		recv := b.Pkg.Decls[i].Func().Recv
		impl, up := b.Server.Names.Impl, goname.UpperFirst(r.Recv)
		star := ""
		if r.Pointer {
			star = "*"
		}
		better := fmt.Sprintf("rename it to `%s`, embed it in one exported type, "+
			"or write an exported function that returns it: func New%s() %s%s",
			up, up, star, r.Recv)
		if b.obtainable(obj) || !token.IsExported(up) {
			better = "give the type an exported name"
		}
		b.Report("MCP409", recv.List[0].Type.Pos(), recv.List[0].Type.End(),
			fmt.Sprintf("no other package can make values of `%s`, and `%s` needs one", r.Recv, impl),
			report.Hint(fmt.Sprintf("nothing in this package uses `%s` either", b.Server.Names.New)),
			b.Related(obj.Pos(), obj.Pos()+token.Pos(len(obj.Name())), "declared here"),
			report.Fix(fmt.Sprintf("%s; or call `%s` in an exported function of this package", better, b.Server.Names.New)))
	}
}

// empty reports whether values of a type hold nothing.
func empty(t types.Type) bool {
	s, ok := t.Underlying().(*types.Struct)
	return ok && s.NumFields() == 0
}

// buildsImpl reports whether the package itself, without its tests, uses the Impl struct or the constructor.
func (b *Fields) buildsImpl() bool {
	if b.builds == nil {
		b.builds = new(b.mentionsImpl())
	}
	return *b.builds
}

func (b *Fields) mentionsImpl() bool {
	names := names.Server(b.Server.Name)
	return slices.ContainsFunc(b.Pkg.Files, func(f *load.File) bool {
		found := false
		ast.Inspect(f.AST, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && (id.Name == names.Impl || id.Name == names.New)
			return !found
		})
		return found
	})
}

// obtainable reports whether other packages can get hold of a value of a type, or of a pointer to one,
// without making it.
func (b *Fields) obtainable(obj *types.TypeName) bool {
	w := &yielded{of: obj, seen: map[types.Type]bool{}}
	scope := b.Pkg.Types.Scope()
	for _, name := range scope.Names() {
		o := scope.Lookup(name)
		if !o.Exported() || b.Pkg.Generated(o) {
			continue
		}
		named, _ := o.Type().(*types.Named)
		if t, ok := o.(*types.TypeName); ok && !t.IsAlias() && named != nil {
			w.members(named) // the name is no value
		} else {
			w.value(o.Type())
		}
	}
	return w.found
}

// yielded looks for a type among those of the values that other packages can get.
type yielded struct {
	of    *types.TypeName
	seen  map[types.Type]bool
	found bool
}

// value is the type of a value that others have.
func (w *yielded) value(t types.Type) {
	if w.found || w.seen[t] {
		return
	}
	w.seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		w.value(types.Unalias(t))
	case *types.Named:
		w.named(t)
	case *types.Tuple:
		for v := range t.Variables() {
			w.value(v.Type())
		}
	case *types.Signature:
		w.value(t.Results())
		for v := range t.Params().Variables() {
			w.param(v.Type())
		}
	case *types.Struct:
		for f := range t.Fields() {
			switch named, ok := types.Unalias(gotype.Deref(types.Unalias(f.Type()))).(*types.Named); {
			case f.Exported():
				w.value(f.Type())
			case ok && f.Embedded():
				w.members(named)
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if m.Exported() {
				w.value(m.Signature())
			}
		}
	case *types.Map:
		w.value(t.Key())
		w.value(t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		w.value(t.Elem())
	}
}

// param is the type of a parameter: a function that is passed gets values in its turn, as the body of a loop over an
// iterator does.
func (w *yielded) param(t types.Type) {
	if f, ok := t.Underlying().(*types.Signature); ok {
		for v := range f.Params().Variables() {
			w.value(v.Type())
		}
	}
}

func (w *yielded) named(t *types.Named) {
	if t.Obj() == w.of {
		w.found = true
		return
	}
	for arg := range t.TypeArgs().Types() {
		w.value(arg)
	}
	w.members(t)
}

// members are the exported fields and methods of a type, without what its type parameters stand for.
func (w *yielded) members(t *types.Named) {
	t = t.Origin()
	if t.Obj() == w.of || t.Obj().Pkg() != w.of.Pkg() {
		return // a type of another package has none of this one, but for its type arguments
	}
	w.value(t.Underlying())
	for m := range t.Methods() {
		if m.Exported() {
			w.value(m.Signature())
		}
	}
}
