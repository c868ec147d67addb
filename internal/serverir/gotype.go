package serverir

import (
	"go/types"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// goType turns a type into the form that emitters can print.
func (b *serverBuilder) goType(t types.Type) *ir.GoType {
	switch t := t.(type) {
	case *types.Named:
		return namedType(t.Obj(), b.typeArgs(t.TypeArgs()))
	case *types.Alias:
		if !b.reachable(t.Obj()) || t.Obj().Pkg() == nil && b.hides(t.Obj().Name()) != nil {
			return b.goType(t.Rhs())
		}
		return namedType(t.Obj(), b.typeArgs(t.TypeArgs()))
	case *types.TypeParam:
		return &ir.GoType{Kind: ir.GoNamed, Name: t.Obj().Name()}
	case *types.Basic:
		return basicType(t)
	case *types.Pointer:
		return &ir.GoType{Kind: ir.GoPointer, Elem: b.goType(t.Elem())}
	case *types.Slice:
		return &ir.GoType{Kind: ir.GoSlice, Elem: b.goType(t.Elem())}
	case *types.Array:
		return &ir.GoType{Kind: ir.GoArray, Len: t.Len(), Elem: b.goType(t.Elem())}
	case *types.Map:
		return &ir.GoType{Kind: ir.GoMap, Key: b.goType(t.Key()), Elem: b.goType(t.Elem())}
	case *types.Chan:
		return &ir.GoType{Kind: ir.GoChan, Dir: int(t.Dir()), Elem: b.goType(t.Elem())}
	case *types.Signature:
		return &ir.GoType{Kind: ir.GoFunc, Params: b.tuple(t.Params()), Results: b.tuple(t.Results()), Variadic: t.Variadic()}
	case *types.Struct:
		return b.structType(t)
	case *types.Interface:
		return b.interfaceType(t)
	}
	return &ir.GoType{Kind: ir.GoNamed, Name: "any"}
}

func (b *serverBuilder) structType(t *types.Struct) *ir.GoType {
	out := &ir.GoType{Kind: ir.GoStruct}
	for i := range t.NumFields() {
		f := ir.GoField{Type: b.goType(t.Field(i).Type()), Tag: t.Tag(i)}
		if !t.Field(i).Embedded() {
			f.Name = t.Field(i).Name()
		}
		out.Fields = append(out.Fields, f)
	}
	return out
}

func (b *serverBuilder) interfaceType(t *types.Interface) *ir.GoType {
	out := &ir.GoType{Kind: ir.GoInterface}
	for m := range t.ExplicitMethods() {
		out.Fields = append(out.Fields, ir.GoField{Name: m.Name(), Type: b.goType(m.Signature())})
	}
	for e := range t.EmbeddedTypes() {
		out.Fields = append(out.Fields, ir.GoField{Type: b.goType(e)})
	}
	return out
}

// hides returns the declaration of the user's package that has a name of Go's own; nil for none.
func (b *serverBuilder) hides(name string) types.Object {
	if b.pkg.Types == nil {
		return nil
	}
	obj := b.pkg.Types.Scope().Lookup(name)
	if obj == nil || b.pkg.Generated(obj) {
		return nil
	}
	return obj
}

// declaration is what a name stands for at the top of the user's package or of one of its files; nil for nothing.
// Imports and what they bring in with a dot count too, because no declaration of the package may have their names.
func (b *serverBuilder) declaration(name string) types.Object {
	if obj := b.hides(name); obj != nil || b.pkg.Types == nil {
		return obj
	}
	for file := range b.pkg.Types.Scope().Children() {
		if obj := file.Lookup(name); obj != nil {
			return obj
		}
	}
	return nil
}

func basicType(t *types.Basic) *ir.GoType {
	if t.Kind() == types.UnsafePointer {
		return &ir.GoType{Kind: ir.GoNamed, Path: "unsafe", PkgName: "unsafe", Name: "Pointer"}
	}
	return &ir.GoType{Kind: ir.GoNamed, Name: t.Name()}
}

// paramGoType is goType for what generated code must know to be a pointer.
func (b *serverBuilder) paramGoType(t types.Type) *ir.GoType {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return b.goType(p)
	}
	return b.goType(t)
}

