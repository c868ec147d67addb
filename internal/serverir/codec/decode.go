// Package codec makes the decoders and encoders of Go types, and their schemas.
package codec

import (
	"fmt"
	"go/types"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/jsontype"
	"github.com/mcpgen/mcpgen/internal/serverir/tagrule"
)

// ArgStruct returns the decoder of a struct type that generated code can name.
func (b *Codecs) ArgStruct(t types.Type) *ir.ArgStruct { return b.argFunc(b.ArgsOf(t)) }

// argFunc returns the decoder of a type. Each has one in the package, so a type that contains itself comes to an end.
func (b *Codecs) argFunc(f *jsontype.Type) *ir.ArgStruct {
	key := types.TypeString(f.Typ, nil)
	if s := b.Args[key]; s != nil {
		return s
	}
	b.HiddenType(f.Typ)
	s := &ir.ArgStruct{Type: b.GoType(b.NameOf(f)), Decode: b.decoderName(f.Typ), File: b.SourceOf(f.Typ)}
	b.Args[key] = s
	b.Output.Args = append(b.Output.Args, s)
	b.Once.Decoders[s.Decode], b.Once.ArgTypes[s.Type.Name] = true, true
	if f.Kind == jsontype.Struct {
		s.Fields = b.argFields(f)
	} else {
		s.Value = new(b.argWritten(f))
	}
	return s
}

func (b *Codecs) argFields(f *jsontype.Type) (out []ir.ArgField) {
	for _, m := range f.Members {
		name, _ := b.Selector(f.Typ, m.Field)
		value := b.argValue(m.Value)
		addChecks(&value, m.Rules)
		if m.InQuotes {
			quoteArg(&value, m.Value)
		}
		out = append(out, ir.ArgField{
			GoName: name, JSONName: m.Name, Required: m.Required, Behind: m.Behind, Default: m.Rules.Fallback,
			Nullable: m.Rules.Nullable, Value: value,
		})
	}
	return out
}

// addChecks adds the conditions of a tag: to what a pointer points to, and to the elements of a list.
func addChecks(v *ir.ArgValue, r *tagrule.Rules) {
	v = pointee(v)
	v.Checks = append(v.Checks, r.Own.Checks...)
	if v.Elem != nil {
		elem := pointee(v.Elem)
		elem.Checks = append(elem.Checks, r.Elem.Checks...)
	}
}

// pointee returns the value that pointers lead to.
func pointee(v *ir.ArgValue) *ir.ArgValue {
	for v.Kind == ir.ArgPointer {
		v = v.Elem
	}
	return v
}

// quoteArg makes a value, or the one that its pointer points to, be read from quotes. The constants of an enum are then
// compared in quotes too.
func quoteArg(v *ir.ArgValue, f *jsontype.Type) {
	if f.Kind == jsontype.Pointer {
		f = f.Elem
	}
	v = pointee(v)
	v.Quoted = true
	for _, c := range f.Values {
		v.Texts = append(v.Texts, quotedText(c))
	}
	switch {
	case f.Values == nil:
	case v.Kind == ir.ArgEnum:
		v.Kind, v.Values = ir.ArgString, nil
	default:
		v.Checks = nil // a number that is one of the texts is one of the constants
	}
}

// decoderName returns a free name for the decoder of t: decodeItem, else decodeStoreItem, else
// decodeItem2 and so on.
func (b *Codecs) decoderName(t types.Type) string {
	return b.FreeFunc("decode", t, b.Once.Decoders)
}

// argValue says how generated code decodes a value: by a function, or inline.
func (b *Codecs) argValue(f *jsontype.Type) ir.ArgValue {
	if b.HasFunction(f) {
		return ir.ArgValue{Kind: ir.ArgStruct_, Type: b.GoType(b.NameOf(f)), Struct: b.argFunc(f)}
	}
	return b.argWritten(f)
}

// argWritten is argValue for a value that is decoded inline.
func (b *Codecs) argWritten(f *jsontype.Type) ir.ArgValue {
	v := ir.ArgValue{Kind: argKindOf[f.Kind], Type: b.GoType(b.NameOf(f)), Hidden: !b.HasName(f)}
	b.HiddenType(f.Typ)
	switch f.Kind {
	case jsontype.Enum:
		argEnum(&v, f)
	case jsontype.Text, jsontype.Any, jsontype.Bytes:
		if f.Late != nil {
			v.Checks = append(v.Checks, oneOf(f.Late, !gotype.IsString(f.Typ)))
		}
	case jsontype.Mapped:
		b.argMapped(&v, f)
	case jsontype.Struct:
		v.Fields = b.argFields(f)
	case jsontype.Pointer:
		if f.TakesAnything() {
			v.Kind = ir.ArgJSON // null is a value
			return v
		}
		v.Elem = new(b.argValue(f.Elem))
	case jsontype.Array:
		v.Elem, v.Len = new(b.argValue(f.Elem)), f.Typ.Underlying().(*types.Array).Len()
	case jsontype.Slice:
		v.Elem = new(b.argValue(f.Elem))
	case jsontype.Map:
		if v.Keys.Kind = keyKindOf[f.Key]; b.Namable(f.KeyType) {
			v.Keys.Type = b.GoType(f.KeyType)
		}
		v.Keys.Values, v.Keys.Late = textsOf(f.KeyValues), f.KeyLate
		v.Elem = new(b.argValue(f.Elem))
	}
	return v
}

// argEnum limits a text before a method reads it, and the value of a number after that.
func argEnum(v *ir.ArgValue, f *jsontype.Type) {
	if !gotype.IsString(f.Typ) {
		v.Kind = ir.ArgInt
		v.Checks = append(v.Checks, oneOf(f.Values, true))
		return
	}
	v.Kind = ir.ArgEnum
	if gotype.UnmarshalsText(f.Typ) {
		v.Kind = ir.ArgText
	}
	v.Values = textsOf(f.Values)
}

// oneOf returns the check that a value is one of constants.
func oneOf(constants []any, numbers bool) ir.Check {
	return ir.Check{Kind: ir.CheckOneOf, Values: textsOf(constants), Numbers: numbers}
}

// textsOf returns constants in the form of Go, without the quotes of texts; nil if there are none.
func textsOf(constants []any) (texts []string) {
	for _, c := range constants {
		texts = append(texts, fmt.Sprint(c))
	}
	return texts
}
