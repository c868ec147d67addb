package serverir

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/serverir/jsonschema"
)

// inputSchema returns the JSON schema of a tool's arguments; t is nil for a tool without any.
func (b *serverBuilder) inputSchema(t types.Type) string {
	root := &jsonschema.Type{Kind: jsonschema.Object}
	if t != nil {
		s := newSchemas(b, true)
		root = s.object(b.argsOf(t))
	}
	return schemaText(root)
}

// outputSchema returns the JSON schema of what a tool returns; "" if nothing is known about it.
func (b *serverBuilder) outputSchema(t types.Type) string {
	root := newSchemas(b, false).of(b.formOf(t, false))
	if root.Kind == jsonschema.Any {
		return ""
	}
	return schemaText(root)
}

func schemaText(root *jsonschema.Type) string {
	text, err := jsonschema.Text(root)
	if err != nil {
		panic(err) // only values that we made ourselves are encoded
	}
	return text
}

// schemas writes the schemas of the types of one tool. What is written differs from what is read: pointers may be null,
// members that are always there are required, limits are not promised, and the zero value of an enum occurs.
type schemas struct {
	b  *serverBuilder
	in bool
	// known has the types that hold others, also while they are being described.
	known map[*form]*jsonschema.Type
}

func newSchemas(b *serverBuilder, in bool) *schemas {
	return &schemas{b: b, in: in, known: map[*form]*jsonschema.Type{}}
}

