package codec

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/jsonschema"
	"github.com/mcpgen/mcpgen/internal/serverir/jsontype"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// InputSchema returns the JSON schema of a tool's arguments; t is nil for a tool without any.
func (b *Codecs) InputSchema(t types.Type) string {
	root := &jsonschema.Type{Kind: jsonschema.Object}
	if t != nil {
		s := NewSchemas(b.Types, true)
		root = s.object(b.ArgsOf(t))
	}
	return SchemaText(root)
}

// OutputSchema returns the JSON schema of what a tool returns; "" if nothing is known about it.
func (b *Codecs) OutputSchema(t types.Type) string {
	root := NewSchemas(b.Types, false).Of(b.Of(t, false))
	if root.Kind == jsonschema.Any {
		return ""
	}
	return SchemaText(root)
}

// PayloadSchema is OutputSchema for values that may get more members in later versions of the program.
func (b *Codecs) PayloadSchema(t types.Type) string {
	text, err := jsonschema.OpenText(NewSchemas(b.Types, false).Of(b.Of(t, false)))
	if err != nil {
		panic(err) // only values that we made ourselves are encoded
	}
	return text
}

// SchemaText writes a schema as JSON.
func SchemaText(root *jsonschema.Type) string {
	text, err := jsonschema.Text(root)
	if err != nil {
		panic(err) // only values that we made ourselves are encoded
	}
	return text
}

// Schemas makes the schemas of the types of one tool. The schema of a result differs from that of arguments: pointers
// may be null, members that are always written are required, limits are not promised, and an enum may have its zero
// value.
type Schemas struct {
	b  *jsontype.Types
	in bool
	// known has the types that hold others, also while they are being described.
	known map[*jsontype.Type]*jsonschema.Type
}

// NewSchemas returns the schemas of arguments if in is set, and otherwise those of results.
func NewSchemas(b *jsontype.Types, in bool) *Schemas {
	return &Schemas{b: b, in: in, known: map[*jsontype.Type]*jsonschema.Type{}}
}

// Of describes the JSON values of f.
func (s *Schemas) Of(f *jsontype.Type) *jsonschema.Type {
	switch f.Kind {
	case jsontype.Time:
		return &jsonschema.Type{Kind: jsonschema.String, Format: "date-time"}
	case jsontype.Mapped:
		return s.b.MappingOf(f.Typ).Schema()
	case jsontype.Bytes:
		return &jsonschema.Type{Kind: jsonschema.String, Encoding: "base64"}
	case jsontype.Text, jsontype.String:
		return &jsonschema.Type{Kind: jsonschema.String}
	case jsontype.Bool:
		return &jsonschema.Type{Kind: jsonschema.Bool}
	case jsontype.Int, jsontype.Uint:
		return integer(f.Typ)
	case jsontype.Float, jsontype.Numeral:
		return &jsonschema.Type{Kind: jsonschema.Number}
	case jsontype.Enum:
		return s.enum(f, !s.in)
	case jsontype.Pointer:
		return s.pointer(f)
	case jsontype.Slice, jsontype.Array:
		return s.array(f)
	case jsontype.Map:
		return s.mapping(f)
	case jsontype.Struct:
		return s.object(f)
	}
	return &jsonschema.Type{}
}

// integer describes what fits the Go type. Types of 64 bits are not limited: few clients know numbers
// that large.
func integer(t types.Type) *jsonschema.Type {
	basic := t.Underlying().(*types.Basic)
	bits := map[types.BasicKind]int{types.Int8: 8, types.Uint8: 8, types.Int16: 16, types.Uint16: 16, types.Int32: 32,
		types.Uint32: 32}
	return &jsonschema.Type{Kind: jsonschema.Integer, Unsigned: basic.Info()&types.IsUnsigned != 0,
		Bits: bits[basic.Kind()]}
}

// enum describes constants, with the zero value among them if that occurs.
func (s *Schemas) enum(f *jsontype.Type, zero bool) *jsonschema.Type {
	out := &jsonschema.Type{Kind: jsonschema.Integer, Enum: f.Values}
	if gotype.IsString(f.Typ) {
		out.Kind = jsonschema.String
	}
	if none := zeroOf(f.Typ); zero && !slices.Contains(f.Values, none) {
		out.Enum = append([]any{none}, f.Values...)
	}
	return out
}

// zeroOf returns the zero value of an enum.
func zeroOf(t types.Type) any {
	if gotype.IsString(t) {
		return ""
	}
	return json.Number("0")
}

// named begins the description of a type that contains others. done reports whether it was described before.
func (s *Schemas) named(f *jsontype.Type, kind jsonschema.Kind) (out *jsonschema.Type, done bool) {
	if old := s.known[f]; old != nil {
		return old, true
	}
	out = &jsonschema.Type{Kind: kind}
	if obj := gotype.TypeName(f.Typ); obj != nil && obj.Pkg() != nil {
		out.Name, out.Pkg = gotype.WordOf(f.Typ), goname.UpperFirst(obj.Pkg().Name())
	}
	s.known[f] = out
	return out, false
}

