package serverir

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/types"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// argStruct returns the decoder of a struct type that generated code can name.
func (b *serverBuilder) argStruct(t types.Type) *ir.ArgStruct { return b.argFunc(b.argsOf(t)) }

// argFunc returns the decoder of a type. Each has one in the package, so a type that contains itself comes to an end.
func (b *serverBuilder) argFunc(f *form) *ir.ArgStruct {
	key := types.TypeString(f.typ, nil)
	if s := b.args[key]; s != nil {
		return s
	}
	b.hiddenType(f.typ)
	s := &ir.ArgStruct{Type: b.goType(b.nameOf(f)), Decode: b.decoderName(f.typ)}
	b.args[key] = s
	b.p.Args = append(b.p.Args, s)
	if f.shape == shapeStruct {
		s.Fields = b.argFields(f)
	} else {
		s.Value = new(b.argWritten(f))
	}
	return s
}

func (b *serverBuilder) argFields(f *form) (out []ir.ArgField) {
	for _, m := range f.members {
		name, _ := b.selector(f.typ, m.jsonField)
		value := b.argValue(m.value)
		addChecks(&value, m.rules)
		if m.inQuotes {
			quoteArg(&value, m.value)
		}
		out = append(out, ir.ArgField{
			GoName: name, JSONName: m.name, Required: m.required, Behind: m.behind, Default: m.rules.fallback,
			Nullable: m.rules.nullable, Value: value,
		})
	}
	return out
}

// addChecks adds the conditions of a tag: to what a pointer points to, and to the elements of a list.
func addChecks(v *ir.ArgValue, r *fieldRules) {
	v = pointee(v)
	v.Checks = append(v.Checks, r.own.checks...)
	if v.Elem != nil {
		elem := pointee(v.Elem)
		elem.Checks = append(elem.Checks, r.elem.checks...)
	}
}

// pointee is what pointers lead to.
func pointee(v *ir.ArgValue) *ir.ArgValue {
	for v.Kind == ir.ArgPointer {
		v = v.Elem
	}
	return v
}

// quoteArg puts a value in quotes, or what its pointer points to. The constants of an enum are then compared in quotes.
func quoteArg(v *ir.ArgValue, f *form) {
	if f.shape == shapePointer {
		f = f.elem
	}
	v = pointee(v)
	v.Quoted = true
	for _, c := range f.values {
		v.Texts = append(v.Texts, quotedText(c))
	}
	switch {
	case f.values == nil:
	case v.Kind == ir.ArgEnum:
		v.Kind, v.Values = ir.ArgString, nil
	default:
		v.Checks = nil // a number that is one of the texts is one of the constants
	}
}

// plainJSON encodes a value without escapes for HTML.
func plainJSON(v any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // only constants are encoded
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// decoderName returns a free name for the decoder of t: decodeItem, else decodeStoreItem, else
// decodeItem2 and so on.
func (b *serverBuilder) decoderName(t types.Type) string {
	return b.freeFunc("decode", t, func(name string) bool {
		return slices.ContainsFunc(b.p.Args, func(a *ir.ArgStruct) bool { return a.Decode == name })
	})
}

// freeFunc returns a name for a function about t that neither the user's package nor used has.
func (b *serverBuilder) freeFunc(prefix string, t types.Type, used func(name string) bool) string {
	free := func(name string) bool {
		return b.declaration(name) == nil && !used(name)
	}
	word := wordOf(t)
	name := prefix + word
	if obj := typeName(t); !free(name) && obj != nil && obj.Pkg() != nil {
		name = prefix + upperFirst(obj.Pkg().Name()) + word
	}
	for n := 2; !free(name); n++ {
		name = prefix + word + strconv.Itoa(n)
	}
	return name
}

// argKindOf is how values of a shape are read; those that hold others are not in it.
var argKindOf = map[jsonKind]ir.ArgKind{
	shapeAny: ir.ArgJSON, shapeRaw: ir.ArgRaw, shapeTime: ir.ArgTime, shapeText: ir.ArgText, shapeNumeral: ir.ArgNumber,
	shapeString: ir.ArgString,
	shapeBool:   ir.ArgBool, shapeInt: ir.ArgInt, shapeUint: ir.ArgInt, shapeFloat: ir.ArgFloat, shapeBytes: ir.ArgBytes,
	shapeSlice: ir.ArgSlice, shapeArray: ir.ArgArray, shapeMap: ir.ArgMap, shapePointer: ir.ArgPointer,
	shapeStruct: ir.ArgObject,
}

// argValue says how generated code reads a value: by a function, or written out where it stands.
func (b *serverBuilder) argValue(f *form) ir.ArgValue {
	if b.hasFunction(f) {
		return ir.ArgValue{Kind: ir.ArgStruct_, Type: b.goType(b.nameOf(f)), Struct: b.argFunc(f)}
	}
	return b.argWritten(f)
}

// argWritten is argValue for a value that is written out.
func (b *serverBuilder) argWritten(f *form) ir.ArgValue {
	v := ir.ArgValue{Kind: argKindOf[f.shape], Type: b.goType(b.nameOf(f)), Hidden: !b.hasName(f)}
	b.hiddenType(f.typ)
	switch f.shape {
	case shapeEnum:
		argEnum(&v, f)
	case shapeMapped:
		b.argMapped(&v, f)
	case shapeStruct:
		v.Fields = b.argFields(f)
	case shapePointer:
		if f.takesAnything() {
			v.Kind = ir.ArgJSON // null is a value
			return v
		}
		v.Elem = new(b.argValue(f.elem))
	case shapeArray:
		v.Elem, v.Len = new(b.argValue(f.elem)), f.typ.Underlying().(*types.Array).Len()
	case shapeSlice:
		v.Elem = new(b.argValue(f.elem))
	case shapeMap:
		if v.Keys.Kind = keyKindOf[f.key]; b.namable(f.keyType) {
			v.Keys.Type = b.goType(f.keyType)
		}
		for _, c := range f.keyValues {
			v.Keys.Values = append(v.Keys.Values, fmt.Sprint(c))
		}
		v.Elem = new(b.argValue(f.elem))
	}
	return v
}

// keyKindOf is how the names of members become keys.
var keyKindOf = map[jsonKind]ir.KeyKind{shapeString: ir.KeyString, shapeInt: ir.KeyInt, shapeUint: ir.KeyInt,
	shapeText: ir.KeyText}

// argEnum limits texts before a method reads them, and leaves numbers to be numbers.
func argEnum(v *ir.ArgValue, f *form) {
	if !isString(f.typ) {
		v.Kind = ir.ArgInt
		check := ir.Check{Kind: ir.CheckOneOf}
		for _, c := range f.values {
			check.Values = append(check.Values, fmt.Sprint(c))
		}
		v.Checks = append(v.Checks, check)
		return
	}
	v.Kind = ir.ArgEnum
	if unmarshalsText(f.typ) {
		v.Kind = ir.ArgText
	}
	for _, c := range f.values {
		v.Values = append(v.Values, c.(string))
	}
}