func namedType(obj *types.TypeName, args []*ir.GoType) *ir.GoType {
	g := &ir.GoType{Kind: ir.GoNamed, Name: obj.Name(), Args: args}
	if obj.Pkg() != nil {
		g.Path, g.PkgName = obj.Pkg().Path(), obj.Pkg().Name()
	}
	return g
}

func (b *serverBuilder) typeArgs(list *types.TypeList) []*ir.GoType {
	var out []*ir.GoType
	for t := range list.Types() {
		out = append(out, b.goType(t))
	}
	return out
}

func (b *serverBuilder) tuple(t *types.Tuple) []*ir.GoType {
	var out []*ir.GoType
	for v := range t.Variables() {
		out = append(out, b.goType(v.Type()))
	}
	return out
}

// qualifier leaves out the name of the package that is generated for.
func (b *serverBuilder) qualifier(p *types.Package) string {
	if p.Path() == b.pkg.Path {
		return ""
	}
	return p.Name()
}

// typeText is t as the user would write it.
func (b *serverBuilder) typeText(t types.Type) string { return types.TypeString(t, b.qualifier) }

// isNamed reports whether t is the type called name in the package at path.
func isNamed(t types.Type, path, name string) bool {
	obj := typeName(t)
	return obj != nil && obj.Name() == name && obj.Pkg() != nil && obj.Pkg().Path() == path
}

// typeName returns the object of a named type or alias; nil for others.
func typeName(t types.Type) *types.TypeName {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return t.Obj()
	case *types.TypeParam:
		return t.Obj()
	}
	return nil
}

// mcpPath is the import path of the runtime.
const mcpPath = "github.com/mcpgen/mcpgen/mcp"

// unmarshalsText and marshalsText report whether values of t can be read from and written as text.
func unmarshalsText(t types.Type) bool { return hasTextMethod(t, "UnmarshalText", "[]byte", "error") }
func marshalsText(t types.Type) bool   { return hasTextMethod(t, "MarshalText", "", "[]byte", "error") }

// hasTextMethod reports whether T or *T has a method with one parameter of the given type ("" for
// none) and the given results.
func hasTextMethod(t types.Type, name, param string, results ...string) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	f, ok := obj.(*types.Func)
	if !ok {
		return false
	}
	sig := f.Signature()
	var params []string
	if param != "" {
		params = []string{param}
	}
	return tupleIs(sig.Params(), params...) && tupleIs(sig.Results(), results...)
}

func tupleIs(t *types.Tuple, want ...string) bool {
	if t.Len() != len(want) {
		return false
	}
	for i, w := range want {
		if types.TypeString(types.Unalias(t.At(i).Type()), nil) != w {
			return false
		}
	}
	return true
}

// isError reports whether t is the predeclared error.
func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// isBytes reports whether the underlying type of t is []byte.
func isBytes(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && types.Identical(s.Elem(), types.Typ[types.Byte])
}

// isByteLike reports whether t is a slice that is written as bytes, although its elements may have a type of their own.
func isByteLike(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && byteElem(s.Elem(), false)
}

// isString reports whether the underlying type of t is string.
func isString(t types.Type) bool {
	e, ok := t.Underlying().(*types.Basic)
	return ok && e.Info()&types.IsString != 0
}

// seq2 returns the type arguments of an iter.Seq2, or nil.
func seq2(t types.Type) []types.Type {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || !isNamed(t, "iter", "Seq2") {
		return nil
	}
	var out []types.Type
	for a := range n.TypeArgs().Types() {
		out = append(out, a)
	}
	return out
}
