package jsontype

import (
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/tagrule"
)

// omits returns the conditions that leave a field out.
func (b *Types) omits(f *tagrule.Field) []ir.OmitKind {
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	words := strings.Split(options, ",")
	var out []ir.OmitKind
	t := f.Var().Type()
	if slices.Contains(words, "omitempty") {
		if kind := omitEmpty(t); kind != 0 {
			out = append(out, kind)
		}
	}
	if slices.Contains(words, "omitzero") {
		if kind := b.omitZero(t); len(out) == 0 || out[0] != kind {
			out = append(out, kind)
		}
	}
	return out
}

// omitEmpty is the condition of the option omitempty; 0 for types that are never empty.
func omitEmpty(t types.Type) ir.OmitKind {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return omitBasic(u)
	case *types.Pointer, *types.Interface:
		return ir.OmitNil
	case *types.Slice, *types.Map:
		return ir.OmitEmpty
	case *types.Array:
		if u.Len() == 0 {
			return ir.OmitEmpty
		}
	}
	return 0
}

func omitBasic(u *types.Basic) ir.OmitKind {
	switch info := u.Info(); {
	case info&types.IsString != 0:
		return ir.OmitText
	case info&types.IsBoolean != 0:
		return ir.OmitFalse
	}
	return ir.OmitZero
}

// omitZero is the condition of the option omitzero.
func (b *Types) omitZero(t types.Type) ir.OmitKind {
	_, pointer := t.Underlying().(*types.Pointer)
	switch {
	case pointer && gotype.HasTextMethod(t, "IsZero", "", "bool"):
		return ir.OmitPointer
	case gotype.IsInterface(t) && !t.Underlying().(*types.Interface).Empty():
		return ir.OmitOther
	case gotype.HasTextMethod(t, "IsZero", "", "bool"):
		return ir.OmitMethod
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return omitBasic(u)
	case *types.Pointer, *types.Interface, *types.Slice, *types.Map:
		return ir.OmitNil
	case *types.Struct:
		if types.Comparable(t) && b.Namable(t) && gotype.TypeName(t) != nil {
			return ir.OmitStruct
		}
	}
	return ir.OmitOther
}
