package jsontype

import (
	"encoding/json"
	"go/constant"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/internal/load"
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
	case in && gotype.UnmarshalsJSON(t) || gotype.MarshalsJSON(t):
		return Any
	case !in && gotype.MarshalsText(t):
		return Text
	case b.constants(t) != nil:
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

// constants returns the only values of t, strings or json.Number, or nil if t takes any. Only an enum
// directive limits a type to its constants.
func (b *Types) constants(t types.Type) []any {
	obj := gotype.TypeName(t)
	basic, ok := t.Underlying().(*types.Basic)
	if obj == nil || obj.Pkg() == nil || !ok || basic.Info()&(types.IsString|types.IsInteger) == 0 || !b.IsEnum(obj) {
		return nil
	}
	if basic.Info()&types.IsString == 0 && gotype.UnmarshalsText(t) {
		return nil // only its methods know the words for the numbers
	}
	return ValuesOf(b.Res.Constants(obj))
}

// ValuesOf returns different values in declared order.
func ValuesOf(all []load.Constant) []any {
	var out []any
	for _, c := range all {
		var v any = json.Number(c.Value.ExactString())
		if c.Value.Kind() == constant.String {
			v = constant.StringVal(c.Value)
		}
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}
