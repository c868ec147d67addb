package resource

import (
	"slices"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/feature"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
	"github.com/mcpgen/mcpgen/internal/serverir/resource/binding"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// aliases adds the further addresses of r. Each is a resource of its own that calls the same function. Its variables go
// to the same parameters, whatever their names are. Only the first address is listed.
func (b *Builder) aliases(r *binding.Resource) {
	for n, m := range load.Refinements[*directive.Alias](r.Decl) {
		spec := *r.Spec
		spec.URI, spec.List.V = m.URI, "none"
		res := *r.Resource
		res.URI, res.Aliases = m.URI.V, nil
		a := &binding.Resource{Resource: &res, Decl: r.Decl, Spec: &spec, Alias: r}
		if !b.resourceURI(a) {
			continue
		}
		sig := source.Signature(r.Decl)
		if sig == nil || sig.Params().Len() == 0 {
			continue
		}
		b.VarLines(a)
		alwaysThere(a)
		a.Callee.Params = b.Bind(a, r.Decl, sig, 1)
		b.CheckVars(a)
		if r.Root != nil {
			a.Root = b.roots.aliasRoot(a, r)
		}
		a.Names = names.Alias(b.base(r), n)
		if a.Template == nil {
			a.Names = ir.ResourceNames{Read: a.Names.Read, Watch: a.Names.Watch}
		}
		b.add(a)
		r.Aliases = append(r.Aliases, a.Resource)
	}
}

// alwaysThere removes the defaults of variables that are in the path of an alias and in the query of the first address.
func alwaysThere(a *binding.Resource) {
	for _, v := range a.Vars {
		if !v.Op.InQuery() {
			v.Default, v.HasDefault = "", false
		}
	}
}

// shareAliases gives the aliases of r its watcher and its completions.
func shareAliases(r *binding.Resource) {
	for _, a := range r.Aliases {
		if !slices.ContainsFunc(r.Vars, func(v *ir.Var) bool { return placeIn(a, v) < 0 }) {
			a.AliasOf = r.Resource
		}
		a.Rules = aliasGuard(r.Resource, a)
		if r.Watch != nil {
			w := *r.Watch
			w.Params = movedParams(w.Params, r.Resource, a)
			a.Watch = &w
		}
		for _, c := range r.Completers {
			at := placeIn(a, r.Vars[c.Var])
			if c.Callee == nil || at < 0 {
				continue
			}
			callee := *c.Callee
			callee.Params = movedParams(callee.Params, r.Resource, a)
			if slices.ContainsFunc(callee.Params, func(p ir.Param) bool { return p.Var < 0 }) {
				continue
			}
			name := "complete" + goname.UpperFirst(a.Names.Read[len("read"):]) + goname.UpperFirst(a.Vars[at].Param)
			a.Completers = append(a.Completers, ir.Completer{Var: at, Callee: &callee, Name: name})
		}
	}
}

// movedParams returns params with the variables of the alias a in place of those of r.
func movedParams(params []ir.Param, r, a *ir.Resource) []ir.Param {
	out := slices.Clone(params)
	for i := range out {
		p := &out[i]
		switch p.Kind {
		case ir.ParamVar, ir.ParamGiven:
			p.Var = placeIn(a, r.Vars[p.Var])
		case ir.ParamVarsOf:
			p.Fields = slices.Clone(p.Fields)
			for k := range p.Fields {
				p.Fields[k].Var = placeIn(a, r.Vars[p.Fields[k].Var])
			}
		}
	}
	return out
}

// placeIn returns the index of the variable of an alias that goes to the same parameter as v; -1 if there is none.
func placeIn(a *ir.Resource, v *ir.Var) int {
	return slices.IndexFunc(a.Vars, func(w *ir.Var) bool { return w.Param == v.Param })
}

// aliasGuard returns the rules of r with the variables of the alias a.
func aliasGuard(r, a *ir.Resource) *ir.Rules {
	if r.Rules == nil {
		return nil
	}
	g := *r.Rules
	g.Policies = nil
	for i, p := range r.Rules.Policies {
		if p.Name != "" {
			p.Name = feature.NumberedName("may"+goname.UpperFirst(a.Names.Read), i)
			p.Callee.Params = movedParams(p.Callee.Params, r, a)
		}
		g.Policies = append(g.Policies, p)
	}
	return &g
}