// pointer describes what f points to, and null where that is written.
func (s *Schemas) pointer(f *jsontype.Type) *jsonschema.Type {
	if f.TakesAnything() {
		return &jsonschema.Type{}
	}
	if s.in && !f.Again {
		return s.Of(f.Elem)
	}
	out, done := s.named(f, jsonschema.Nullable)
	if done {
		return out
	}
	elem := s.Of(f.Elem)
	if !s.in && elem.Kind != jsonschema.Nullable {
		out.Elem = elem
		return out
	}
	name, pkg := out.Name, out.Pkg
	*out = *elem // others may refer to out already
	out.Name, out.Pkg = name, pkg
	return out
}

func (s *Schemas) array(f *jsontype.Type) *jsonschema.Type {
	out, done := s.named(f, jsonschema.Array)
	if done {
		return out
	}
	out.Elem = s.Of(f.Elem)
	if a, ok := f.Typ.Underlying().(*types.Array); ok {
		out.Fixed, out.Len = true, uint64(a.Len())
	}
	return out
}

func (s *Schemas) mapping(f *jsontype.Type) *jsonschema.Type {
	out, done := s.named(f, jsonschema.Map)
	if done {
		return out
	}
	switch f.Key {
	case jsontype.Int:
		out.Names.Pattern = `^(0|-?[1-9][0-9]*)$`
	case jsontype.Uint:
		out.Names.Pattern = `^(0|[1-9][0-9]*)$`
	}
	if f.KeyLate {
		out.Elem = s.Of(f.Elem)
		return out
	}
	for _, v := range f.KeyValues {
		out.Names.Enum = append(out.Names.Enum, fmt.Sprint(v))
	}
	if none := fmt.Sprint(zeroOf(f.KeyType)); f.KeyValues != nil && !s.in && !slices.Contains(out.Names.Enum, any(none)) {
		out.Names.Enum = append([]any{none}, out.Names.Enum...)
	}
	out.Elem = s.Of(f.Elem)
	return out
}

func (s *Schemas) object(f *jsontype.Type) *jsonschema.Type {
	out, done := s.named(f, jsonschema.Object)
	if done {
		return out
	}
	for _, m := range f.Members {
		out.Fields = append(out.Fields, s.Field(m))
	}
	return out
}

// Field describes one member of an object.
func (s *Schemas) Field(m *jsontype.Member) jsonschema.Field {
	r := m.Rules
	field := jsonschema.Field{
		Name: m.Name, Description: cmp.Or(r.Description, source.Description(s.b.Res.Doc(m.Var()),
			"")), Required: m.Required, Type: s.value(m),
	}
	if s.in {
		field.Nullable, field.Header, field.Keywords, field.Elem = r.Nullable, r.Header, r.Own.Words(), r.Elem.Words()
	} else {
		field.Keywords = &jsonschema.Keywords{Title: r.Own.Title, Examples: r.Own.Examples} // what promises nothing
	}
	return field
}

// value describes the value of a member, without the values for which the member is left out.
func (s *Schemas) value(m *jsontype.Member) *jsonschema.Type {
	f, null := m.Value, !s.in
	if !s.in && f.Kind == jsontype.Pointer && omitsNil(m.Omits) {
		f, null = f.Elem, false
	}
	if m.InQuotes {
		return s.quoted(f, null && f.Kind == jsontype.Pointer)
	}
	if !s.in && f.Kind == jsontype.Enum && omitsZero(m.Omits) {
		return s.enum(f, false)
	}
	return s.Of(f)
}

func omitsNil(omits []ir.OmitKind) bool {
	return slices.Contains(omits, ir.OmitNil) || slices.Contains(omits, ir.OmitPointer)
}

func omitsZero(omits []ir.OmitKind) bool {
	return slices.Contains(omits, ir.OmitZero) || slices.Contains(omits, ir.OmitText)
}

// quoted describes a value in quotes.
func (s *Schemas) quoted(f *jsontype.Type, null bool) *jsonschema.Type {
	if f.Kind == jsontype.Pointer {
		f = f.Elem
	}
	out := &jsonschema.Type{Kind: jsonschema.String}
	switch f.Kind {
	case jsontype.Bool:
		out.Enum = []any{"true", "false"}
	case jsontype.Int, jsontype.Uint:
		out.Pattern = `^-?(0|[1-9][0-9]*)$`
	case jsontype.Float, jsontype.Numeral:
		out.Pattern = `^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`
	case jsontype.Enum:
		for _, v := range s.enum(f, !s.in).Enum {
			out.Enum = append(out.Enum, quotedText(v))
		}
	default:
		out.Pattern = `^"([^"\\]|\\.)*"$`
	}
	if null {
		return &jsonschema.Type{Kind: jsonschema.Nullable, Elem: out}
	}
	return out
}
