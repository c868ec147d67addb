package build

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/marker"
)

// finish computes what needs all features: free completions, undecided lists, capabilities, routes,
// order and clashes of names.
func (b *features) finish() {
	for _, r := range b.resources {
		b.freeCompletions(r)
		b.decideList(r)
	}
	b.order()
	b.capabilities()
	b.server.Routes = buildRoutes(b.server.Resources)
	b.clashes()
}

// freeCompletions adds the completions that types give: the constants of an enum, true and false.
func (b *features) freeCompletions(r *resource) {
	off := map[string]bool{}
	for _, m := range load.Modifiers[*marker.Var](r.decl) {
		off[m.Name.V] = m.Complete.V == "none"
	}
	for i, v := range r.Vars {
		has := slices.ContainsFunc(r.Completers, func(c ir.Completer) bool { return c.Var == i })
		switch {
		case has || off[v.Name]:
		case v.Kind == ir.VarEnum:
			r.Completers = append(r.Completers, ir.Completer{Var: i, Values: v.Values})
		case v.Kind == ir.VarBool:
			r.Completers = append(r.Completers, ir.Completer{Var: i, Values: []string{"false", "true"}})
		}
	}
	slices.SortFunc(r.Completers, func(x, y ir.Completer) int { return cmp.Compare(x.Var, y.Var) })
}

// decideList insists that the author of a template says where its instances are listed.
func (b *features) decideList(r *resource) {
	if r.Template == nil || r.List != nil || r.spec.List.V == "none" {
		return
	}
	from, to := valueOf(r.spec.URI.Arg)
	b.report("MCP504", from, to, "instances of this template will not appear in resources/list",
		fix(fmt.Sprintf("add a function with //mcp:list of=%s, or say list=none", r.decl.Name)))
}

// order puts guards and receivers in source order, and notes the files with directives.
func (b *features) order() {
	place := map[string]int{}
	for i, d := range b.pkg.Decls {
		place[d.Recv+"."+d.Name] = i
	}
	at := func(g ir.Guard) int {
		recv := ""
		if g.Recv != nil {
			recv = cmp.Or(g.Recv.Name, nameOfElem(g.Recv))
		}
		return place[recv+"."+g.Func]
	}
	slices.SortStableFunc(b.p.Guards, func(x, y ir.Guard) int { return cmp.Compare(at(x), at(y)) })
	first := func(r ir.Receiver) int {
		return slices.IndexFunc(b.pkg.Decls, func(d *load.Decl) bool { return d.Recv == r.Field })
	}
	slices.SortStableFunc(b.server.Receivers, func(x, y ir.Receiver) int { return cmp.Compare(first(x), first(y)) })
	for _, d := range b.pkg.Decls {
		b.p.Sources = append(b.p.Sources, filepath.Base(d.File.Path))
	}
	slices.Sort(b.p.Sources)
	b.p.Sources = slices.Compact(b.p.Sources)
	b.declared()
}

// declared notes the names that the user's files declare, which imports of the output must not take.
func (b *features) declared() {
	if b.pkg.Types == nil {
		return
	}
	scope := b.pkg.Types.Scope()
	for _, name := range scope.Names() {
		if !b.pkg.Generated(scope.Lookup(name)) {
			b.p.Declared = append(b.p.Declared, name)
		}
	}
}

func nameOfElem(t *ir.GoType) string {
	if t.Elem != nil {
		return t.Elem.Name
	}
	return ""
}

// capabilities declares exactly what the features can answer.
func (b *features) capabilities() {
	c := &b.server.Caps
	c.Resources, c.Tools = len(b.resources) > 0, len(b.server.Tools) > 0
	for _, r := range b.resources {
		c.Subscribe = c.Subscribe || r.Subscribe
		c.ListChanged = c.ListChanged || r.List != nil && r.List.Changes
		c.Completions = c.Completions || len(r.Completers) > 0
	}
}

// clashes reports generated names that the user's package declares, and those that two features want.
func (b *features) clashes() {
	s := b.server.Names
	owner := b.serverDecl
	taken := map[string]*load.Decl{}
	for _, name := range []string{s.Type, s.Impl, s.New, s.Features, s.Handlers, s.Route, s.RouteTool} {
		b.claim(taken, name, owner)
	}
	for _, r := range b.resources {
		n := r.Names
		for _, name := range []string{n.URI, n.Parse, n.Ref, n.Vars, n.Check, n.Entry} {
			b.claim(taken, name, r.decl)
		}
		for _, name := range []string{n.Updated, n.ListChanged, n.Read} {
			b.claim(taken, "."+name, r.decl)
		}
	}
	for _, a := range b.p.Args {
		b.claim(taken, a.Decode, nil)
	}
}

// claim reserves a generated name for d; a leading dot marks methods, which only clash with each other.
func (b *features) claim(taken map[string]*load.Decl, name string, d *load.Decl) {
	if name == "" || name == "." {
		return
	}
	other, twice := taken[name]
	var obj types.Object
	if b.pkg.Types != nil && name[0] != '.' {
		obj = b.pkg.Types.Scope().Lookup(name)
	}
	mine := obj == nil || b.pkg.Generated(obj)
	if mine && !twice {
		taken[name] = d
		return
	}
	if d == nil {
		d = other
	}
	if d == nil || d.Primary == nil {
		return
	}
	plain := name
	if plain[0] == '.' {
		plain = plain[1:]
	}
	message := fmt.Sprintf("generated name `%s` clashes with a declaration of yours", plain)
	var options []func(*diag.Diagnostic)
	switch {
	case !mine:
		options = append(options, b.related(obj.Pos(), obj.Pos()+token.Pos(len(obj.Name())), "it"))
	case other != nil:
		message = fmt.Sprintf("generated name `%s` is needed twice", plain)
		from, to := nameOf(other)
		options = append(options, b.related(from, to, "first needed here"))
	}
	options = append(options, fix("rename one of them"))
	b.report("MCP803", d.Primary.Pos, d.Primary.End, message, options...)
}
