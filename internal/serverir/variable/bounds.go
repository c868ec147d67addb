package variable

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/serverir/jsonschema"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// Limit sets the limits of a variable. CheckLimits checks later whether its type can have them.
func (b *Reader) Limit(v *ir.Var, m *directive.Limits) {
	if b.limits == nil {
		b.limits = map[*ir.Var]*directive.Limits{}
	}
	b.limits[v] = m
	v.Layout, v.Min, v.Max = m.Layout.V, m.Min.V, m.Max.V
	v.Default, v.HasDefault = m.Default.V, m.Default.Set()
	if m.Minlen.Set() {
		v.MinLen = int(m.Minlen.V)
	}
	if m.Maxlen.Set() {
		v.MaxLen = int(m.Maxlen.V)
	}
}

// kindOf returns the variable itself, or the variable for an element if it is a slice.
func kindOf(v *ir.Var) *ir.Var {
	if v.Elem != nil {
		return v.Elem
	}
	return v
}

// CheckComplete reports completions that the type of a variable does not have.
func (b *Reader) CheckComplete(v *ir.Var, complete directive.Enum) {
	kind := kindOf(v)
	if _, ok := Completion(v, 0); complete.V == "enum" && !ok {
		b.Report("MCP303", complete.Arg.Pos, complete.Arg.End,
			fmt.Sprintf("`%s` is `%s`, which has no constants to complete with", v.Name, b.GoTypeText(kind.Type)),
			report.Fix("give it a type with //mcp:enum, or write a function with //mcp:complete"))
	}
}

// CheckLimits reports limits that the type of a variable of s cannot have.
func (b *Reader) CheckLimits(s *Set, v *ir.Var, m *directive.Limits) {
	kind := kindOf(v)
	good := b.boundValue(v, kind, m, m.Default)
	if b.number(v, kind, m, m.Min) && b.number(v, kind, m, m.Max) && good {
		b.inOrder(v, kind, m)
	}
	v.Min, v.Max = literal(kind, v.Min), literal(kind, v.Max)
	if m.Default.Set() && !s.Args && !v.Op.InQuery() {
		from, to := source.ValueOf(m.Default.Arg)
		b.Report("MCP304", from, to, fmt.Sprintf("`%s` is part of the path and always there, so its default is never used",
			v.Name), report.Fix("remove it"))
	}
	b.onlyFor(v, kind, m.Minlen.Arg, kind.Kind == ir.VarString, "strings")
	b.onlyFor(v, kind, m.Maxlen.Arg, kind.Kind == ir.VarString, "strings")
	b.onlyFor(v, kind, m.Layout.Arg, kind.Kind == ir.VarTime, "times")
	b.onlyFor(v, kind, m.Pattern.Arg, kind.Kind == ir.VarString, "strings")
	if kind.Kind == ir.VarString {
		b.textBounds(v, m)
	}
	b.example(s, v, kind, m)
	if m.Layout.Set() && kind.Kind == ir.VarTime && time.Date(1999, 11, 12, 13, 14, 15, 16,
		time.UTC).Format(m.Layout.V) == m.Layout.V {
		from, to := source.ValueOf(m.Layout.Arg)
		b.Report("MCP109", from, to, fmt.Sprintf("`%s` holds no part of a time", m.Layout.V),
			report.Hint("a layout shows how 2 January 2006, 15:04:05 is written"), report.Fix("layout=2006-01-02"))
	}
}

// example checks the example of a variable, and adds it to the description of an argument of a prompt.
func (b *Reader) example(s *Set, v, kind *ir.Var, m *directive.Limits) {
	if m.Example.Set() && CheckExample(b.Reporter, v.Name, kind, m, b.GoTypeText(kind.Type)) && s.Args {
		v.Desc = strings.TrimSpace(v.Desc + " (example: " + m.Example.V + ")")
	}
}

// textBounds checks limits that only texts have: lengths and a pattern.
func (b *Reader) textBounds(v *ir.Var, m *directive.Limits) {
	if m.Pattern.Set() {
		v.Pattern = &ir.VarPattern{Name: b.PatternName(v.Param, m.Pattern.V.String()), Expr: m.Pattern.Arg.Value,
			Whole: m.Pattern.V.String()}
	}
	if m.Minlen.Set() && m.Maxlen.Set() && m.Minlen.V > m.Maxlen.V {
		b.contrary(m.Minlen.Arg, m.Maxlen.Arg)
		return
	}
	if bound := refusing(m, m.Default.V); m.Default.Set() && bound != nil {
		from, to := source.ValueOf(m.Default.Arg)
		b.Report("MCP304", from, to, fmt.Sprintf("the default of `%s` is not a value that `%s` allows", v.Name, bound.Option),
			b.Related(bound.Pos, bound.End,
				"the rule"), report.Fix("change one of them; a pointer without default= is nil when the variable is absent"))
	}
}

// refusing returns the limit that a text violates; nil if it violates none.
func refusing(m *directive.Limits, text string) *directive.Arg {
	n := int64(utf8.RuneCountInString(text))
	switch {
	case m.Minlen.Set() && n < m.Minlen.V:
		return m.Minlen.Arg
	case m.Maxlen.Set() && n > m.Maxlen.V:
		return m.Maxlen.Arg
	case m.Pattern.Set() && !m.Pattern.V.MatchString(text):
		return m.Pattern.Arg
	}
	return nil
}

