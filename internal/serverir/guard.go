package serverir

import (
	"fmt"
	"go/token"
	"slices"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
)

// guardOf reads access, limit and use for a feature: of the server, of the receiver type and of the feature
// itself. Access and use add up, limit is overridden option by option. r has the variables that policies may take, and
// maker names the generated methods. Nil is a feature without any of them.
func (b *serverBuilder) guardOf(r *resource, maker string) *ir.Rules {
	var g ir.Rules
	own := r.decl
	for _, d := range append(b.defaultsFor(own), own) {
		lines := load.Refinements[*directive.Access](d)
		b.accessNone(&g, d, lines)
		for _, a := range lines {
			b.access(&g, r, a, maker)
		}
		for _, l := range load.Refinements[*directive.Limit](d) {
			limit(&g.Limit, l)
		}
		for _, u := range load.Refinements[*directive.Use](d) {
			b.use(&g, u)
		}
	}
	b.limitMeans(&g, own)
	if g.Use == nil && g.Limit == (ir.Limit{}) && !g.Restricts() {
		return nil
	}
	return &g
}

// accessNone drops what was inherited, if a line says so.
func (b *serverBuilder) accessNone(g *ir.Rules, d *load.Decl, lines []*directive.Access) {
	for _, a := range lines {
		if !a.None.V {
			continue
		}
		from, to := a.None.Arg.Pos, a.None.Arg.End
		switch {
		case len(lines) > 1 || a.Scopes.Set() || a.Anyscope.Set() || a.Roles.Set() || a.Policy.Set() || a.Hide.Set():
			b.report("MCP608", from, to, "`none` lets everybody in, and other options of `access` here do not",
				fix("remove `none`, or the others"))
		case !g.Restricts():
			b.report("MCP608", from, to, "`none` has nothing to loosen: no default asks for anything", fix("remove the line"))
		default:
			b.report("MCP703", from, to, fmt.Sprintf("`%s` is open to everybody, although the defaults protect it", nameFor(d)),
				fix("//mcp:allow MCP703 and the reason"))
		}
		g.Scopes, g.AnyScope, g.AnyRole, g.Policies, g.Shown = nil, nil, nil, nil, false
	}
}

// nameFor is what messages call a declaration.
func nameFor(d *load.Decl) string {
	if d.Name == "" {
		return "the server"
	}
	return d.Name
}

// access adds one access line.
func (b *serverBuilder) access(g *ir.Rules, r *resource, a *directive.Access, maker string) {
	for _, item := range a.Scopes.V {
		if !slices.Contains(g.Scopes, item.V) {
			g.Scopes = append(g.Scopes, item.V)
		}
	}
	if a.Anyscope.Set() {
		g.AnyScope = append(g.AnyScope, texts(&a.Anyscope))
	}
	if a.Roles.Set() {
		g.AnyRole = append(g.AnyRole, texts(&a.Roles))
	}
	if a.Policy.Set() {
		if p, ok := b.policy(r, a); ok {
			if slices.ContainsFunc(p.Callee.Params, func(p ir.Param) bool { return p.Kind != ir.ParamCaller }) {
				p.Name = numberedName(maker, len(g.Policies))
			}
			g.Policies = append(g.Policies, p)
		}
	}
	if a.Hide.Set() {
		g.Shown = !a.Hide.V
		if !g.Restricts() && !a.None.V && !a.Policy.Set() {
			b.report("MCP608", a.Hide.Arg.Pos, a.Hide.Arg.End,
				"`hide` is for those who may not use the feature, and everybody may", fix("add scopes=, roles= or policy="))
		}
	}
}

func numberedName(name string, n int) string {
	if n == 0 {
		return name
	}
	return fmt.Sprint(name, n+1)
}

// limit overrides the options that l sets.
func limit(out *ir.Limit, l *directive.Limit) {
	if l.Timeout.Set() {
		out.Timeout = l.Timeout.V
	}
	if l.Rate.Set() {
		out.Rate, out.Per = l.Rate.N, l.Rate.Per
	}
	if l.Burst.Set() {
		out.Burst = l.Burst.V
	}
	if l.By.Set() {
		out.By = l.By.V
	}
	if l.Concurrency.Set() {
		out.Concurrency = l.Concurrency.V
	}
	if l.Bytes.Set() {
		out.Bytes = l.Bytes.V
	}
	if out.By == "user" {
		out.By = ""
	}
}

// limitMeans refuses options of a limit that change nothing.
func (b *serverBuilder) limitMeans(g *ir.Rules, d *load.Decl) {
	for _, l := range load.Refinements[*directive.Limit](d) {
		for _, arg := range []*directive.Arg{l.Burst.Arg, l.By.Arg} {
			if arg != nil && g.Limit.Rate == 0 {
				b.report("MCP608", arg.Pos, arg.End, fmt.Sprintf("`%s` is about a rate, and there is none", arg.Option),
					fix("add rate=60/m"))
			}
		}
	}
}

