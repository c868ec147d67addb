package build

import (
	"bytes"
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/marker"
)

// receiver makes sure that the Impl struct has a field through which d can be called.
func (b *features) receiver(d *load.Decl, sig *types.Signature, feature string) {
	name, t := d.Recv, deref(sig.Recv().Type())
	if outer := b.embedder(d); outer != nil {
		name, t = outer.Name(), outer.Type()
	}
	i := slices.IndexFunc(b.server.Receivers, func(r ir.Receiver) bool { return r.Field == name })
	if i < 0 {
		i = len(b.server.Receivers)
		b.server.Receivers = append(b.server.Receivers, ir.Receiver{Field: name, Type: b.goType(t)})
		b.unreachable(d, name, t)
	}
	r := &b.server.Receivers[i]
	if d.RecvPointer && !r.Pointer {
		r.Pointer, r.Type = true, &ir.GoType{Kind: ir.GoPointer, Elem: r.Type}
	}
	if feature != "" {
		r.Serves = append(r.Serves, feature)
	}
}

// holder is the name of the field of the Impl struct through which the method d is called.
func (b *features) holder(d *load.Decl) string {
	if outer := b.embedder(d); outer != nil {
		return outer.Name()
	}
	return d.Recv
}

// embedder is the type that has the method d by embedding its receiver, or nil: the value that a caller gives for that
// type holds the receiver already. Counted are other types with annotated methods and, for a receiver that callers
// cannot name, all exported types of the package; of several the one that embeds the others.
func (b *features) embedder(d *load.Decl) *types.TypeName {
	fn, _ := d.Obj.(*types.Func)
	if fn == nil || d.Kind != marker.OnMethod || signature(d) == nil {
		return nil
	}
	var found []*types.TypeName
	for _, o := range b.pkg.Decls {
		if o.Kind != marker.OnMethod || o.Primary == nil || o.Recv == d.Recv || signature(o) == nil {
			continue
		}
		if named, ok := types.Unalias(deref(signature(o).Recv().Type())).(*types.Named); ok {
			found = append(found, named.Obj())
		}
	}
	if out := outermost(d, fn, found); out != nil || token.IsExported(d.Recv) || b.pkg.Name == "main" {
		return out
	}
	found = nil
	for _, name := range b.pkg.Types.Scope().Names() {
		if tn, ok := b.pkg.Types.Scope().Lookup(name).(*types.TypeName); ok && tn.Exported() && !tn.IsAlias() {
			found = append(found, tn)
		}
	}
	return outermost(d, fn, found)
}

// outermost is the one of the types that promotes the method fn and embeds all others that do, or nil.
func outermost(d *load.Decl, fn *types.Func, from []*types.TypeName) *types.TypeName {
	from = slices.DeleteFunc(from, func(tn *types.TypeName) bool { return !promotes(tn, d, fn) })
	for _, tn := range from {
		if !slices.ContainsFunc(from, func(o *types.TypeName) bool { return o != tn && !embeds(tn.Type(), o.Type(), nil) }) {
			return tn
		}
	}
	return nil
}

// promotes reports whether tn has the method fn of d by embedding, and the field that root= of d names with it.
func promotes(tn *types.TypeName, d *load.Decl, fn *types.Func) bool {
	named, ok := tn.Type().(*types.Named)
	if !ok || named.TypeParams().Len() > 0 {
		return false
	}
	same := func(t types.Type, name string) bool {
		want, _, _ := types.LookupFieldOrMethod(fn.Signature().Recv().Type(), true, fn.Pkg(), name)
		got, index, _ := types.LookupFieldOrMethod(t, true, fn.Pkg(), name)
		return want == nil || got == want && len(index) > 1
	}
	if d.Primary != nil {
		if spec, ok := d.Primary.Spec.(*marker.Resource); ok && spec.Root.V != "" && !same(named, spec.Root.V) {
			return false
		}
	}
	return same(named, fn.Name())
}

// embeds reports whether outer is a struct that embeds inner, itself or by what it embeds.
func embeds(outer, inner types.Type, seen []types.Type) bool {
	s, ok := deref(types.Unalias(outer)).Underlying().(*types.Struct)
	if !ok || slices.Contains(seen, outer) {
		return false
	}
	for f := range s.Fields() {
		t := types.Unalias(deref(types.Unalias(f.Type())))
		if f.Embedded() && (t == inner || embeds(t, inner, append(seen, outer))) {
			return true
		}
	}
	return false
}

// unreachable reports a receiver whose value no other package can give to the server: its type, and with it the field
// of the Impl struct, is not exported. A package that fills the struct itself may do so.
func (b *features) unreachable(d *load.Decl, name string, t types.Type) {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || token.IsExported(name) || b.pkg.Name == "main" {
		return
	}
	impl := b.server.Names.Impl
	for _, f := range b.pkg.Files {
		if bytes.Contains(f.Src, []byte(impl)) {
			return
		}
	}
	at := named.Obj().Pos()
	method := d.Obj.Pos()
	b.report("MCP409", at, at+token.Pos(len(named.Obj().Name())),
		fmt.Sprintf("`%s` has annotated methods but is not exported: no other package can set field `%s` of `%s`",
			named.Obj().Name(), name, impl),
		b.related(method, method+token.Pos(len(d.Name)), "the first of them"),
		fix(fmt.Sprintf("export it, embed it in one exported type, or write a function here that fills `%s`", impl)))
}
