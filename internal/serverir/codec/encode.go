package codec

import (
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/jsontype"
)

// Encoder returns the function that writes values of type t, or nil if encoding/json has to.
func (b *Codecs) Encoder(t types.Type) *ir.Encoder {
	f := b.Of(t, false)
	if !f.Holds() && !f.IsMapped() || !b.Writable(b.NameOf(f)) || b.Endless(f) || !b.reaches(f, nil) {
		return nil
	}
	return b.encFunc(f)
}

// encFunc returns the function that writes a type. Each has one in the package.
func (b *Codecs) encFunc(f *jsontype.Type) *ir.Encoder {
	key := types.TypeString(f.Typ, nil)
	if e := b.encoders[key]; e != nil {
		e.Recursive = e.Recursive || e.Value.Kind == 0
		return e
	}
	b.HiddenType(f.Typ)
	e := &ir.Encoder{Type: b.GoType(b.NameOf(f)), Name: b.encoderName(f.Typ), File: b.SourceOf(f.Typ)}
	b.encoders[key] = e
	b.Output.Encoders = append(b.Output.Encoders, e)
	b.Once.Encoders[e.Name] = true
	e.Value = b.encWritten(f)
	return e
}

// reaches reports whether generated code can name all members of the structs in f.
func (b *Codecs) reaches(f *jsontype.Type, seen []*jsontype.Type) bool {
	if slices.Contains(seen, f) {
		return true
	}
	seen = append(slices.Clip(seen), f)
	for _, m := range f.Members {
		if _, ok := b.Selector(f.Typ, m.Field); !ok || !b.reaches(m.Value, seen) {
			return false
		}
	}
	return f.Elem == nil || b.reaches(f.Elem, seen)
}

// encoderName returns a free name: encodeItem, else encodeStoreItem and so on.
func (b *Codecs) encoderName(t types.Type) string {
	return b.FreeFunc("encode", t, b.Once.Encoders)
}

// encValue says how generated code encodes a value: by a function, or inline.
func (b *Codecs) encValue(f *jsontype.Type) ir.EncValue {
	if b.HasFunction(f) {
		return ir.EncValue{Kind: ir.EncCall, Encoder: b.encFunc(f)}
	}
	return b.encWritten(f)
}

// encWritten is encValue for a value that is encoded inline.
func (b *Codecs) encWritten(f *jsontype.Type) ir.EncValue {
	v := ir.EncValue{Kind: encKindOf[f.Kind], Keys: keyKindOf[f.Key]}
	_, v.Plain = f.Typ.(*types.Basic)
	switch f.Kind {
	case jsontype.Enum:
		v.Kind = encKindOf[jsontype.BasicKind(f.Typ.Underlying().(*types.Basic).Info())]
	case jsontype.Mapped:
		b.encMapped(&v, f)
	case jsontype.Float:
		if f.Typ.Underlying().(*types.Basic).Kind() == types.Float32 {
			v.Kind = ir.EncFloat32
		}
	case jsontype.Bytes:
		v.Plain = types.Identical(f.Typ.Underlying().(*types.Slice).Elem(), types.Typ[types.Byte])
	case jsontype.Pointer:
		v.Plain = gotype.TypeName(f.Typ) == nil
		if gotype.IsInterface(f.Elem.Typ) {
			v.Kind = ir.EncJSON
			return v
		}
	case jsontype.Struct:
		v.Fields = b.encFields(f)
	}
	if f.Elem != nil {
		v.Elem = new(b.encValue(f.Elem))
	}
	return v
}

// encFields returns the members of a struct, for code that is inline.
func (b *Codecs) encFields(f *jsontype.Type) (out []ir.EncField) {
	for _, m := range f.Members {
		name, _ := b.Selector(f.Typ, m.Field)
		field := ir.EncField{GoName: name, Name: m.Name, Omit: m.Omits, Behind: m.Behind, Type: b.GoType(m.Var().Type()),
			Value: b.encValue(m.Value)}
		if m.InQuotes {
			quote(&field.Value)
		}
		out = append(out, field)
	}
	return out
}

// quote makes a value, or the one that its pointer points to, be written in quotes.
func quote(v *ir.EncValue) {
	if v.Kind == ir.EncPointer {
		v = v.Elem
	}
	v.Quoted = true
}