// of describes the JSON values of f.
func (s *schemas) of(f *form) *jsonschema.Type {
	switch f.shape {
	case shapeTime:
		return &jsonschema.Type{Kind: jsonschema.String, Format: "date-time"}
	case shapeMapped:
		return s.b.mappingOf(f.typ).schema()
	case shapeBytes:
		return &jsonschema.Type{Kind: jsonschema.String, Encoding: "base64"}
	case shapeText, shapeString:
		return &jsonschema.Type{Kind: jsonschema.String}
	case shapeBool:
		return &jsonschema.Type{Kind: jsonschema.Bool}
	case shapeInt, shapeUint:
		return integer(f.typ)
	case shapeFloat, shapeNumeral:
		return &jsonschema.Type{Kind: jsonschema.Number}
	case shapeEnum:
		return s.enum(f, !s.in)
	case shapePointer:
		return s.pointer(f)
	case shapeSlice, shapeArray:
		return s.array(f)
	case shapeMap:
		return s.mapping(f)
	case shapeStruct:
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
func (s *schemas) enum(f *form, zero bool) *jsonschema.Type {
	out := &jsonschema.Type{Kind: jsonschema.Integer, Enum: f.values}
	if isString(f.typ) {
		out.Kind = jsonschema.String
	}
	if none := zeroOf(f.typ); zero && !slices.Contains(f.values, none) {
		out.Enum = append([]any{none}, f.values...)
	}
	return out
}

// zeroOf is the zero value of an enum.
func zeroOf(t types.Type) any {
	if isString(t) {
		return ""
	}
	return json.Number("0")
}

// named starts the description of a type that holds others. done says that it is already known.
func (s *schemas) named(f *form, kind jsonschema.Kind) (out *jsonschema.Type, done bool) {
	if old := s.known[f]; old != nil {
		return old, true
	}
	out = &jsonschema.Type{Kind: kind}
	if obj := typeName(f.typ); obj != nil && obj.Pkg() != nil {
		out.Name, out.Pkg = wordOf(f.typ), upperFirst(obj.Pkg().Name())
	}
	s.known[f] = out
	return out, false
}

// pointer describes what f points to, and null where that is written.
func (s *schemas) pointer(f *form) *jsonschema.Type {
	if f.takesAnything() {
		return &jsonschema.Type{}
	}
	if s.in && !f.again {
		return s.of(f.elem)
	}
	out, done := s.named(f, jsonschema.Nullable)
	if done {
		return out
	}
	elem := s.of(f.elem)
	if !s.in && elem.Kind != jsonschema.Nullable {
		out.Elem = elem
		return out
	}
	name, pkg := out.Name, out.Pkg
	*out = *elem // others may refer to out already
	out.Name, out.Pkg = name, pkg
	return out
}

func (s *schemas) array(f *form) *jsonschema.Type {
	out, done := s.named(f, jsonschema.Array)
	if done {
		return out
	}
	out.Elem = s.of(f.elem)
	if a, ok := f.typ.Underlying().(*types.Array); ok {
		out.Fixed, out.Len = true, uint64(a.Len())
	}
	return out
}

func (s *schemas) mapping(f *form) *jsonschema.Type {
	out, done := s.named(f, jsonschema.Map)
	if done {
		return out
	}
	switch f.key {
	case shapeInt:
		out.Names.Pattern = `^(0|-?[1-9][0-9]*)$`
	case shapeUint:
		out.Names.Pattern = `^(0|[1-9][0-9]*)$`
	}
	for _, v := range f.keyValues {
		out.Names.Enum = append(out.Names.Enum, fmt.Sprint(v))
	}
	if none := fmt.Sprint(zeroOf(f.keyType)); f.keyValues != nil && !s.in && !slices.Contains(out.Names.Enum, any(none)) {
		out.Names.Enum = append([]any{none}, out.Names.Enum...)
	}
	out.Elem = s.of(f.elem)
	return out
}

func (s *schemas) object(f *form) *jsonschema.Type {
	out, done := s.named(f, jsonschema.Object)
	if done {
		return out
	}
	for _, m := range f.members {
		out.Fields = append(out.Fields, s.field(m))
	}
	return out
}

// field describes one member of an object.
func (s *schemas) field(m *member) jsonschema.Field {
	r := m.rules
	field := jsonschema.Field{
		Name: m.name, Description: cmp.Or(r.description, descriptionOf(s.b.res.Doc(m.field()),
			"")), Required: m.required, Type: s.value(m),
	}
	if s.in {
		field.Nullable, field.Header, field.Keywords, field.Elem = r.nullable, r.header, r.own.words(), r.elem.words()
	} else {
		field.Keywords = &jsonschema.Keywords{Title: r.own.Title, Examples: r.own.Examples} // what promises nothing
	}
	return field
}

// value describes the value of a member: without what the member is left out for.
func (s *schemas) value(m *member) *jsonschema.Type {
	f, null := m.value, !s.in
	if !s.in && f.shape == shapePointer && omitsNil(m.omits) {
		f, null = f.elem, false
	}
	if m.inQuotes {
		return s.quoted(f, null && f.shape == shapePointer)
	}
	if !s.in && f.shape == shapeEnum && omitsZero(m.omits) {
		return s.enum(f, false)
	}
	return s.of(f)
}

func omitsNil(omits []ir.OmitKind) bool {
	return slices.Contains(omits, ir.OmitNil) || slices.Contains(omits, ir.OmitPointer)
}

func omitsZero(omits []ir.OmitKind) bool {
	return slices.Contains(omits, ir.OmitZero) || slices.Contains(omits, ir.OmitText)
}

// quoted describes a value in quotes.
func (s *schemas) quoted(f *form, null bool) *jsonschema.Type {
	if f.shape == shapePointer {
		f = f.elem
	}
	out := &jsonschema.Type{Kind: jsonschema.String}
	switch f.shape {
	case shapeBool:
		out.Enum = []any{"true", "false"}
	case shapeInt, shapeUint:
		out.Pattern = `^-?(0|[1-9][0-9]*)$`
	case shapeFloat, shapeNumeral:
		out.Pattern = `^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`
	case shapeEnum:
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

// quotedText is a constant as it stands between quotes.
func quotedText(v any) string {
	if n, ok := v.(json.Number); ok {
		return n.String()
	}
	return string(plainJSON(v))
}
