package jsontype

import (
	"go/constant"
	"go/types"

	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
)

// Labels are the constants of an enum of texts with the comments behind them; nil unless each has one.
func (b *Types) Labels(t types.Type) (out [][2]string) {
	obj := gotype.TypeName(t)
	if obj == nil || b.KindOf(t) != Enum || !gotype.IsString(t) {
		return nil
	}
	for _, c := range b.Res.Constants(obj) {
		if c.Label == "" {
			return nil
		}
		out = append(out, [2]string{constant.StringVal(c.Value), c.Label})
	}
	return out
}
