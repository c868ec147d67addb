package gotype

import (
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/goname"
)

// IsInterface reports whether the underlying type of t is an interface.
func IsInterface(t types.Type) bool {
	_, ok := t.Underlying().(*types.Interface)
	return ok
}

// IsReader reports whether t is an io.Reader.
func IsReader(t types.Type) bool { return HasTextMethod(t, "Read", "[]byte", "int", "error") }

// IsStruct reports whether the underlying type of t is a struct.
func IsStruct(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

// IsNamed reports whether t is the type called name in the package at path.
func IsNamed(t types.Type, path, name string) bool {
	obj := TypeName(t)
	return obj != nil && obj.Name() == name && obj.Pkg() != nil && obj.Pkg().Path() == path
}

// TypeName returns the object of a named type or alias; nil for others.
func TypeName(t types.Type) *types.TypeName {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return t.Obj()
	case *types.TypeParam:
		return t.Obj()
	}
	return nil
}

// RuntimePath is the import path of the runtime.
const RuntimePath = "github.com/mcpgen/mcpgen/mcp"

// UnmarshalsText reports whether values of t can be read from text.
func UnmarshalsText(t types.Type) bool { return HasTextMethod(t, "UnmarshalText", "[]byte", "error") }

// MarshalsText reports whether values of t can be written as text.
func MarshalsText(t types.Type) bool { return HasTextMethod(t, "MarshalText", "", "[]byte", "error") }

// HasTextMethod reports whether T or *T has a method with one parameter of the given type ("" for
// none) and the given results.
func HasTextMethod(t types.Type, name, param string, results ...string) bool {
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

// IsError reports whether t is the predeclared error.
func IsError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// IsBytes reports whether the underlying type of t is []byte.
func IsBytes(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && types.Identical(s.Elem(), types.Typ[types.Byte])
}

// IsByteLike reports whether t is a slice that is written as bytes, although its elements may have a type of their own.
func IsByteLike(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && ByteElem(s.Elem(), false)
}

// IsString reports whether the underlying type of t is string.
func IsString(t types.Type) bool {
	e, ok := t.Underlying().(*types.Basic)
	return ok && e.Info()&types.IsString != 0
}

// Seq2 returns the type arguments of an iter.Seq2, or nil.
func Seq2(t types.Type) []types.Type {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || !IsNamed(t, "iter", "Seq2") {
		return nil
	}
	var out []types.Type
	for a := range n.TypeArgs().Types() {
		out = append(out, a)
	}
	return out
}

// IsPointer reports whether t is a pointer without a name.
func IsPointer(t types.Type) bool {
	_, ok := t.(*types.Pointer)
	return ok
}

// ProtocolPath is the import path of the types of the protocol.
const ProtocolPath = "github.com/mcpgen/mcpgen/generated/protocol"

// PointedTo returns what a pointer points to, with the name that its source gives it; other types as they are.
func PointedTo(t types.Type) (elem types.Type, pointer bool) {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem(), true
	}
	return t, false
}

// Deref returns what a pointer without a name points to; other types as they are.
func Deref(t types.Type) types.Type {
	if p, ok := t.(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// OnlyPointers reports whether t points to nothing but pointers, without an end.
func OnlyPointers(t types.Type) bool {
	var seen []types.Type
	for {
		p, ok := t.Underlying().(*types.Pointer)
		if !ok {
			return false
		}
		if slices.Contains(seen, t) {
			return true
		}
		seen, t = append(seen, t), types.Unalias(p.Elem())
	}
}

// UnmarshalsJSON reports whether t has a method that reads its values from JSON.
func UnmarshalsJSON(t types.Type) bool { return HasTextMethod(t, "UnmarshalJSON", "[]byte", "error") }

// MarshalsJSON reports whether t has a method that writes its values as JSON.
func MarshalsJSON(t types.Type) bool { return HasTextMethod(t, "MarshalJSON", "", "[]byte", "error") }

// ByteElem reports whether a slice of t is base64 in JSON, because its elements are bytes without methods.
func ByteElem(t types.Type, in bool) bool {
	e, ok := t.Underlying().(*types.Basic)
	if !ok || e.Kind() != types.Byte {
		return false
	}
	if in {
		return !UnmarshalsJSON(t) && !UnmarshalsText(t)
	}
	return !MarshalsJSON(t) && !MarshalsText(t)
}

// ValueMarshalsText reports whether a t itself, not only a *t, has MarshalText.
func ValueMarshalsText(t types.Type) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, false, nil, "MarshalText")
	return obj != nil && MarshalsText(t)
}

// WordOf returns a word for t in generated names: Node, or PageItem for Page[Item].
func WordOf(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		var w strings.Builder
		w.WriteString(goname.UpperFirst(t.Obj().Name()))
		for arg := range t.TypeArgs().Types() {
			w.WriteString(WordOf(arg))
		}
		return w.String()
	case *types.Basic:
		return goname.UpperFirst(t.Name())
	case *types.Pointer:
		return WordOf(t.Elem())
	case *types.Slice:
		return WordOf(t.Elem()) + "s"
	case *types.Array:
		return WordOf(t.Elem()) + "s"
	case *types.Map:
		return WordOf(t.Key()) + WordOf(t.Elem())
	}
	return "Value"
}

// IsSlice reports whether the underlying type of t is a slice.
func IsSlice(t types.Type) bool {
	_, ok := t.Underlying().(*types.Slice)
	return ok
}
