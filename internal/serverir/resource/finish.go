package resource

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/resource/binding"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/serverir/variable"
)

// freeCompletions adds completions that follow from the types of variables: the constants of an enum, true and false.
func (b *Builder) freeCompletions(r *binding.Resource) {
	off := map[string]bool{}
	for _, m := range load.Refinements[*directive.Var](r.Decl) {
		off[m.Name.V] = m.Complete.V == "none" || m.Complete.V == "list"
		if m.Complete.V == "list" && r.Alias == nil {
			b.listedCompletion(r, m)
		}
	}
	for i, v := range r.Vars {
		has := slices.ContainsFunc(r.Completers, func(c ir.Completer) bool { return c.Var == i })
		if c, ok := variable.Completion(v, i); ok && !has && !off[v.Name] {
			r.Completers = append(r.Completers, c)
		}
	}
	slices.SortFunc(r.Completers, func(x, y ir.Completer) int { return cmp.Compare(x.Var, y.Var) })
}

// decideList reports a template whose author does not say how its instances are listed.
func (b *Builder) decideList(r *binding.Resource) {
	if r.Template == nil || r.Alias != nil || r.Decl.Kind == directive.OnStruct || r.List != nil || r.Spec.List.Set() ||
		b.listMeant(r) {
		return
	}
	from, to := source.ValueOf(r.Spec.URI.Arg)
	b.Report("MCP504", from, to, "instances of this template will not appear in resources/list",
		report.Fix(fmt.Sprintf("add a function with //mcp:list of=%s, or say list=none", r.Decl.Name)))
}
