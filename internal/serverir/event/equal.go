package event

import (
	"fmt"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/jsontype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// compare finds for each argument the field of the payload that has the same name in JSON.
func (b *builder) compare(e *event) {
	fields := b.Of(e.payload, false).Members
	for _, arg := range b.ArgsOf(e.args).Members {
		i := slices.IndexFunc(fields, func(m *jsontype.Member) bool { return m.Name == arg.Name })
		if i < 0 {
			b.uncompared(e, arg, fmt.Sprintf("no field of `%s` has the name of the argument `%s`", e.decl.Name, arg.Name))
			continue
		}
		if source.Invalid(arg.Var().Type()) || source.Invalid(fields[i].Var().Type()) {
			continue // reported by the compiler
		}
		c, why := b.comparison(e, arg, fields[i])
		if why != "" {
			b.uncompared(e, arg, why)
			continue
		}
		e.Equal = append(e.Equal, c)
	}
}

// uncompared reports an argument that has nothing to be compared with.
func (b *builder) uncompared(e *event, arg *jsontype.Member, why string) {
	v := arg.Var()
	b.Report("MCP506", e.spec.Args.Arg.ValuePos(), e.spec.Args.Arg.ValueEnd(), why,
		b.Related(v.Pos(), v.Pos(), "the argument"),
		report.Fix(fmt.Sprintf("//mcp:match of=%s on func(f %s, e *%s) bool", e.decl.Name, b.TypeText(e.args),
			e.decl.Name)))
}

// comparison says how an argument is compared with a field, or why it cannot be.
func (b *builder) comparison(e *event, arg, field *jsontype.Member) (c ir.Comparison, why string) {
	var ok, ok2 bool
	c.Arg, ok = b.Selector(e.args, arg.Field)
	c.Field, ok2 = b.Selector(e.payload, field.Field)
	t, want := arg.Var().Type(), field.Var().Type()
	switch {
	case !ok || !ok2 || arg.Behind != nil || field.Behind != nil:
		return c, fmt.Sprintf("the argument `%s` or its field is behind a pointer or in another package", arg.Name)
	case !plain(want):
		return c, fmt.Sprintf("field `%s` is `%s`, which an argument is not compared with", c.Field, b.TypeText(want))
	}
	elem, pointer := gotype.PointedTo(t)
	list, _ := t.Underlying().(*types.Slice)
	switch {
	case pointer:
		c.Kind, t = ir.ComparePointer, elem
	case list != nil:
		c.Kind, t = ir.CompareList, list.Elem()
	case arg.Required || arg.Rules.Fallback != nil:
		c.Kind = ir.CompareAlways
	case gotype.IsString(t):
		c.Kind = ir.CompareText
	}
	switch {
	case !types.Identical(t, want):
		return c, fmt.Sprintf("the argument `%s` is `%s`, and field `%s` is `%s`", arg.Name, b.TypeText(t), c.Field,
			b.TypeText(want))
	case c.Kind == 0:
		return c, fmt.Sprintf("the argument `%s` is `%s`, whose zero value cannot be told from one that was left out: make "+
			"it a pointer, a list or required", arg.Name, b.TypeText(t))
	}
	return c, ""
}

// plain reports whether values of t are compared with ==, and mean the same if they are equal.
func plain(t types.Type) bool {
	_, ok := t.Underlying().(*types.Basic)
	return ok && !gotype.UnmarshalsText(t)
}
