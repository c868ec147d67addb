package build

import (
	"cmp"
	"go/types"

	"github.com/mcpgen/mcpgen/internal/build/inputschema"
)

// inputSchema returns the JSON schema of a tool's arguments; t is nil for a tool without any.
func (b *features) inputSchema(t types.Type) string {
	root := &inputschema.Type{Kind: inputschema.Object}
	if t != nil {
		s := schemas{b: b, known: map[string]*inputschema.Type{}}
		root = s.object(types.Unalias(t))
	}
	text, err := inputschema.Text(root)
	if err != nil {
		panic(err) // only values that we made ourselves are encoded
	}
	return text
}

// schemas describes the types of one tool.
type schemas struct {
	b *features
	// known has the named types that hold others, also while they are being described.
	known map[string]*inputschema.Type
}

// of describes the JSON values that t accepts.
func (s *schemas) of(t types.Type) *inputschema.Type {
	t = types.Unalias(t)
	switch s.b.shapeOf(t) {
	case shapeTime:
		return &inputschema.Type{Kind: inputschema.String, Format: "date-time"}
	case shapeBytes:
		return &inputschema.Type{Kind: inputschema.String, Encoding: "base64"}
	case shapeText, shapeString:
		return &inputschema.Type{Kind: inputschema.String}
	case shapeBool:
		return &inputschema.Type{Kind: inputschema.Bool}
	case shapeInt, shapeUint:
		return integer(t)
	case shapeFloat, shapeNumeral:
		return &inputschema.Type{Kind: inputschema.Number}
	case shapeEnum:
		return s.enum(t)
	case shapePointer:
		return s.pointer(t)
	case shapeSlice, shapeArray:
		return s.array(t)
	case shapeMap, shapeOddMap:
		return s.mapping(t)
	case shapeStruct:
		return s.object(t)
	}
	return &inputschema.Type{}
}

// integer describes what fits the Go type. Types of 64 bits are not limited: few clients know numbers
// that large.
func integer(t types.Type) *inputschema.Type {
	basic := t.Underlying().(*types.Basic)
	bits := map[types.BasicKind]int{types.Int8: 8, types.Uint8: 8, types.Int16: 16, types.Uint16: 16, types.Int32: 32, types.Uint32: 32}
	return &inputschema.Type{Kind: inputschema.Integer, Unsigned: basic.Info()&types.IsUnsigned != 0, Bits: bits[basic.Kind()]}
}

func (s *schemas) enum(t types.Type) *inputschema.Type {
	kind := inputschema.Integer
	if isString(t) {
		kind = inputschema.String
	}
	return &inputschema.Type{Kind: kind, Enum: s.b.constants(t)}
}

// named starts the description of a type that holds others. done says that it is already known.
func (s *schemas) named(t types.Type, kind inputschema.Kind) (out *inputschema.Type, done bool) {
	out = &inputschema.Type{Kind: kind}
	obj := typeName(t)
	if obj == nil || obj.Pkg() == nil {
		return out, false
	}
	key := types.TypeString(t, nil)
	if old := s.known[key]; old != nil {
		return old, true
	}
	out.Name, out.Pkg = wordOf(t), upperFirst(obj.Pkg().Name())
	s.known[key] = out
	return out, false
}

// pointer describes what t points to. A pointer type that only leads back to itself takes anything.
func (s *schemas) pointer(t types.Type) *inputschema.Type {
	elem := t.Underlying().(*types.Pointer).Elem()
	if typeName(t) == nil {
		return s.of(elem)
	}
	out, done := s.named(t, inputschema.Any)
	if !done {
		out = s.of(elem)
		s.known[types.TypeString(t, nil)] = out
	}
	return out
}

func (s *schemas) array(t types.Type) *inputschema.Type {
	out, done := s.named(t, inputschema.Array)
	if done {
		return out
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		out.Elem = s.of(u.Elem())
	case *types.Array:
		out.Elem, out.Fixed, out.Len = s.of(u.Elem()), true, uint64(u.Len())
	}
	return out
}

func (s *schemas) mapping(t types.Type) *inputschema.Type {
	out, done := s.named(t, inputschema.Map)
	if !done {
		out.Elem = s.of(t.Underlying().(*types.Map).Elem())
	}
	return out
}

func (s *schemas) object(t types.Type) *inputschema.Type {
	out, done := s.named(t, inputschema.Object)
	if done {
		return out
	}
	for _, f := range jsonFields(t) {
		out.Fields = append(out.Fields, s.field(f, s.b.rulesOf(f, nil)))
	}
	return out
}

// field describes one member of an object.
func (s *schemas) field(f *jsonField, r *fieldRules) inputschema.Field {
	return inputschema.Field{
		Name: f.name, Description: cmp.Or(r.description, descriptionOf(s.b.res.Doc(f.field()), "")), Required: r.needs(f), Type: s.of(f.field().Type()),
		Nullable: r.nullable, Header: r.header, Keywords: r.own.words(), Elem: r.elem.words(),
	}
}
