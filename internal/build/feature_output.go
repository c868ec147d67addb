package build

import (
	"cmp"
	"encoding/json"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/internal/build/inputschema"
)

// outputSchema returns the JSON schema of what a tool returns; "" if nothing is known about it.
func (b *features) outputSchema(t types.Type) string {
	s := outputs{schemas{b: b, known: map[string]*inputschema.Type{}}}
	root := s.of(t)
	if root.Kind == inputschema.Any {
		return ""
	}
	text, err := inputschema.Text(root)
	if err != nil {
		panic(err) // only values that we made ourselves are encoded
	}
	return text
}

// outputs describes what a tool writes. It differs from what a tool reads: members that are always
// written are required, pointers may be null, and limits are not promised.
type outputs struct{ schemas }

// of describes the JSON values that a t is written as.
func (s *outputs) of(t types.Type) *inputschema.Type {
	t = types.Unalias(t)
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return s.pointed(t, u)
	case *types.Interface:
		return &inputschema.Type{}
	}
	switch {
	case isNamed(t, "time", "Time"):
		return &inputschema.Type{Kind: inputschema.String, Format: "date-time"}
	case isNamed(t, "encoding/json", "Number"):
		return &inputschema.Type{Kind: inputschema.Number}
	case isNamed(t, "encoding/json", "RawMessage"), marshalsJSON(t):
		return &inputschema.Type{}
	case marshalsText(t):
		return &inputschema.Type{Kind: inputschema.String}
	}
	switch u := t.Underlying().(type) {
	case *types.Slice, *types.Array:
		if _, isSlice := u.(*types.Slice); isSlice && byteElem(u.(*types.Slice).Elem()) {
			return &inputschema.Type{Kind: inputschema.String, Encoding: "base64"}
		}
		return s.list(t)
	case *types.Map:
		out, done := s.named(t, inputschema.Map)
		if !done {
			out.Elem = s.of(u.Elem())
		}
		if key, ok := u.Key().Underlying().(*types.Basic); !ok || key.Info()&types.IsString == 0 || marshalsText(u.Key()) {
			return &inputschema.Type{Kind: inputschema.Nullable, Elem: out} // encoding/json writes it
		}
		return out
	case *types.Struct:
		return s.members(t)
	}
	return s.basic(t)
}

// pointed describes a pointer, which may be nil.
func (s *outputs) pointed(t types.Type, u *types.Pointer) *inputschema.Type {
	if typeName(t) != nil {
		return &inputschema.Type{}
	}
	elem := s.of(u.Elem())
	if elem.Kind == inputschema.Any {
		return elem
	}
	return &inputschema.Type{Kind: inputschema.Nullable, Elem: elem}
}

func (s *outputs) list(t types.Type) *inputschema.Type {
	out, done := s.named(t, inputschema.Array)
	if done {
		return out
	}
	out.Elem = s.of(t.Underlying().(interface{ Elem() types.Type }).Elem())
	if a, ok := t.Underlying().(*types.Array); ok {
		out.Fixed, out.Len = true, uint64(a.Len())
	}
	return out
}

func (s *outputs) basic(t types.Type) *inputschema.Type {
	switch plainShape(t) {
	case shapeBool:
		return &inputschema.Type{Kind: inputschema.Bool}
	case shapeInt, shapeUint:
		out := integer(t)
		out.Enum = s.b.constants(t)
		return out
	case shapeFloat:
		return &inputschema.Type{Kind: inputschema.Number}
	case shapeString:
		return &inputschema.Type{Kind: inputschema.String, Enum: s.b.constants(t)}
	}
	return &inputschema.Type{}
}

// members describes a struct.
func (s *outputs) members(t types.Type) *inputschema.Type {
	out, done := s.named(t, inputschema.Object)
	if done {
		return out
	}
	for _, f := range jsonFields(t) {
		r := s.b.rulesOf(f, nil)
		omits := s.b.omits(f)
		behind := slices.ContainsFunc(f.path[:len(f.path)-1], func(e *types.Var) bool {
			_, pointer := types.Unalias(e.Type()).(*types.Pointer)
			return pointer
		})
		member := s.of(f.field().Type())
		if member.Kind == inputschema.Nullable && len(omits) > 0 {
			member = member.Elem
		}
		out.Fields = append(out.Fields, inputschema.Field{
			Name: f.name, Description: cmp.Or(r.description, descriptionOf(s.b.res.Doc(f.field()), "")),
			Required: len(omits) == 0 && !behind, Type: written(f, member, len(omits) > 0), Keywords: documentation(r),
		})
	}
	return out
}

// written is the type of a member: in quotes if its tag says so, and with the zero value among its
// constants if that is written.
func written(f *jsonField, t *inputschema.Type, omitted bool) *inputschema.Type {
	if f.quoted && (t.Kind == inputschema.Bool || t.Kind == inputschema.Integer || t.Kind == inputschema.Number || t.Kind == inputschema.String) {
		return &inputschema.Type{Kind: inputschema.String}
	}
	if omitted {
		return t
	}
	return withZero(t)
}

// withZero adds the zero value to the constants of an enum, because that is written too.
func withZero(t *inputschema.Type) *inputschema.Type {
	var zero any = ""
	if t.Kind == inputschema.Integer {
		zero = json.Number("0")
	}
	if t.Enum != nil && !slices.Contains(t.Enum, zero) {
		wide := *t
		wide.Enum = append([]any{zero}, t.Enum...)
		return &wide
	}
	return t
}

// documentation keeps the keywords that promise nothing.
func documentation(r *fieldRules) *inputschema.Keywords {
	k := &r.own.Keywords
	return &inputschema.Keywords{Title: k.Title, Examples: k.Examples}
}
