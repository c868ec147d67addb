// Package impl makes the fields of the Impl struct of a server, which hold the receivers of its methods.
package impl

import (
	"cmp"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
)

// Receiver makes sure that the Impl struct has a field through which the method d can be called.
func (b *Fields) Receiver(d *load.Decl) {
	obj := b.recvType(d)
	if obj == nil {
		return
	}
	outer, path := b.route(obj)
	r := b.receiverOf(outer)

	behind := false // a pointer: the method has an address to work on, whatever the field is
	for i, f := range path {
		if gotype.IsPointer(types.Unalias(f.Type())) {
			behind = true
			if at := joined(path[:i+1]); !slices.Contains(r.Through, at) {
				r.Through = append(r.Through, at)
			}
		}
	}
	if d.RecvPointer && !behind && !r.Pointer {
		r.Pointer, r.Type = true, &ir.GoType{Kind: ir.GoPointer, Elem: r.Type}
	}
}

// receiverOf is the field of the Impl struct for values of a type, which is added if it is not there yet.
func (b *Fields) receiverOf(obj *types.TypeName) *ir.Receiver {
	i := slices.IndexFunc(b.Server.Receivers, func(r ir.Receiver) bool { return r.Recv == obj.Name() })
	if i < 0 {
		i = len(b.Server.Receivers)
		b.Server.Receivers = append(b.Server.Receivers, ir.Receiver{
			Recv: obj.Name(), Field: b.implField(obj), Type: b.GoType(obj.Type()),
		})
	}
	return &b.Server.Receivers[i]
}

// Holder is where the Impl struct has the receiver of d: a field, or what its value embeds, as in Server.base.
func (b *Fields) Holder(d *load.Decl) string {
	obj := b.recvType(d)
	if obj == nil {
		return d.Recv
	}
	outer, path := b.route(obj)
	if len(path) == 0 {
		return b.implField(outer)
	}
	return b.implField(outer) + "." + joined(path)
}

func joined(path []*types.Var) string {
	var names []string
	for _, f := range path {
		names = append(names, f.Name())
	}
	return strings.Join(names, ".")
}

// route is how generated code reaches values of a type: outer has a field in the Impl struct, and path are the embedded
// fields that lead from there to the value. The type is its own outer if nothing else holds its value.
func (b *Fields) route(obj *types.TypeName) (outer *types.TypeName, path []*types.Var) {
	if r, known := b.routes[obj]; known {
		return r.outer, r.path
	}
	outer = obj
	for next, way := b.embedder(outer); next != nil; next, way = b.embedder(outer) {
		outer, path = next, append(way, path...)
	}
	path = slices.Clip(path)
	b.routes[obj] = routed{outer, path}
	return outer, path
}

// embedder is the type that embeds obj, and through which fields: the value that a caller gives for that type holds one
// of obj already. Considered are the other receivers of the server and, for a type that callers can neither name nor
// obtain, the exported types of the package. Of several it is the one that embeds the others; nil if there is none.
func (b *Fields) embedder(obj *types.TypeName) (*types.TypeName, []*types.Var) {
	var found []*types.TypeName
	for _, d := range b.Pkg.Decls {
		o := b.recvType(d)
		if d.Kind == directive.OnMethod && d.Primary != nil && o != nil && !slices.Contains(found, o) {
			found = append(found, o)
		}
	}
	if outer, path := outermost(obj, found); outer != nil || b.settable(obj) {
		return outer, path
	}
	found = nil
	scope := b.Pkg.Types.Scope()
	for _, name := range scope.Names() {
		if o, ok := scope.Lookup(name).(*types.TypeName); ok && o.Exported() && !o.IsAlias() && !b.Pkg.Generated(o) {
			found = append(found, o)
		}
	}
	outer, path := outermost(obj, found)
	pointers := slices.ContainsFunc(path, func(f *types.Var) bool { return gotype.IsPointer(types.Unalias(f.Type())) })
	if outer == nil || pointers && !b.obtainable(outer) {
		return nil, nil
	}
	return outer, path
}

// outermost is the one of the types that embeds obj, in one place only, and all others that do; or nil.
func outermost(obj *types.TypeName, from []*types.TypeName) (*types.TypeName, []*types.Var) {
	from = slices.DeleteFunc(from, func(o *types.TypeName) bool {
		return o == obj || len(embedded(o, obj)) == 0 || len(embedded(obj, o)) > 0
	})
	for _, o := range from {
		others := func(other *types.TypeName) bool { return other != o && len(embedded(o, other)) == 0 }
		if paths := embedded(o, obj); len(paths) == 1 && !slices.ContainsFunc(from, others) {
			return o, paths[0]
		}
	}
	return nil, nil
}

// embedded are the ways from outer to inner through embedded fields: two if there are more.
func embedded(outer, inner *types.TypeName) [][]*types.Var {
	var out [][]*types.Var
	steps := 1000 // of a program that nobody writes
	var walk func(t *types.TypeName, path []*types.Var, seen []*types.TypeName)
	walk = func(t *types.TypeName, path []*types.Var, seen []*types.TypeName) {
		s, ok := t.Type().Underlying().(*types.Struct)
		if !ok || slices.Contains(seen, t) {
			return
		}
		seen = append(slices.Clip(seen), t)
		for f := range s.Fields() {
			in := gotype.TypeName(gotype.Deref(types.Unalias(f.Type())))
			if steps--; !f.Embedded() || in == nil || len(out) == 2 || steps < 0 {
				continue
			}
			way := append(slices.Clip(path), f)
			if in == inner {
				out = append(out, way)
			} else {
				walk(in, way, seen)
			}
		}
	}
	walk(outer, nil, nil)
	return out
}

// ReceiverOrder puts the fields of the Impl struct in source order.
func (b *Fields) ReceiverOrder() {
	through, structs := map[string]int{}, map[string]int{}
	for i, d := range slices.Backward(b.Pkg.Decls) {
		if obj := b.recvType(d); obj != nil {
			outer, _ := b.route(obj)
			through[outer.Name()] = i
		}
		if d.Kind == directive.OnStruct {
			structs[goname.UpperFirst(d.Name)] = i
		}
	}
	first := func(r ir.Receiver) int {
		i, called := through[r.Recv]
		j, kept := structs[r.Field]
		switch called, kept = called && r.Recv != "", kept && r.Doc != ""; {
		case called && kept:
			return min(i, j)
		case called:
			return i
		case kept:
			return j
		}
		return -1
	}
	slices.SortStableFunc(b.Server.Receivers, func(x, y ir.Receiver) int { return cmp.Compare(first(x), first(y)) })
}
