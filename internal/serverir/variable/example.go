package variable

import (
	"cmp"
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/serverir/jsonschema"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// CheckExample reports an example that is no value of kind, or that another option of the same line does not allow.
// The name is that of the variable or argument, and typ its type as the source has it.
func CheckExample(r *report.Reporter, name string, kind *ir.Var, m *directive.Limits, typ string) bool {
	from, to := source.ValueOf(m.Example.Arg)
	if !Parses(kind, m.Example.V) {
		better := &directive.Arg{Option: "example", HasValue: true, Value: requested(kind, m)}
		r.Report("MCP306", from, to, fmt.Sprintf("the example of `%s` is no value of its type `%s`", name, typ),
			report.Fix(better.String()))
		return false
	}
	var bound *directive.Arg
	switch {
	case kind.Kind == ir.VarString:
		bound = refusing(m, m.Example.V)
	case isNumber(kind):
		bound = outOf(kind, m, m.Example)
	}
	if bound != nil {
		r.Report("MCP306", from, to, fmt.Sprintf("the example of `%s` is not a value that `%s` allows", name, bound.Option),
			r.Related(bound.Pos, bound.End, "the rule"), report.Fix("change one of them"))
	}
	return bound == nil
}

// requested is a value of kind as a request could have it, within the limits. A default may also be relative to now.
func requested(kind *ir.Var, m *directive.Limits) string {
	if kind.Kind == ir.VarTime {
		return time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC).Format(cmp.Or(kind.Layout, time.RFC3339))
	}
	return within(kind, m, ExampleOf(kind))
}

// within is a number, or the bound that it is out of. Bounds that are no values of kind do not count.
func within(kind *ir.Var, m *directive.Limits, number string) string {
	for _, side := range []struct {
		bound directive.String
		out   int
	}{{m.Min, -1}, {m.Max, 1}} {
		order, ok := jsonschema.CompareNumbers(number, literal(kind, side.bound.V))
		if isNumber(kind) && side.bound.Set() && Parses(kind, side.bound.V) && ok && order == side.out {
			return side.bound.V
		}
	}
	return number
}
