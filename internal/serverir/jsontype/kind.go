package jsontype

import (
	"go/types"

	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
)

// KindOf finds out how values of t are read from JSON.
func (b *Types) KindOf(t types.Type) Kind { return b.KindFor(t, true) }

// KindFor finds out how values of t are read from JSON, if in is set, or written.
func (b *Types) KindFor(t types.Type, in bool) Kind {
	if b.MappingOf(t) != nil {
		return Mapped
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		if gotype.OnlyPointers(t) {
			return None
		}
		return Pointer
	case *types.Interface:
		if in && u.NumMethods() > 0 {
			return Interface
		}
		return Any
	}
	switch {
	case gotype.IsNamed(t, "encoding/json", "RawMessage"):
		return Raw
	case gotype.IsNamed(t, "encoding/json", "Number"):
		return Numeral
	case gotype.IsNamed(t, "time", "Time"):
		return Time
	case in && gotype.UnmarshalsJSON(t) || !in && gotype.MarshalsJSON(t):
		return Any
	case !in && gotype.MarshalsText(t):
		return Text
	case b.constants(t, in) != nil:
		return Enum
	case in && gotype.UnmarshalsText(t):
		return Text
	}
	return b.plainKind(t, in)
}

// plainKind is the shape of a type without methods of its own.
func (b *Types) plainKind(t types.Type, in bool) Kind {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return BasicKind(u.Info())
	case *types.Slice:
		if gotype.ByteElem(u.Elem(), in) {
			return Bytes
		}
		return Slice
	case *types.Array:
		return Array
	case *types.Map:
		if b.keyKind(types.Unalias(u.Key()), in) == None {
			return None
		}
		return Map
	case *types.Struct:
		return Struct
	}
	return None
}

// keyKind says what names the keys of a map of type key are: String, Int, Uint, Text or None.
// A string is written as it is, whatever its methods are; encoding/json does the same.
func (b *Types) keyKind(key types.Type, in bool) Kind {
	basic, ok := key.Underlying().(*types.Basic)
	text := ok && basic.Info()&types.IsString != 0
	switch {
	case in && gotype.UnmarshalsText(key), !in && !text && gotype.ValueMarshalsText(key):
		return Text
	case ok && basic.Info()&(types.IsString|types.IsInteger) != 0:
		return BasicKind(basic.Info())
	}
	return None
}

// constants returns the only values of t, strings or json.Number, or nil if t takes any, or if a method makes its
// values of something else.
func (b *Types) constants(t types.Type, in bool) []any {
	limit := b.LimitOf(t, gotype.FromJSON)
	if in && limit.Late {
		return nil
	}
	return limit.Values
}
