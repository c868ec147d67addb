package feature

import (
	"fmt"
	"go/token"
	"slices"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/variable"
)

// GuardOf returns the access rules, limits and middleware of a feature; nil if it has none. They come from the
// directives of the server, of the receiver type and of the feature itself. Access rules and middleware add up; of a
// limit each option overrides that of a default. s has the variables that policies may take. The names of generated
// functions begin with maker.
func (b *Context) GuardOf(s *variable.Set, maker string) *ir.Rules {
	var g ir.Rules
	own := s.Decl
	for _, d := range append(b.DefaultsFor(own), own) {
		lines := load.Refinements[*directive.Access](d)
		b.accessNone(&g, d, lines)
		for _, a := range lines {
			b.access(&g, s, a, maker)
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

// accessNone removes the inherited access rules if a line says none, which the author must have allowed by a reason.
func (b *Context) accessNone(g *ir.Rules, d *load.Decl, lines []*directive.Access) {
	for _, a := range lines {
		if !a.None.V {
			continue
		}
		from, to := a.None.Arg.Pos, a.None.Arg.End
		switch {
		case len(lines) > 1 || a.Scopes.Set() || a.Anyscope.Set() || a.Roles.Set() || a.Policy.Set() || a.Hide.Set():
			b.Report("MCP608", from, to, "`none` lets all callers in, and other options of `access` here do not",
				report.Fix("remove `none`, or the others"))
		case !g.Restricts():
			b.Report("MCP608", from, to, "`none` has nothing to remove: no default has a rule",
				report.Fix("remove the line"))
		default:
			b.Report("MCP703", from, to,
				fmt.Sprintf("`%s` is open to all callers, although the defaults protect it", nameFor(d)),
				report.Fix("//mcp:allow MCP703 and the reason"))
		}
		g.Scopes, g.AnyScope, g.AnyRole, g.Policies, g.Shown = nil, nil, nil, nil, false
	}
}

// nameFor returns the name of a declaration for messages.
func nameFor(d *load.Decl) string {
	if d.Name == "" {
		return "the server"
	}
	return d.Name
}

// access adds the rules of one access line.
func (b *Context) access(g *ir.Rules, s *variable.Set, a *directive.Access, maker string) {
	for _, item := range a.Scopes.V {
		if !slices.Contains(g.Scopes, item.V) {
			g.Scopes = append(g.Scopes, item.V)
		}
	}
	if a.Anyscope.Set() {
		g.AnyScope = append(g.AnyScope, Texts(&a.Anyscope))
	}
	if a.Roles.Set() {
		g.AnyRole = append(g.AnyRole, Texts(&a.Roles))
	}
	if a.Policy.Set() {
		if p, ok := b.policy(s, a); ok {
			if slices.ContainsFunc(p.Callee.Params, func(p ir.Param) bool { return p.Kind != ir.ParamCaller }) {
				p.Name = NumberedName(maker, len(g.Policies))
			}
			g.Policies = append(g.Policies, p)
		}
	}
	if a.Hide.Set() {
		g.Shown = !a.Hide.V
		if !g.Restricts() && !a.None.V && !a.Policy.Set() {
			b.Report("MCP608", a.Hide.Arg.Pos, a.Hide.Arg.End,
				"`hide` is for those who may not use the feature, and everybody may", report.Fix("add scopes=, roles= or policy="))
		}
	}
}

// NumberedName returns the name of the n-th of several things, counted from 0. The first has no number.
func NumberedName(name string, n int) string {
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

// limitMeans reports options of a limit that change nothing.
func (b *Context) limitMeans(g *ir.Rules, d *load.Decl) {
	for _, l := range load.Refinements[*directive.Limit](d) {
		for _, arg := range []*directive.Arg{l.Burst.Arg, l.By.Arg} {
			if arg != nil && g.Limit.Rate == 0 {
				b.Report("MCP608", arg.Pos, arg.End, fmt.Sprintf("`%s` is about a rate, and there is none", arg.Option),
					report.Fix("add rate=60/m"))
			}
		}
	}
}

// use adds the middleware of one line. Middleware that is inherited is not added twice.
func (b *Context) use(g *ir.Rules, u *directive.Use) {
	for _, item := range u.Names.V {
		if !token.IsIdentifier(item.V) || item.V == "_" {
			from, to := item.Arg.Pos, item.Arg.End
			b.Report("MCP109", from, to, fmt.Sprintf("`%s` is not the name of a method", item.V),
				report.Fix("write a Go identifier, such as Audit"))
			continue
		}
		if !token.IsExported(item.V) {
			from, to, fix := item.Arg.Pos, item.Arg.End, report.Fix("begin it with an upper-case letter")
			if better := goname.UpperFirst(item.V); token.IsExported(better) {
				fix = b.Replace(from, to, better)
			}
			b.Report("MCP109", from, to,
				fmt.Sprintf("`%s` is not exported, so that types of other packages could not have the method", item.V), fix)
			continue
		}
		if slices.Contains(g.Use, item.V) {
			continue
		}
		g.Use = append(g.Use, item.V)
		if !slices.Contains(b.Server.Middleware, item.V) {
			b.Server.Middleware = append(b.Server.Middleware, item.V)
		}
	}
}
