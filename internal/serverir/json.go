package serverir

import (
	"fmt"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// form is the one description of how values of a Go type look as JSON, where they are read or where they are written.
// The schema, the decoder with its checks and the encoder are all made from it, so that they cannot disagree.
type form struct {
	shape jsonKind
	typ   types.Type
	// written is the type as its source writes it, perhaps an alias.
	written types.Type
	// elem is what a pointer, list or map holds.
	elem *form
	// key is the shape of the keys of a map, and keyType their type.
	key     jsonKind
	keyType types.Type
	// members are those of a struct.
	members []*member
	// values are the only ones of an enum, strings or json.Number; keyValues those of its keys.
	values, keyValues []any
	// again says that values may hold others of this type.
	again bool
	// open says that the description is not complete yet.
	open bool
}

// member is one member of an object.
type member struct {
	*jsonField
	rules *fieldRules
	value *form
	// inQuotes says that the value stands in quotes.
	inQuotes bool
	// required says that the member must be there, or always is.
	required bool
	// omits are the conditions under which it is not written.
	omits []ir.OmitKind
	// behind are the selectors of the embedded pointers on the way.
	behind []string
}

// maxForms is how deep types may nest: deeper ones make new types for ever.
const maxForms = 200

// formOf describes values of t that are read, if in is set, or written.
func (b *serverBuilder) formOf(t types.Type, in bool) *form { return b.formAt(t, in, 0) }

// argsOf describes the arguments of a tool: a struct, whatever its methods are, because generated code reads it.
func (b *serverBuilder) argsOf(t types.Type) *form {
	f := b.formOf(t, true)
	if f.shape == shapeStruct || !isStruct(t) {
		return f
	}
	f = &form{shape: shapeStruct, typ: types.Unalias(t), written: t}
	b.fillForm(f, true, 0)
	return f
}

func (b *serverBuilder) formAt(t types.Type, in bool, depth int) *form {
	written := t
	t = types.Unalias(t)
	text := types.TypeString(t, nil)
	if b.namable(written) && !b.namable(t) {
		b.otherNames[text] = written
	}
	key := fmt.Sprint(in, text)
	named := typeName(t) != nil
	if f := b.forms[key]; f != nil && named {
		f.again = f.again || f.open
		return f
	}
	f := &form{shape: b.shapeFor(t, in), typ: t, written: written, open: true}
	if depth > maxForms {
		f.shape = shapeNone
		return f
	}
	if named {
		b.forms[key] = f
	}
	b.fillForm(f, in, depth+1)
	f.open = false
	return f
}

func (b *serverBuilder) fillForm(f *form, in bool, depth int) {
	switch f.shape {
	case shapeEnum:
		f.values = b.constants(f.typ)
	case shapePointer, shapeSlice, shapeArray:
		f.elem = b.formAt(f.typ.Underlying().(interface{ Elem() types.Type }).Elem(), in, depth)
	case shapeMap:
		m := f.typ.Underlying().(*types.Map)
		f.keyType = types.Unalias(m.Key())
		f.key = b.keyShape(f.keyType, in)
		if f.key != shapeText {
			f.keyValues = b.constants(f.keyType)
		}
		f.elem = b.formAt(m.Elem(), in, depth)
	case shapeStruct:
		for _, j := range jsonFields(f.typ) {
			f.members = append(f.members, b.memberOf(f.typ, j, in, depth))
		}
	}
}

// memberOf describes a member of a struct.
func (b *serverBuilder) memberOf(t types.Type, j *jsonField, in bool, depth int) *member {
	m := &member{jsonField: j, rules: b.rulesOf(j, nil), value: b.formAt(j.field().Type(), in, depth)}
	m.behind, _ = b.embeddedPointers(t, j)
	m.inQuotes = j.quoted && quotable(m.value)
	m.omits = b.omits(j)
	m.required = len(m.omits) == 0 && m.behind == nil
	if in {
		m.required = m.rules.required || m.rules.needs(j) && m.behind == nil
	}
	return m
}

// embeddedPointers are the selectors of the embedded pointers on the way to a field of t. It is false if generated code
// cannot name one of them.
func (b *serverBuilder) embeddedPointers(t types.Type, j *jsonField) (out []string, ok bool) {
	for i, v := range j.path[:len(j.path)-1] {
		if _, pointer := types.Unalias(v.Type()).(*types.Pointer); pointer {
			name, ok := b.selectorOf(t, j.path[:i+1])
			if out = append(out, name); !ok {
				return out, false
			}
		}
	}
	return out, true
}

// quotable reports whether the option string of a json tag puts values in quotes: those of basic types without
// methods of their own, and pointers to such.
func quotable(f *form) bool {
	if f.shape == shapePointer && typeName(f.typ) == nil {
		f = f.elem
	}
	return slices.Contains([]jsonKind{shapeBool, shapeInt, shapeUint, shapeFloat, shapeString, shapeEnum, shapeNumeral},
		f.shape)
}

// takesAnything reports whether the schema of f says nothing, so that encoding/json reads and writes it.
func (f *form) takesAnything() bool {
	for f.shape == shapePointer {
		f = f.elem
	}
	return f.shape == shapeAny || f.shape == shapeRaw
}

// holds reports whether values of f have parts, perhaps behind pointers.
func (f *form) holds() bool {
	for f.shape == shapePointer {
		f = f.elem
	}
	return f.shape == shapeStruct || f.shape == shapeSlice || f.shape == shapeArray || f.shape == shapeMap
}

// hasFunction reports whether values of f are read and written by a function of their own.
func (b *serverBuilder) hasFunction(f *form) bool {
	holds := f.shape == shapeSlice || f.shape == shapeArray || f.shape == shapeMap || f.shape == shapePointer
	return (f.shape == shapeStruct || holds && f.again) && typeName(f.typ) != nil && b.writable(b.nameOf(f))
}

// nameOf is the type of f as generated code writes it: by an alias if it has no other name here.
func (b *serverBuilder) nameOf(f *form) types.Type {
	if alias := b.otherNames[types.TypeString(f.typ, nil)]; alias != nil {
		return alias
	}
	return f.written
}

// hasName reports whether generated code can write the type of f.
func (b *serverBuilder) hasName(f *form) bool { return b.namable(b.nameOf(f)) }

// writable is namable for a type whose parts without a name are written out.
func (b *serverBuilder) writable(t types.Type) bool {
	switch t := t.(type) {
	case *types.Named:
		if !b.reachable(t.Obj()) {
			return false
		}
		for arg := range t.TypeArgs().Types() {
			if !b.writable(arg) {
				return false
			}
		}
		return true
	case *types.Struct:
		for f := range t.Fields() {
			if !f.Exported() && f.Pkg().Path() != b.pkg.Path || !b.writable(f.Type()) {
				return false
			}
		}
		return true
	case *types.Interface:
		for m := range t.Methods() {
			if !m.Exported() && m.Pkg().Path() != b.pkg.Path || !b.writable(m.Signature()) {
				return false
			}
		}
		return true
	case *types.Signature:
		return b.allWritable(t.Params()) && b.allWritable(t.Results())
	case *types.Map:
		return b.writable(t.Key()) && b.writable(t.Elem())
	case interface{ Elem() types.Type }: // pointers, lists, channels
		return b.writable(t.Elem())
	}
	return b.namable(t)
}

func (b *serverBuilder) allWritable(list *types.Tuple) bool {
	for v := range list.Variables() {
		if !b.writable(v.Type()) {
			return false
		}
	}
	return true
}

// endless reports whether generated code for f would never come to an end: a type without a name that it can write
// holds itself.
func (b *serverBuilder) endless(f *form) bool { return b.loops(f, nil, map[*form]bool{}) }

// loops is endless for f inside of around, which are written out in one function. seen have functions.
func (b *serverBuilder) loops(f *form, around []*form, seen map[*form]bool) bool {
	switch {
	case b.hasFunction(f):
		if seen[f] {
			return false
		}
		seen[f], around = true, nil
	case slices.Contains(around, f):
		return true
	default:
		around = append(slices.Clip(around), f)
	}
	if f.elem != nil && b.loops(f.elem, around, seen) {
		return true
	}
	return slices.ContainsFunc(f.members, func(m *member) bool { return b.loops(m.value, around, seen) })
}
