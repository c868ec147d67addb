package variable

import (
	"slices"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
)

// FieldName is the field of a reference that holds the parameter called param: its name in the style of
// Go, unless a field has that already. RefInfo is embedded.
func FieldName(vars []*ir.Var, param string) string {
	taken := func(name string) bool {
		return name == "RefInfo" || slices.ContainsFunc(vars, func(v *ir.Var) bool { return v.GoName == name })
	}
	name := goname.Of(param)
	if taken(name) || strings.ContainsFunc(param, func(r rune) bool { return r > unicode.MaxASCII }) {
		name = goname.UpperFirst(param)
	}
	for taken(name) {
		name += "Var"
	}
	return name
}
