package serverir

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// aliases gives the function of r its further addresses. Each is a resource of its own that calls the same
// function; its variables go to the same parameters, whatever they are called. Only the first address is
// listed.
func (b *serverBuilder) aliases(r *resource) {
	for n, m := range load.Refinements[*directive.Alias](r.decl) {
		spec := *r.spec
		spec.URI, spec.List.V = m.URI, "none"
		res := *r.Resource
		res.URI, res.Aliases = m.URI.V, nil
		a := &resource{Resource: &res, decl: r.decl, spec: &spec, alias: r}
		if !b.resourceURI(a) {
			continue
		}
		sig := signature(r.decl)
		if sig == nil || sig.Params().Len() == 0 {
			continue
		}
		b.varLines(a)
		alwaysThere(a)
		a.Callee.Params = b.bind(a, r.decl, sig, 1)
		b.checkVars(a)
		if r.Root != nil {
			a.Root = b.aliasRoot(a, r)
		}
		a.Names = aliasNames(b.base(r), n)
		if a.Template == nil {
			a.Names = ir.ResourceNames{Read: a.Names.Read, Watch: a.Names.Watch}
		}
		b.add(a)
		r.Aliases = append(r.Aliases, a.Resource)
	}
}

// aliasNames are the names for the n-th alias of what is declared by the Go name base.
func aliasNames(base string, n int) ir.ResourceNames {
	base += "Alias"
	if n > 0 {
		base += strconv.Itoa(n + 1)
	}
	names := templateNames(base)
	names.Ref, names.Entry, names.List = "", "", ""
	return names
}

// alwaysThere drops the defaults of variables that stand in the path of an alias, though not in that of
// the first address.
func alwaysThere(a *resource) {
	for _, v := range a.Vars {
		if !v.Op.InQuery() {
			v.Default, v.HasDefault = "", false
		}
	}
}

// noAliasVar reports a parameter that the first template fills and this alias cannot.
func (b *serverBuilder) noAliasVar(a *resource, param string) {
	from, to := valueOf(a.spec.URI.Arg)
	ufrom, uto := valueOf(a.alias.spec.URI.Arg)
	b.report("MCP301", from, to, fmt.Sprintf("nothing in this alias fills the parameter `%s`", param),
		hint("its variables: "+orNone(varNames(a))), b.related(ufrom, uto,
			"the first address"), fix("add "+a.alias.expressionOf(param)))
}

// expressionOf is the expression with which r has the variable of a parameter, alone: {/path*}.
func (r *resource) expressionOf(param string) string {
	i := slices.IndexFunc(r.Vars, func(v *ir.Var) bool { return v.Param == param })
	if i < 0 {
		return "{" + param + "}"
	}
	v, op, star := r.Vars[i], "", ""
	if v.Op != uritemplate.OpNone {
		op = string(rune(v.Op))
	}
	if v.Explode {
		star = "*"
	}
	return "{" + op + v.Name + star + "}"
}

// shareAliases lets the aliases of r have its watcher and its completions.
func (b *serverBuilder) shareAliases(r *resource) {
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
			name := "complete" + upperFirst(a.Names.Read[len("read"):]) + upperFirst(a.Vars[at].Param)
			a.Completers = append(a.Completers, ir.Completer{Var: at, Callee: &callee, Name: name})
		}
	}
}

// movedParams are parameters bound to the variables of an alias instead of those of r.
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

// placeIn is the place of the variable of an alias that goes to the same parameter as v, or -1.
func placeIn(a *ir.Resource, v *ir.Var) int {
	return slices.IndexFunc(a.Vars, func(w *ir.Var) bool { return w.Param == v.Param })
}
