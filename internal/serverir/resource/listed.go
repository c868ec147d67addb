package resource

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/resource/binding"
)

// enumList makes a template list all its instances, if its variables have only a few values.
func (b *Builder) enumList(r *binding.Resource) {
	if r.Spec.List.V != "enum" {
		return
	}
	arg := r.Spec.List.Arg
	switch {
	case r.Template == nil:
		b.Report("MCP109", arg.Pos, arg.End, "`list=enum` is about the variables of a template, and this URI has none",
			report.Fix("remove it"))
		return
	case r.List != nil:
		b.Report("MCP106", arg.Pos, arg.End, fmt.Sprintf("`%s` already has a list function", r.Decl.Name),
			report.Fix("remove one of them"))
		return
	}
	for _, v := range r.Vars {
		if v.Kind == 0 || enumerable(v) || LeftOut(v) {
			continue
		}
		from, to := b.VarRange(r, v)
		b.Report("MCP303", from, to, fmt.Sprintf("`list=enum` needs all values of `%s`, and `%s` has no constants", v.Name,
			b.GoTypeText(v.Type)),
			b.Related(arg.Pos, arg.End,
				"asked for here"),
			report.Fix(fmt.Sprintf("give it a type with //mcp:enum, or write a function with //mcp:list of=%s",
				r.Decl.Name)))
		return
	}
	r.List = &ir.ListSource{Enum: true}
	n := names.Template(b.base(r))
	r.Names.Entry, r.Names.List = n.Entry, n.List
}

// enumerable reports whether the values of v count for enumList: v is in the path or required, and has few values.
func enumerable(v *ir.Var) bool {
	query := v.Op.InQuery()
	return !v.Pointer && (!query || v.Required) && v.Closed()
}

// LeftOut reports whether a reference can leave v out of the URI.
func LeftOut(v *ir.Var) bool {
	query := v.Op.InQuery()
	return query && !v.Required && (v.Pointer || v.Kind == ir.VarSlice || v.HasDefault && v.Kind != ir.VarText)
}

// listedCompletion completes a variable with the values that it has in the listed instances.
func (b *Builder) listedCompletion(r *binding.Resource, m *directive.Var) {
	arg := m.Complete.Arg
	k := slices.IndexFunc(r.Vars, func(v *ir.Var) bool { return v.Name == m.Name.V })
	switch {
	case k < 0 || b.listMeant(r):
	case r.List == nil:
		b.Report("MCP501", arg.Pos, arg.End,
			fmt.Sprintf("`%s` has no list, so there are no values to complete with", r.Decl.Name),
			report.Fix(fmt.Sprintf("add a function with //mcp:list of=%s, or write one with //mcp:complete", r.Decl.Name)))
	case slices.ContainsFunc(r.Completers, func(c ir.Completer) bool { return c.Var == k }):
		b.Report("MCP106", arg.Pos, arg.End, fmt.Sprintf("`%s` already has a completion function", m.Name.V),
			report.Fix("remove one of them"))
	default:
		r.Completers = append(r.Completers, ir.Completer{Var: k, Listed: true})
	}
}