// outOf returns the bound that a number violates; nil if it violates none.
func outOf(kind *ir.Var, m *directive.Limits, x directive.String) *directive.Arg {
	switch {
	case less(kind, x, m.Min):
		return m.Min.Arg
	case less(kind, m.Max, x):
		return m.Max.Arg
	}
	return nil
}

// less compares two options that are numbers. It returns false if one was not written.
func less(kind *ir.Var, x, y directive.String) bool {
	order, ok := jsonschema.CompareNumbers(literal(kind, x.V), literal(kind, y.V))
	return x.Set() && y.Set() && ok && order < 0
}

// boundValue reports a bound or default that is no value of the variable.
func (b *Reader) boundValue(v, kind *ir.Var, m *directive.Limits, s directive.String) bool {
	relative := kind.Kind == ir.VarTime && Parses(&ir.Var{Kind: ir.VarDuration}, s.V) // -1h: an hour ago
	if !s.Set() || relative || Parses(kind, s.V) {
		return true
	}
	from, to := source.ValueOf(s.Arg)
	b.Report("MCP304", from, to, fmt.Sprintf("`%s` is not a value of `%s`, which is `%s`", s.V, v.Name,
		b.GoTypeText(kind.Type)), report.Fix(s.Arg.Option+"="+boundExample(s.Arg.Option, kind, m)))
	return false
}

// boundExample returns a value for the option of a bound or default, for messages.
func boundExample(key string, kind *ir.Var, m *directive.Limits) string {
	switch {
	case key == "min" && isNumber(kind):
		return "1"
	case key == "default":
		return within(kind, m, ExampleOf(kind))
	}
	return ExampleOf(kind)
}

// number is boundValue for options that only numbers have.
func (b *Reader) number(v, kind *ir.Var, m *directive.Limits, s directive.String) bool {
	if !s.Set() || isNumber(kind) {
		return b.boundValue(v, kind, m, s)
	}
	better := "remove it"
	if kind.Kind == ir.VarString {
		better = fmt.Sprintf("%slen=%s bounds the length", s.Arg.Option, s.V)
	}
	from, to := source.ValueOf(s.Arg)
	b.Report("MCP303", from, to, fmt.Sprintf("`%s` is for numbers, and `%s` is `%s`", s.Arg.Option, v.Name,
		b.GoTypeText(kind.Type)), report.Fix(better))
	return false
}

// inOrder reports bounds that no value satisfies, and a default outside of the bounds.
func (b *Reader) inOrder(v, kind *ir.Var, m *directive.Limits) {
	if !isNumber(kind) {
		return
	}
	if less(kind, m.Max, m.Min) {
		b.contrary(m.Min.Arg, m.Max.Arg)
		return
	}
	if bound := outOf(kind, m, m.Default); bound != nil {
		from, to := source.ValueOf(m.Default.Arg)
		b.Report("MCP304", from, to, fmt.Sprintf("the default of `%s` is out of its bounds", v.Name),
			b.Related(bound.Pos, bound.End, "the bound"), report.Fix("default="+bound.Value))
	}
}

// contrary reports a lower bound above the upper one.
func (b *Reader) contrary(low, high *directive.Arg) {
	b.Report("MCP109", low.Pos, low.End, fmt.Sprintf("`%s` is above `%s`, so no value is left", low.Text(), high.Text()),
		b.Related(high.Pos, high.End, "the upper bound"), report.Fix("swap the two"))
}

// onlyFor reports an option without meaning for the type of the variable.
func (b *Reader) onlyFor(v, kind *ir.Var, arg *directive.Arg, fits bool, what string) {
	if arg == nil || fits {
		return
	}
	b.Report("MCP303", arg.OptionPos(), arg.OptionEnd(), fmt.Sprintf("`%s` is for %s, and `%s` is `%s`", arg.Option, what,
		v.Name, b.GoTypeText(kind.Type)), report.Fix("remove it"))
}

func isNumber(v *ir.Var) bool {
	return v.Kind == ir.VarInt || v.Kind == ir.VarUint || v.Kind == ir.VarFloat
}

// literal returns a bound in the spelling of Go, in which 010 would be another number.
func literal(v *ir.Var, text string) string {
	switch v.Kind {
	case ir.VarInt:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return strconv.FormatInt(n, 10)
		}
	case ir.VarUint:
		if n, err := strconv.ParseUint(text, 10, 64); err == nil {
			return strconv.FormatUint(n, 10)
		}
	case ir.VarFloat:
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			return strconv.FormatFloat(x, 'g', -1, 64)
		}
	}
	return text
}

// Parses reports whether text is a valid value of the kind of v in a request.
func Parses(v *ir.Var, text string) bool {
	var err error
	switch v.Kind {
	case ir.VarBool:
		return text == "true" || text == "false" || text == "1" || text == "0"
	case ir.VarInt: // int has 32 bits on some machines
		_, err = strconv.ParseInt(text, 10, cmp.Or(v.Bits, 32))
	case ir.VarUint:
		_, err = strconv.ParseUint(text, 10, cmp.Or(v.Bits, 32))
	case ir.VarFloat:
		var x float64
		x, err = strconv.ParseFloat(text, cmp.Or(v.Bits, 64))
		return err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
	case ir.VarEnum:
		return slices.Contains(v.Values, text)
	case ir.VarText:
		return v.Values == nil || v.Late || slices.Contains(v.Values, text)
	case ir.VarDuration:
		_, err = time.ParseDuration(text)
	case ir.VarTime:
		_, err = time.Parse(cmp.Or(v.Layout, time.RFC3339), text)
	}
	return err == nil
}
