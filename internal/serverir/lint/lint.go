// Package lint gives advice about resources that are no mistakes.
package lint

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/serverir/variable"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// Resource is a resource as a person reads it: what became of it and its directive.
type Resource struct {
	*ir.Resource
	Decl *load.Decl
	Spec *directive.Resource
}

// HiddenItems notes literals that hide an item of a template: a literal is always served first.
func HiddenItems(b *report.Reporter, all []Resource) {
	var literals []literalPath
	for i, r := range all {
		if path, _, _ := strings.Cut(r.URI, "?"); r.Template == nil {
			literals = append(literals, literalPath{path, i})
		}
	}
	slices.SortFunc(literals, func(x, y literalPath) int { return strings.Compare(x.path, y.path) })
	for _, r := range all {
		if r.Template == nil {
			continue
		}
		near := startingWith(literals, literalStart(r.Template))
		if len(near) == 0 {
			continue
		}
		form, vars := templateForm(r)
		for _, o := range near {
			if values := itemAt(form.FindStringSubmatch(o.path), vars); values != nil {
				hiddenItem(b, r, all[o.index], vars, values)
			}
		}
	}
}

// literalPath is a URI without its query, and the index of its resource.
type literalPath struct {
	path  string
	index int
}

// startingWith are the literals that begin with some text, in the order of their places. The list is sorted.
func startingWith(sorted []literalPath, start string) []literalPath {
	from, _ := slices.BinarySearchFunc(sorted, start,
		func(x literalPath, s string) int { return strings.Compare(x.path, s) })
	to := from
	for to < len(sorted) && strings.HasPrefix(sorted[to].path, start) {
		to++
	}
	out := slices.Clone(sorted[from:to])
	slices.SortFunc(out, func(x, y literalPath) int { return cmp.Compare(x.index, y.index) })
	return out
}

// literalStart is what all paths that a template matches begin with.
func literalStart(t *uritemplate.Template) string {
	start := t.Scheme + ":"
	if !t.Opaque {
		start += "//"
	}
	for i, seg := range t.Segments {
		if i > 0 {
			start += "/"
		}
		for _, part := range seg {
			if part.Var >= 0 {
				return start
			}
			start += part.Lit
		}
	}
	return start
}

// itemAt decodes the values of variables; nil if some value is none of its variable, so that no item
// can have it.
func itemAt(groups []string, vars []*ir.Var) []string {
	if groups == nil {
		return nil
	}
	var out []string
	for i, raw := range groups[1:] {
		text, err := url.PathUnescape(raw)
		if err != nil || !variable.Parses(vars[i], text) {
			return nil
		}
		out = append(out, text)
	}
	return out
}

func hiddenItem(b *report.Reporter, r, o Resource, vars []*ir.Var, values []string) {
	var item []string
	for i, v := range vars {
		item = append(item, fmt.Sprintf("%s `%s`", v.Name, values[i]))
	}
	from, to := source.ValueOf(r.Spec.URI.Arg)
	ofrom, oto := source.ValueOf(o.Spec.URI.Arg)
	b.Report("MCP209", from, to, fmt.Sprintf("`%s` always wins over `%s`, so an item with %s cannot be read", o.URI, r.URI,
		strings.Join(item, " and ")),
		b.Related(ofrom, oto, "the literal"), report.Fix("rename the literal, or write //mcp:allow MCP209 with a reason"))
}

// templateForm is a pattern for the paths that the template of r matches, with a group for each of the
// variables that are returned with it.
func templateForm(r Resource) (*regexp.Regexp, []*ir.Var) {
	t := r.Template
	var s strings.Builder
	var vars []*ir.Var
	s.WriteString("^" + regexp.QuoteMeta(t.Scheme) + ":")
	if !t.Opaque {
		s.WriteString("//")
	}
	for i, seg := range t.Segments {
		if i > 0 {
			s.WriteString("/")
		}
		for _, part := range seg {
			if part.Var < 0 {
				s.WriteString(regexp.QuoteMeta(part.Lit))
				continue
			}
			vars = append(vars, r.Vars[part.Var])
			if i == t.Multi || t.Opaque {
				s.WriteString("(.+)")
			} else {
				s.WriteString("([^/]+)")
			}
		}
	}
	return regexp.MustCompile(s.String() + "$"), vars
}

// SilentSubscription warns of a resource that can be subscribed to although nothing ever reports a change of it. known
// tells names of resources.
func SilentSubscription(b *report.Reporter, r Resource, known func(name string) bool) {
	if !r.Subscribe || r.Watch != nil || r.Struct != nil || r.Spec.Poll.Set() || meansWatch(b, r, known) ||
		callsUpdate(b, r) {
		return
	}
	arg := r.Spec.Subscribe.Arg
	b.Report("MCP503", arg.Pos, arg.End, "`subscribe` is promised but nothing ever reports a change",
		report.Fix(fmt.Sprintf("add a function with //mcp:watch of=%s, add updates=%s to a tool, or call %s", r.Decl.Name,
			r.URI, r.Names.Updated)))
}

// meansWatch reports whether some directive with mistakes may be the watcher of r.
func meansWatch(b *report.Reporter, r Resource, known func(name string) bool) bool {
	if b.Unparsed {
		return true
	}
	for _, d := range b.Pkg.Decls {
		for _, x := range d.Directives {
			switch spec := x.Spec.(type) {
			case *directive.Watch:
				if x.Bad || spec.Of.V == r.Decl.Name || spec.Of.V == r.Name || !known(spec.Of.V) {
					return true
				}
			case *directive.Tool:
				if x.Bad && spec.Updates.Set() {
					return true
				}
			}
		}
	}
	return false
}

// callsUpdate reports whether code of the module calls the generated method that reports a change, or
// the one of the runtime that takes a URI.
func callsUpdate(b *report.Reporter, r Resource) bool {
	return b.Pkg.Selects(r.Names.Updated, "ResourceUpdated")
}

// webSchemes are those of addresses that clients fetch themselves.
var webSchemes = []string{"http", "https", "ftp", "ftps", "ws", "wss"}

// WebScheme warns of a resource that clients may fetch from elsewhere.
func WebScheme(b *report.Reporter, uri directive.URI) {
	scheme, rest, _ := strings.Cut(uri.V, ":")
	if !slices.Contains(webSchemes, strings.ToLower(scheme)) {
		return
	}
	arg := uri.Arg
	own := schemeOf(b.Pkg.Name)
	b.Report("MCP605", arg.At(0), arg.At(len(scheme)+1),
		fmt.Sprintf("`%s:` resources should be fetchable by the client itself, and this server would not be asked", scheme),
		report.Fix(fmt.Sprintf("use a scheme of your own, such as `%s:%s`", own, rest)))
}

// schemeOf makes the name of a package a URI scheme.
func schemeOf(name string) string {
	plain := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			return c
		}
		return -1
	}, strings.ToLower(name))
	if plain == "" || plain[0] < 'a' || slices.Contains(webSchemes, plain) {
		return "my" + plain
	}
	return plain
}

// Unscreened warns of a variable that may hold anything, such as a path to somewhere else.
func Unscreened(b *report.Reporter, v *ir.Var, m *directive.Var) {
	if !m.Raw.V || v.Kind != ir.VarString && v.Kind != ir.VarSlice {
		return
	}
	arg := m.Raw.Arg
	b.Report("MCP702", arg.Pos, arg.End,
		fmt.Sprintf("screening of `%s` is switched off: it may hold `..`, an absolute path or NUL", v.Name),
		report.Fix("remove it, or write //mcp:allow MCP702 with the reason why that does no harm"))
}
