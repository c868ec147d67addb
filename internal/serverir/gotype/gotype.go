// Package gotype writes Go types as generated code has to: by names that it can reach.
package gotype

import (
	"go/types"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// GoType returns a type in the form that emitters can print.
func (b *Scope) GoType(t types.Type) *ir.GoType {
	switch t := t.(type) {
	case *types.Named:
		return namedType(t.Obj(), b.typeArgs(t.TypeArgs()))
	case *types.Alias:
		if !b.reachable(t.Obj()) || t.Obj().Pkg() == nil && b.Hides(t.Obj().Name()) != nil {
			return b.GoType(t.Rhs())
		}
		return namedType(t.Obj(), b.typeArgs(t.TypeArgs()))
	case *types.TypeParam:
		return &ir.GoType{Kind: ir.GoNamed, Name: t.Obj().Name()}
	case *types.Basic:
		return basicType(t)
	case *types.Pointer:
		return &ir.GoType{Kind: ir.GoPointer, Elem: b.GoType(t.Elem())}
	case *types.Slice:
		return &ir.GoType{Kind: ir.GoSlice, Elem: b.GoType(t.Elem())}
	case *types.Array:
		return &ir.GoType{Kind: ir.GoArray, Len: t.Len(), Elem: b.GoType(t.Elem())}
	case *types.Map:
		return &ir.GoType{Kind: ir.GoMap, Key: b.GoType(t.Key()), Elem: b.GoType(t.Elem())}
	case *types.Chan:
		return &ir.GoType{Kind: ir.GoChan, Dir: int(t.Dir()), Elem: b.GoType(t.Elem())}
	case *types.Signature:
		return &ir.GoType{Kind: ir.GoFunc, Params: b.tuple(t.Params()), Results: b.tuple(t.Results()), Variadic: t.Variadic()}
	case *types.Struct:
		return b.structType(t)
	case *types.Interface:
		return b.interfaceType(t)
	}
	return &ir.GoType{Kind: ir.GoNamed, Name: "any"}
}

func (b *Scope) structType(t *types.Struct) *ir.GoType {
	out := &ir.GoType{Kind: ir.GoStruct}
	for i := range t.NumFields() {
		f := ir.GoField{Type: b.GoType(t.Field(i).Type()), Tag: t.Tag(i)}
		if !t.Field(i).Embedded() {
			f.Name = t.Field(i).Name()
		}
		out.Fields = append(out.Fields, f)
	}
	return out
}

func (b *Scope) interfaceType(t *types.Interface) *ir.GoType {
	out := &ir.GoType{Kind: ir.GoInterface}
	for m := range t.ExplicitMethods() {
		out.Fields = append(out.Fields, ir.GoField{Name: m.Name(), Type: b.GoType(m.Signature())})
	}
	for e := range t.EmbeddedTypes() {
		out.Fields = append(out.Fields, ir.GoField{Type: b.GoType(e)})
	}
	return out
}

// Hides returns the declaration of the user's package that has the name of a predeclared identifier; nil if there is
// none.
func (b *Scope) Hides(name string) types.Object {
	if b.Pkg.Types == nil {
		return nil
	}
	obj := b.Pkg.Types.Scope().Lookup(name)
	if obj == nil || b.Pkg.Generated(obj) {
		return nil
	}
	return obj
}

// Declaration is what a name stands for at the top of the user's package or of one of its files; nil for nothing.
// Imports and what they bring in with a dot count too, because no declaration of the package may have their names, and
// so do files that only other builds and tests have.
func (b *Scope) Declaration(name string) types.Object {
	if obj := b.Hides(name); obj != nil || b.Pkg.Types == nil {
		return obj
	}
	if b.Once.inFiles == nil {
		b.Once.inFiles = namesInFiles(b.Pkg.Types)
	}
	if obj := b.Once.inFiles[name]; obj != nil {
		return obj
	}
	return b.Pkg.Elsewhere(name)
}

func basicType(t *types.Basic) *ir.GoType {
	if t.Kind() == types.UnsafePointer {
		return &ir.GoType{Kind: ir.GoNamed, Path: "unsafe", PkgName: "unsafe", Name: "Pointer"}
	}
	return &ir.GoType{Kind: ir.GoNamed, Name: t.Name()}
}

// ParamGoType is GoType for the type of a parameter, in which an alias of a pointer must show as a pointer.
func (b *Scope) ParamGoType(t types.Type) *ir.GoType {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return b.GoType(p)
	}
	return b.GoType(t)
}

func namedType(obj *types.TypeName, args []*ir.GoType) *ir.GoType {
	g := &ir.GoType{Kind: ir.GoNamed, Name: obj.Name(), Args: args}
	if obj.Pkg() != nil {
		g.Path, g.PkgName = obj.Pkg().Path(), obj.Pkg().Name()
	}
	return g
}

func (b *Scope) typeArgs(list *types.TypeList) []*ir.GoType {
	var out []*ir.GoType
	for t := range list.Types() {
		out = append(out, b.GoType(t))
	}
	return out
}

func (b *Scope) tuple(t *types.Tuple) []*ir.GoType {
	var out []*ir.GoType
	for v := range t.Variables() {
		out = append(out, b.GoType(v.Type()))
	}
	return out
}

// Qualifier leaves out the name of the package that is generated for.
func (b *Scope) Qualifier(p *types.Package) string {
	if p.Path() == b.Pkg.Path {
		return ""
	}
	return p.Name()
}

// TypeText returns t as the user would write it.
func (b *Scope) TypeText(t types.Type) string { return types.TypeString(t, b.Qualifier) }

// GoTypeText returns a short form of a type, for messages.
func (b *Scope) GoTypeText(t *ir.GoType) string {
	switch {
	case t == nil:
		return "?"
	case t.Kind == ir.GoPointer:
		return "*" + b.GoTypeText(t.Elem)
	case t.Kind == ir.GoSlice:
		return "[]" + b.GoTypeText(t.Elem)
	case t.PkgName != "" && t.Path != b.Pkg.Path:
		return t.PkgName + "." + t.Name
	}
	return t.Name
}
