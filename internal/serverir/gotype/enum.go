package gotype

import (
	"encoding/json"
	"go/constant"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/internal/load"
)

// Source is where the values of a type are read from.
type Source uint8

// The sources of values.
const (
	FromJSON Source = iota // arguments of tools, and forms
	FromText               // variables of URIs, arguments of prompts, and keys of maps
)

// Limit says how an enum directive limits the values of a type. The zero Limit does not.
type Limit struct {
	// Values are the constants of the type, strings or json.Number, each once; nil for any value.
	Values []any
	// Late says that values are compared after a method of the type has made them. Schemas and completions cannot
	// show the constants then, because only the method knows how they are written. Else what is read is compared, before
	// a method gets it.
	Late bool
}

// lateness says when the values of types with an enum directive are compared. It is the one table of that: tools,
// prompts, forms, templates and completions ask LimitOf. The first row that fits counts.
var lateness = []struct {
	from  Source
	reads func(t types.Type) bool
	// numbers says that the row is for types of integers only.
	numbers, late bool
}{
	{from: FromJSON, reads: UnmarshalsJSON, late: true},
	{from: FromJSON, reads: UnmarshalsText, numbers: true, late: true},
	{from: FromText, reads: UnmarshalsText, numbers: true, late: true},
}

// LimitOf returns how values of t that are read from a source are limited.
func (b *Scope) LimitOf(t types.Type, from Source) Limit {
	obj := TypeName(t)
	basic, ok := t.Underlying().(*types.Basic)
	if obj == nil || obj.Pkg() == nil || !ok || basic.Info()&(types.IsString|types.IsInteger) == 0 || !b.Res.IsEnum(obj) {
		return Limit{}
	}
	limit := Limit{Values: ValuesOf(b.Res.Constants(obj))}
	for _, row := range lateness {
		if row.from == from && row.reads(t) && (!row.numbers || !IsString(t)) {
			limit.Late = row.late
			break
		}
	}
	return limit
}

// ValuesOf returns the values of constants without repetitions, in the order of their declarations.
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
