// Package jsontype describes Go types as JSON, with the rules that tags give. Schemas, decoders and encoders are made
// from that description, so that they cannot disagree.
package jsontype

import (
	"fmt"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/tagrule"
)

// maxDepth is how deep types may nest: deeper ones make new types for ever.
const maxDepth = 200

// Of describes values of t that are read, if in is set, or written.
func (b *Types) Of(t types.Type, in bool) *Type { return b.at(t, in, 0) }

// ArgsOf describes the arguments of a tool: a struct, whatever its methods are, because generated code reads it.
func (b *Types) ArgsOf(t types.Type) *Type {
	f := b.Of(t, true)
	if f.Kind == Struct || !gotype.IsStruct(t) {
		return f
	}
	f = &Type{Kind: Struct, Typ: types.Unalias(t), written: t}
	b.fill(f, true, 0)
	return f
}

func (b *Types) at(t types.Type, in bool, depth int) *Type {
	written := t
	t = types.Unalias(t)
	text := types.TypeString(t, nil)
	if b.Namable(written) && !b.Namable(t) {
		b.otherNames[text] = written
	}
	key := fmt.Sprint(in, text)
	named := gotype.TypeName(t) != nil
	if f := b.forms[key]; f != nil && named {
		f.Again = f.Again || f.open
		return f
	}
	f := &Type{Kind: b.KindFor(t, in), Typ: t, written: written, open: true}
	if depth > maxDepth {
		f.Kind = None
		return f
	}
	if named {
		b.forms[key] = f
	}
	b.fill(f, in, depth+1)
	f.open = false
	return f
}

func (b *Types) fill(f *Type, in bool, depth int) {
	switch f.Kind {
	case Enum:
		f.Values = b.constants(f.Typ, in)
	case Text, Any:
		if limit := b.LimitOf(f.Typ, gotype.FromJSON); in && limit.Late {
			f.Late = limit.Values
		}
	case Bytes:
		if in {
			f.Late = b.LimitOf(f.Typ.Underlying().(interface{ Elem() types.Type }).Elem(), gotype.FromJSON).Values
		}
	case Pointer, Slice, Array:
		f.Elem = b.at(f.Typ.Underlying().(interface{ Elem() types.Type }).Elem(), in, depth)
	case Map:
		m := f.Typ.Underlying().(*types.Map)
		f.KeyType = types.Unalias(m.Key())
		f.Key = b.keyKind(f.KeyType, in)
		if limit := b.LimitOf(f.KeyType, gotype.FromText); in || f.Key != Text {
			f.KeyValues, f.KeyLate = limit.Values, in && limit.Late
		}
		f.Elem = b.at(m.Elem(), in, depth)
	case Struct:
		for _, j := range tagrule.Fields(f.Typ) {
			f.Members = append(f.Members, b.memberOf(f.Typ, j, in, depth))
		}
	}
}

// memberOf describes a member of a struct.
func (b *Types) memberOf(t types.Type, j *tagrule.Field, in bool, depth int) *Member {
	m := &Member{Field: j, Rules: b.RulesOf(j, nil), Value: b.at(j.Var().Type(), in, depth)}
	m.Behind, _ = b.EmbeddedPointers(t, j)
	m.InQuotes = j.Quoted && quotable(m.Value)
	m.Omits = b.omits(j)
	m.Required = len(m.Omits) == 0 && m.Behind == nil
	if in {
		m.Required = m.Rules.Required || m.Rules.Needs(j) && m.Behind == nil
	}
	return m
}

// EmbeddedPointers are the selectors of the embedded pointers on the way to a field of t. It is false if generated code
// cannot name one of them.
func (b *Types) EmbeddedPointers(t types.Type, j *tagrule.Field) (out []string, ok bool) {
	for i, v := range j.Path[:len(j.Path)-1] {
		if _, pointer := types.Unalias(v.Type()).(*types.Pointer); pointer {
			name, ok := b.SelectorOf(t, j.Path[:i+1])
			if out = append(out, name); !ok {
				return out, false
			}
		}
	}
	return out, true
}

// HasFunction reports whether values of f are read and written by a function of their own.
func (b *Types) HasFunction(f *Type) bool {
	holds := f.Kind == Slice || f.Kind == Array || f.Kind == Map || f.Kind == Pointer
	return (f.Kind == Struct || holds && f.Again) && gotype.TypeName(f.Typ) != nil && b.Writable(b.NameOf(f))
}

// NameOf is the type of f as generated code writes it: by an alias if it has no other name here.
func (b *Types) NameOf(f *Type) types.Type {
	if alias := b.otherNames[types.TypeString(f.Typ, nil)]; alias != nil {
		return alias
	}
	return f.written
}

// HasName reports whether generated code can write the type of f.
func (b *Types) HasName(f *Type) bool { return b.Namable(b.NameOf(f)) }

// Endless reports whether generated code for f would never come to an end: a type without a name that it can write
// holds itself.
func (b *Types) Endless(f *Type) bool { return b.loops(f, nil, map[*Type]bool{}) }

// loops is endless for f inside of around, which are written out in one function. seen have functions.
func (b *Types) loops(f *Type, around []*Type, seen map[*Type]bool) bool {
	switch {
	case b.HasFunction(f):
		if seen[f] {
			return false
		}
		seen[f], around = true, nil
	case slices.Contains(around, f):
		return true
	default:
		around = append(slices.Clip(around), f)
	}
	if f.Elem != nil && b.loops(f.Elem, around, seen) {
		return true
	}
	return slices.ContainsFunc(f.Members, func(m *Member) bool { return b.loops(m.Value, around, seen) })
}
