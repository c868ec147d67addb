package build

import (
	"fmt"
	"go/types"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// argStruct returns the decoder of a struct type that generated code can name. Each type has one in
// the package, so a struct that contains itself comes to an end.
func (b *features) argStruct(t types.Type) *ir.ArgStruct {
	key := types.TypeString(types.Unalias(t), nil)
	if s := b.args[key]; s != nil {
		return s
	}
	b.hiddenType(t)
	s := &ir.ArgStruct{Type: b.goType(t), Decode: b.decoderName(t)}
	b.args[key] = s
	b.p.Args = append(b.p.Args, s)
	for _, f := range jsonFields(t) {
		name, _ := b.selector(t, f)
		r := b.rulesOf(f, nil)
		value := b.argValue(f.field().Type(), nil)
		addChecks(&value, r)
		s.Fields = append(s.Fields, ir.ArgField{
			GoName: name, JSONName: f.name, Required: r.needs(f), Default: r.fallback, Nullable: r.nullable, Value: value,
		})
	}
	return s
}

// addChecks adds the conditions of a tag: to what a pointer points to, and to the elements of a list.
func addChecks(v *ir.ArgValue, r *fieldRules) {
	for v.Kind == ir.ArgPointer {
		v = v.Elem
	}
	v.Checks = append(v.Checks, r.own.checks...)
	if v.Elem != nil {
		v.Elem.Checks = append(v.Elem.Checks, r.elem.checks...)
	}
}

// decoderName returns a free name for the decoder of t: decodeItem, else decodeStoreItem, else
// decodeItem2 and so on.
func (b *features) decoderName(t types.Type) string {
	return b.freeFunc("decode", t, func(name string) bool {
		return slices.ContainsFunc(b.p.Args, func(a *ir.ArgStruct) bool { return a.Decode == name })
	})
}

// freeFunc returns a name for a function about t that neither the user's package nor used has.
func (b *features) freeFunc(verb string, t types.Type, used func(name string) bool) string {
	free := func(name string) bool {
		return b.declaration(name) == nil && !used(name)
	}
	word := wordOf(t)
	name := verb + word
	if obj := typeName(t); !free(name) && obj != nil && obj.Pkg() != nil {
		name = verb + upperFirst(obj.Pkg().Name()) + word
	}
	for n := 2; !free(name); n++ {
		name = verb + word + strconv.Itoa(n)
	}
	return name
}

// argValue says how generated code reads a value of type t. around are the types that the value is
// part of, without a struct in between: one that comes again would be read for ever.
func (b *features) argValue(t types.Type, around []types.Type) ir.ArgValue {
	v := ir.ArgValue{Kind: ir.ArgJSON, Type: b.goType(t)}
	again := slices.ContainsFunc(around, func(o types.Type) bool { return types.Identical(o, t) })
	if again || !b.namable(t) {
		return v
	}
	b.hiddenType(t)
	switch b.shapeOf(t) {
	case shapeRaw:
		v.Kind = ir.ArgRaw
	case shapeString:
		v.Kind = ir.ArgString
	case shapeBool:
		v.Kind = ir.ArgBool
	case shapeInt, shapeUint:
		v.Kind = ir.ArgInt
	case shapeFloat:
		v.Kind = ir.ArgFloat
	case shapeEnum:
		b.argEnum(&v, t)
	case shapeTime:
		v.Kind = ir.ArgTime
	case shapeText:
		v.Kind = ir.ArgText
	case shapeSlice, shapeMap, shapePointer:
		b.argElem(&v, t, append(slices.Clip(around), t))
	case shapeStruct:
		v.Kind, v.Struct = ir.ArgStruct_, b.argStruct(t)
	}
	return v
}

// argEnum leaves types with UnmarshalText to their method, and numbers to be numbers.
func (b *features) argEnum(v *ir.ArgValue, t types.Type) {
	switch {
	case unmarshalsText(t):
		v.Kind = ir.ArgText
	case !isString(t):
		v.Kind = ir.ArgInt
		check := ir.Check{Kind: ir.CheckOneOf}
		for _, c := range b.constants(t) {
			check.Values = append(check.Values, fmt.Sprint(c))
		}
		v.Checks = append(v.Checks, check)
	default:
		v.Kind = ir.ArgEnum
		for _, c := range b.constants(t) {
			v.Values = append(v.Values, c.(string))
		}
	}
}

// argElem reads what holds other values. A pointer to something that encoding/json reads is left to
// it as a whole, and so is what has elements or keys that generated code cannot write.
func (b *features) argElem(v *ir.ArgValue, t types.Type, around []types.Type) {
	kind, elem := ir.ArgSlice, types.Type(nil)
	switch u := t.Underlying().(type) {
	case *types.Slice:
		elem = u.Elem()
	case *types.Map:
		kind, elem = ir.ArgMap, u.Elem()
		if typeName(t) != nil && !types.Identical(u.Key(), types.Typ[types.String]) {
			return
		}
	case *types.Pointer:
		kind, elem = ir.ArgPointer, u.Elem()
	}
	if !b.namable(elem) {
		return
	}
	value := b.argValue(elem, around)
	if kind == ir.ArgPointer && (value.Kind == ir.ArgJSON || value.Kind == ir.ArgPointer) {
		return
	}
	v.Kind, v.Elem = kind, &value
}