// limitValues refuses bounds that would let nobody in, or that look as if they did.
func (b *serverBuilder) limitValues() {
	for _, d := range b.pkg.Decls {
		for _, l := range load.Refinements[*directive.Limit](d) {
			for _, k := range []struct {
				arg *directive.Arg
				ok  bool
			}{
				{l.Burst.Arg, l.Burst.V > 0},
				{l.Concurrency.Arg, l.Concurrency.V > 0},
				{l.Bytes.Arg, l.Bytes.V > 0},
				{l.Timeout.Arg, l.Timeout.V > 0},
			} {
				if k.arg != nil && !k.ok {
					from, to := valueOf(k.arg)
					b.report("MCP109", from, to, fmt.Sprintf("`%s` of a limit must be more than 0", k.arg.Option),
						fix("remove it for no limit"))
				}
			}
		}
	}
}

// use adds the middleware of one line. What runs around a feature already does not run twice.
func (b *serverBuilder) use(g *ir.Rules, u *directive.Use) {
	for _, item := range u.Names.V {
		if !token.IsIdentifier(item.V) || item.V == "_" {
			from, to := item.Arg.Pos, item.Arg.End
			b.report("MCP109", from, to, fmt.Sprintf("`%s` is not the name of a method", item.V),
				fix("write a Go identifier, such as Audit"))
			continue
		}
		if slices.Contains(g.Use, item.V) {
			continue
		}
		g.Use = append(g.Use, item.V)
		if !slices.Contains(b.server.Middleware, item.V) {
			b.server.Middleware = append(b.server.Middleware, item.V)
		}
	}
}

// middlewareField is the field of the Impl struct that holds the middleware.
const middlewareField = "Middleware"

// middleware gives the Impl struct its field, and reports what has the name already.
func (b *serverBuilder) middleware() {
	if b.server.Middleware == nil {
		return
	}
	slices.Sort(b.server.Middleware)
	if i := slices.IndexFunc(b.server.Receivers, func(r ir.Receiver) bool { return r.Field == middlewareField }); i >= 0 {
		i = slices.IndexFunc(b.pkg.Decls, func(d *load.Decl) bool {
			return d.Recv == middlewareField ||
				d.Name == middlewareField
		})
		from, to := b.packageName()
		if i >= 0 {
			from, to = nameOf(b.pkg.Decls[i])
		}
		b.report("MCP803", from, to, fmt.Sprintf("field `%s` of `%s` is needed twice: `use` needs it too", middlewareField,
			b.server.Names.Impl), fix("rename the type"))
		return
	}
	b.server.Receivers = append(b.server.Receivers, ir.Receiver{
		Field: middlewareField, Pointer: true, Doc: "runs around the features that say use.",
		Type: &ir.GoType{Kind: ir.GoNamed, Path: b.pkg.Path, PkgName: b.pkg.Name, Name: b.server.Names.Middleware},
	})
}

// publicCache refuses to let shared caches serve what not everybody may read.
func (b *serverBuilder) publicCache(r *resource) {
	if !r.Rules.Restricts() || !r.Cache.Public {
		return
	}
	var scope *directive.Arg
	var access *load.Decl
	for _, d := range append(b.defaultsFor(r.decl), r.decl) {
		for _, c := range load.Refinements[*directive.Cache](d) {
			if c.Scope.Set() {
				scope = c.Scope.Arg
			}
		}
		if len(load.Refinements[*directive.Access](d)) > 0 {
			access = d
		}
	}
	if scope == nil || access == nil {
		return
	}
	i := slices.IndexFunc(access.Directives, func(m *directive.Directive) bool {
		_,
			ok := m.Spec.(*directive.Access)
		return ok
	})
	m := access.Directives[i]
	from, to := valueOf(scope)
	b.report("MCP602", from, to,
		fmt.Sprintf("`scope=public` on `%s`, which is not for everybody: shared caches would serve it to anyone",
			r.decl.Name),
		b.related(m.Pos, m.End, "the access rule"), fix("scope=private, or no access rule"))
}

// guardsElsewhere refuses refining directives that would protect nothing where they stand.
func (b *serverBuilder) guardsElsewhere() {
	for _, d := range b.pkg.Decls {
		if d.Primary == nil {
			continue
		}
		switch d.Primary.Spec.(type) {
		case *directive.ListOf, *directive.Watch, *directive.Complete, *directive.EnumOf, *directive.TypeOf:
		default:
			continue
		}
		for _, m := range d.Directives {
			switch m.Spec.(type) {
			case *directive.Access, *directive.Limit, *directive.Use:
				if !m.Bad {
					b.report("MCP108", m.NamePos, m.NameEnd(),
						fmt.Sprintf("`%s` cannot stand on a %s function: it follows the resource", m.Name, d.Primary.Name),
						fix("write it on the resource"))
				}
			}
		}
	}
}
