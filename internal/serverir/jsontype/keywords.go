package jsontype

import (
	"go/types"

	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/tagrule"
)

// classOf finds out what keywords are for values of type t, and for its elements.
func (b *Types) classOf(t types.Type) tagrule.Class {
	c := b.PlainClass(t)
	if c.Has(tagrule.OnList) {
		elem := b.PlainClass(c.Type.Underlying().(interface{ Elem() types.Type }).Elem())
		c.Elem = &elem
	}
	return c
}

// classOfField is classOf for a field, whose tag may put its value in quotes.
func (b *Types) classOfField(f *tagrule.Field) tagrule.Class {
	t := types.Unalias(f.Var().Type())
	c := b.classOf(t)
	if gotype.TypeName(t) == nil {
		t = gotype.Deref(t)
	}
	const plain = tagrule.OnText | tagrule.OnInt | tagrule.OnFloat | tagrule.OnBool
	if _, pointer := t.Underlying().(*types.Pointer); f.Quoted && !pointer && c.Has(plain) {
		return tagrule.Class{Classes: tagrule.OnWord, Noun: c.Noun + " in quotes", Type: c.Type}
	}
	return c
}

// PlainClass is classOf without the elements.
func (b *Types) PlainClass(t types.Type) tagrule.Class {
	t = types.Unalias(t)
	for {
		p, ok := t.Underlying().(*types.Pointer)
		if !ok || gotype.TypeName(t) != nil {
			break
		}
		t = types.Unalias(p.Elem())
	}
	c := tagrule.Class{Type: t}
	switch b.KindOf(t) {
	case String:
		c.Classes, c.Noun = tagrule.OnText, "a text"
	case Text, Time:
		c.Classes, c.Noun = tagrule.OnWord, "a text that a method reads"
	case Bool:
		c.Classes, c.Noun = tagrule.OnBool, "a boolean"
	case Int, Uint:
		c.Classes, c.Noun = tagrule.OnInt, "an integer"
	case Float:
		c.Classes, c.Noun = tagrule.OnFloat, "a number"
	case Enum:
		c.Classes, c.Noun, c.Values = tagrule.OnInt, "an enum", b.constants(t, true)
		if gotype.IsString(t) {
			c.Classes = tagrule.OnText
		}
	case Slice, Array:
		c.Classes, c.Noun = tagrule.OnList, "a list"
	case Map:
		c.Classes, c.Noun = tagrule.OnMap, "a map"
	case Mapped:
		c.Classes, c.Noun = tagrule.OnOther, "of a type with //mcp:type"
	case Bytes:
		c.Classes, c.Noun = tagrule.OnOther, "bytes"
	case Struct:
		c.Classes, c.Noun = tagrule.OnOther, "a struct"
	default:
		c.Classes, c.Noun = tagrule.OnOther, "a value of any form"
	}
	return c
}

// RulesOf reads the tags of a field. Mistakes are reported to w, unless that is nil.
func (b *Types) RulesOf(f *tagrule.Field, w *tagrule.Mistakes) *tagrule.Rules {
	return b.Tags.Read(f, b.classOfField(f), w)
}
