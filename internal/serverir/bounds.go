package serverir

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
)

// checkBounds reports what a var line asks for and the type of the variable cannot have.
func (b *serverBuilder) checkBounds(v *ir.Var, m *directive.Var, query bool) {
	kind := v
	if v.Elem != nil {
		kind = v.Elem
	}
	good := b.boundValue(v, kind, m.Default)
	if b.number(v, kind, m.Min) && b.number(v, kind, m.Max) && good {
		b.inOrder(v, kind, m)
	}
	v.Min, v.Max = literal(kind, v.Min), literal(kind, v.Max)
	if m.Default.Set() && !query {
		from, to := valueOf(m.Default.Arg)
		b.report("MCP304", from, to, fmt.Sprintf("`%s` is part of the path and always there, so its default is never used",
			v.Name), fix("remove it"))
	}
	b.onlyFor(v, kind, m.Minlen.Arg, kind.Kind == ir.VarString, "strings")
	b.onlyFor(v, kind, m.Maxlen.Arg, kind.Kind == ir.VarString, "strings")
	b.onlyFor(v, kind, m.Layout.Arg, kind.Kind == ir.VarTime, "times")
	b.onlyFor(v, kind, m.Pattern.Arg, kind.Kind == ir.VarString, "strings")
	if kind.Kind == ir.VarString {
		b.textBounds(v, m)
	}
	if m.Layout.Set() && kind.Kind == ir.VarTime && time.Date(1999, 11, 12, 13, 14, 15, 16,
		time.UTC).Format(m.Layout.V) == m.Layout.V {
		from, to := valueOf(m.Layout.Arg)
		b.report("MCP109", from, to, fmt.Sprintf("`%s` holds no part of a time", m.Layout.V),
			hint("a layout shows how 2 January 2006, 15:04:05 is written"), fix("layout=2006-01-02"))
	}
	if m.Complete.V == "enum" && kind.Kind != ir.VarEnum && kind.Kind != ir.VarBool {
		b.report("MCP303", m.Complete.Arg.Pos, m.Complete.Arg.End,
			fmt.Sprintf("`%s` is `%s`, which has no constants to propose", v.Name, b.goTypeText(kind.Type)),
			fix("give it a type with //mcp:enum, or write a function with //mcp:complete"))
	}
}

// textBounds checks what only texts have: limits of the length, and a pattern.
func (b *serverBuilder) textBounds(v *ir.Var, m *directive.Var) {
	if m.Pattern.Set() {
		v.Pattern = &ir.VarPattern{Name: b.patternName(v.Param, m.Pattern.V.String()), Expr: m.Pattern.Arg.Value,
			Whole: m.Pattern.V.String()}
	}
	n := int64(utf8.RuneCountInString(m.Default.V))
	var bound *directive.Arg
	switch {
	case m.Minlen.Set() && m.Maxlen.Set() && m.Minlen.V > m.Maxlen.V:
		b.contrary(m.Minlen.Arg, m.Maxlen.Arg)
	case !m.Default.Set():
	case m.Minlen.Set() && n < m.Minlen.V:
		bound = m.Minlen.Arg
	case m.Maxlen.Set() && n > m.Maxlen.V:
		bound = m.Maxlen.Arg
	case m.Pattern.Set() && !m.Pattern.V.MatchString(m.Default.V):
		bound = m.Pattern.Arg
	}
	if bound != nil {
		from, to := valueOf(m.Default.Arg)
		b.report("MCP304", from, to, fmt.Sprintf("the default of `%s` is not a value that `%s` allows", v.Name, bound.Option),
			b.related(bound.Pos, bound.End,
				"the rule"), fix("change one of them; a pointer without default= is nil when the variable is absent"))
	}
}

// boundValue reports a text that is no value of the variable.
func (b *serverBuilder) boundValue(v, kind *ir.Var, s directive.String) bool {
	if !s.Set() || parses(kind, s.V) {
		return true
	}
	from, to := valueOf(s.Arg)
	b.report("MCP304", from, to, fmt.Sprintf("`%s` is not a value of `%s`, which is `%s`", s.V, v.Name,
		b.goTypeText(kind.Type)), fix(s.Arg.Option+"="+boundExample(s.Arg.Option, kind)))
	return false
}

// boundExample is a value for the option of a bound or default.
func boundExample(key string, kind *ir.Var) string {
	if key == "min" && isNumber(kind) {
		return "1"
	}
	return exampleOf(kind)
}

// number is boundValue for what only numbers have.
func (b *serverBuilder) number(v, kind *ir.Var, s directive.String) bool {
	if !s.Set() || isNumber(kind) {
		return b.boundValue(v, kind, s)
	}
	better := "remove it"
	if kind.Kind == ir.VarString {
		better = fmt.Sprintf("%slen=%s bounds the length", s.Arg.Option, s.V)
	}
	from, to := valueOf(s.Arg)
	b.report("MCP303", from, to, fmt.Sprintf("`%s` is for numbers, and `%s` is `%s`", s.Arg.Option, v.Name,
		b.goTypeText(kind.Type)), fix(better))
	return false
}

// inOrder reports bounds that leave nothing, and a default outside of them.
func (b *serverBuilder) inOrder(v, kind *ir.Var, m *directive.Var) {
	if !isNumber(kind) {
		return
	}
	less := func(x, y directive.String) bool {
		order, ok := compareNumbers(literal(kind, x.V), literal(kind, y.V))
		return x.Set() && y.Set() && ok && order < 0
	}
	switch {
	case less(m.Max, m.Min):
		b.contrary(m.Min.Arg, m.Max.Arg)
	case less(m.Default, m.Min), less(m.Max, m.Default):
		from, to := valueOf(m.Default.Arg)
		bound := m.Min
		if less(m.Max, m.Default) {
			bound = m.Max
		}
		b.report("MCP304", from, to, fmt.Sprintf("the default of `%s` is out of its bounds", v.Name),
			b.related(bound.Arg.Pos, bound.Arg.End, "the bound"), fix("default="+bound.V))
	}
}

// contrary reports a lower bound above the upper one.
func (b *serverBuilder) contrary(low, high *directive.Arg) {
	b.report("MCP109", low.Pos, low.End, fmt.Sprintf("`%s` is above `%s`, so no value is left", low.Text(), high.Text()),
		b.related(high.Pos, high.End, "the upper bound"), fix("swap the two"))
}

// onlyFor reports an option that means nothing for the type of the variable.
func (b *serverBuilder) onlyFor(v, kind *ir.Var, arg *directive.Arg, fits bool, what string) {
	if arg == nil || fits {
		return
	}
	b.report("MCP303", arg.OptionPos(), arg.OptionEnd(), fmt.Sprintf("`%s` is for %s, and `%s` is `%s`", arg.Option, what,
		v.Name, b.goTypeText(kind.Type)), fix("remove it"))
}

func isNumber(v *ir.Var) bool {
	return v.Kind == ir.VarInt || v.Kind == ir.VarUint || v.Kind == ir.VarFloat
}

// literal writes a bound the way Go does: 010 would be another number there.
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

// parses reports whether text is a value of the kind of v.
func parses(v *ir.Var, text string) bool {
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
	case ir.VarDuration:
		_, err = time.ParseDuration(text)
	case ir.VarTime:
		if _, relative := time.ParseDuration(text); relative == nil {
			return true
		}
		_, err = time.Parse(cmp.Or(v.Layout, time.RFC3339), text)
	}
	return err == nil
}
