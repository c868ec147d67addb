package serverir

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
)

// hiddenItems notes literals that hide an item of a template: a literal is always served first.
func (b *serverBuilder) hiddenItems() {
	for _, r := range b.resources {
		if r.Template == nil {
			continue
		}
		form, vars := templateForm(r)
		for _, o := range b.resources {
			path, _, _ := strings.Cut(o.URI, "?")
			if o.Template != nil {
				continue
			}
			if values := itemAt(form.FindStringSubmatch(path), vars); values != nil {
				b.hiddenItem(r, o, vars, values)
			}
		}
	}
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
		if err != nil || !parses(vars[i], text) {
			return nil
		}
		out = append(out, text)
	}
	return out
}

func (b *serverBuilder) hiddenItem(r, o *resource, vars []*ir.Var, values []string) {
	var item []string
	for i, v := range vars {
		item = append(item, fmt.Sprintf("%s `%s`", v.Name, values[i]))
	}
	from, to := valueOf(r.spec.URI.Arg)
	ofrom, oto := valueOf(o.spec.URI.Arg)
	b.report("MCP209", from, to, fmt.Sprintf("`%s` always wins over `%s`, so an item with %s cannot be read", o.URI, r.URI,
		strings.Join(item, " and ")),
		b.related(ofrom, oto, "the literal"), fix("rename the literal, or write //mcp:allow MCP209 with a reason"))
}

// templateForm is a pattern for the paths that the template of r matches, with a group for each of the
// variables that are returned with it.
func templateForm(r *resource) (*regexp.Regexp, []*ir.Var) {
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

// silentSubscriptions warns of resources that can be subscribed to although nothing ever reports a
// change of them.
func (b *serverBuilder) silentSubscriptions() {
	for _, r := range b.resources {
		if !r.Subscribe || r.alias != nil || r.Watch != nil || r.Struct != nil || r.spec.Poll.Set() || b.updated[r] ||
			b.meansWatch(r) || b.callsUpdate(r) {
			continue
		}
		arg := r.spec.Subscribe.Arg
		b.report("MCP503", arg.Pos, arg.End, "`subscribe` is promised but nothing ever reports a change",
			fix(fmt.Sprintf("add a function with //mcp:watch of=%s, add updates=%s to a tool, or call %s", r.decl.Name, r.URI,
				r.Names.Updated)))
	}
}

// meansWatch reports whether some directive with mistakes may be the watcher of r.
func (b *serverBuilder) meansWatch(r *resource) bool {
	if b.unparsed {
		return true
	}
	for _, d := range b.pkg.Decls {
		for _, x := range d.Directives {
			switch spec := x.Spec.(type) {
			case *directive.Watch:
				if x.Bad || spec.Of.V == r.decl.Name || spec.Of.V == r.Name || b.byName[spec.Of.V] == nil {
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
func (b *serverBuilder) callsUpdate(r *resource) bool {
	return b.pkg.Mentions(regexp.MustCompile(`\.(` + regexp.QuoteMeta(r.Names.Updated) + `|ResourceUpdated)\b`))
}

// webSchemes are those of addresses that clients fetch themselves.
var webSchemes = []string{"http", "https", "ftp", "ftps", "ws", "wss"}

// webScheme warns of a resource that clients may fetch from elsewhere.
func (b *serverBuilder) webScheme(r *resource) {
	scheme, rest, _ := strings.Cut(r.URI, ":")
	if !slices.Contains(webSchemes, strings.ToLower(scheme)) {
		return
	}
	arg := r.spec.URI.Arg
	own := schemeOf(b.pkg.Name)
	b.report("MCP605", arg.At(0), arg.At(len(scheme)+1),
		fmt.Sprintf("`%s:` resources should be fetchable by the client itself, and this server would not be asked", scheme),
		fix(fmt.Sprintf("use a scheme of your own, such as `%s:%s`", own, rest)))
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

// unscreened warns of a variable that may hold anything, such as a path to somewhere else.
func (b *serverBuilder) unscreened(r *resource, v *ir.Var, m *directive.Var) {
	if !m.Raw.V || r.alias != nil || v.Kind != ir.VarString && v.Kind != ir.VarSlice {
		return
	}
	arg := m.Raw.Arg
	b.report("MCP702", arg.Pos, arg.End,
		fmt.Sprintf("screening of `%s` is switched off: it may hold `..`, an absolute path or NUL", v.Name),
		fix("remove it, or write //mcp:allow MCP702 with the reason why that does no harm"))
}
