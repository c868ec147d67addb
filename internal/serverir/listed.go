package serverir

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
)

// enumList lists the instances of a template whose variables have only a few values: all of them.
func (b *serverBuilder) enumList(r *resource) {
	if r.spec.List.V != "enum" {
		return
	}
	arg := r.spec.List.Arg
	switch {
	case r.Template == nil:
		b.report("MCP109", arg.Pos, arg.End, "`list=enum` is about the variables of a template, and this URI has none",
			fix("remove it"))
		return
	case r.List != nil:
		b.report("MCP106", arg.Pos, arg.End, fmt.Sprintf("`%s` already has a list function", r.decl.Name),
			fix("remove one of them"))
		return
	}
	for _, v := range r.Vars {
		if v.Kind == 0 || enumerable(v) || leftOut(v) {
			continue
		}
		from, to := b.varRange(r, v)
		b.report("MCP303", from, to, fmt.Sprintf("`list=enum` needs all values of `%s`, and `%s` has no constants", v.Name,
			b.goTypeText(v.Type)),
			b.related(arg.Pos, arg.End,
				"asked for here"), fix(fmt.Sprintf("give it a type with //mcp:enum, or write a function with //mcp:list of=%s",
				r.decl.Name)))
		return
	}
	r.List = &ir.ListSource{Enum: true}
	n := templateNames(b.base(r))
	r.Names.Entry, r.Names.List = n.Entry, n.List
}

// enumerable reports whether the values of v are counted out: those of the path and those that a URI
// must have, if they are few.
func enumerable(v *ir.Var) bool {
	query := v.Op.InQuery()
	return !v.Pointer && (!query || v.Required) && (v.Kind == ir.VarEnum || v.Kind == ir.VarBool)
}

// leftOut reports whether a reference can leave v out of the URI.
func leftOut(v *ir.Var) bool {
	query := v.Op.InQuery()
	return query && !v.Required && (v.Pointer || v.Kind == ir.VarSlice || v.HasDefault && v.Kind != ir.VarText)
}

// listedCompletion proposes the values that a variable has in the listed instances.
func (b *serverBuilder) listedCompletion(r *resource, m *directive.Var) {
	arg := m.Complete.Arg
	k := slices.IndexFunc(r.Vars, func(v *ir.Var) bool { return v.Name == m.Name.V })
	switch {
	case k < 0 || b.listMeant(r):
	case r.List == nil:
		b.report("MCP501", arg.Pos, arg.End, fmt.Sprintf("nothing lists `%s`, so there is nothing to propose", r.decl.Name),
			fix(fmt.Sprintf("add a function with //mcp:list of=%s, or write one with //mcp:complete", r.decl.Name)))
	case slices.ContainsFunc(r.Completers, func(c ir.Completer) bool { return c.Var == k }):
		b.report("MCP106", arg.Pos, arg.End, fmt.Sprintf("`%s` already has a completion function", m.Name.V),
			fix("remove one of them"))
	default:
		r.Completers = append(r.Completers, ir.Completer{Var: k, Listed: true})
	}
}
