package serverir

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
)

// refinements reads annotate, icon, cache and meta: server, receiver type and feature, field by field.
func (b *serverBuilder) refinements(r *resource) {
	for _, d := range append(b.defaultsFor(r.decl), r.decl) {
		for _, a := range load.Refinements[*directive.Annotate](d) {
			b.annotate(r, a)
		}
		for _, c := range load.Refinements[*directive.Cache](d) {
			cachePolicy(&r.Cache, c)
		}
	}
	r.Proto, r.Toggle, r.Tags = b.protoOf(r.decl), b.toggleOf(r.decl), texts(&r.spec.Tags)
	r.Description = b.deprecated(r.decl, r.Description)
	r.Icons = b.icons(r.decl)
	r.Meta = b.meta(r.decl)
}

// protoOf is the range of protocol revisions in which a feature is offered: its own, else a default.
func (b *serverBuilder) protoOf(d *load.Decl) ir.Proto {
	var out ir.Proto
	for _, at := range append(b.defaultsFor(d), d) {
		for _, m := range load.Refinements[*directive.Availability](at) {
			if m.Proto.Set() {
				out.From, out.To = m.Proto.From, m.Proto.To
			}
			out.Off = b.notNow(m) || out.Off
		}
	}
	return out
}

// texts are the items of a list, each once.
func texts(list *directive.List) (out []string) {
	for _, item := range list.V {
		if !slices.Contains(out, item.V) {
			out = append(out, item.V)
		}
	}
	return out
}

// toggleOf is the method that switches a feature, or "".
func (b *serverBuilder) toggleOf(d *load.Decl) string {
	if len(load.Refinements[*directive.Toggle](d)) == 0 {
		return ""
	}
	return "Set" + upperFirst(baseName(b.whole.pkg, d)) + "Enabled"
}

// defaultsMistakes refuses defaults that this version does not hand on to features.
func (b *serverBuilder) defaultsMistakes() {
	for _, d := range b.pkg.Decls {
		if d.Kind != directive.OnPackage && d.Primary != nil {
			continue
		}
		for _, m := range d.Directives {
			switch m.Spec.(type) {
			case *directive.Icon, *directive.Meta:
				if !m.Bad {
					b.report("MCP804", m.NamePos, m.NameEnd(),
						fmt.Sprintf("`%s` as a default of several features is not supported by this version of mcpgen yet", m.Name),
						fix("write it on each feature"))
				}
			}
		}
	}
}

func (b *serverBuilder) annotate(r *resource, a *directive.Annotate) {
	if a.Audience.Set() {
		r.Audience = nil
		for _, item := range a.Audience.V {
			r.Audience = append(r.Audience, item.V)
		}
	}
	if a.Priority.Set() {
		r.Priority = new(a.Priority.V)
	}
	if a.Modified.Set() {
		r.Modified = a.Modified.V
	}
}

// cachePolicy overrides the fields of p that c sets.
func cachePolicy(p *ir.CachePolicy, c *directive.Cache) {
	if c.TTL.Set() {
		p.TTLMillis = c.TTL.V.Milliseconds()
	}
	if c.Scope.Set() {
		p.Public = c.Scope.V == "public"
	}
}

func (b *serverBuilder) icons(d *load.Decl) []ir.Icon {
	var out []ir.Icon
	for _, m := range load.Refinements[*directive.Icon](d) {
		b.iconSource(m)
		icon := ir.Icon{Src: m.Src.V, MIME: m.Mime.V, Theme: m.Theme.V}
		for _, size := range m.Sizes.V {
			icon.Sizes = append(icon.Sizes, size.V)
		}
		out = append(out, icon)
	}
	return out
}

// iconSource insists on an address that clients can reach.
func (b *serverBuilder) iconSource(m *directive.Icon) {
	lower := strings.ToLower(m.Src.V)
	if strings.HasPrefix(lower, "https://") || strings.HasPrefix(lower, "data:") {
		return
	}
	from, to := valueOf(m.Src.Arg)
	better := "src=data:" + cmp.Or(m.Mime.V, "image/png") + ";base64,…"
	if rest, ok := strings.CutPrefix(lower, "http://"); ok {
		better = "src=https://" + m.Src.V[len(m.Src.V)-len(rest):]
	}
	b.report("MCP606", from, to, fmt.Sprintf("icon source `%s` is not reachable for clients; use https: or data:",
		m.Src.V), fix(better))
}

// meta reads the pairs of all meta lines; a key given twice is a mistake.
func (b *serverBuilder) meta(d *load.Decl) []ir.MetaEntry {
	var out []ir.MetaEntry
	first := map[string]*directive.Arg{}
	for _, m := range load.Refinements[*directive.Meta](d) {
		for _, pair := range m.Entries.V {
			if f := first[pair.Option]; f != nil {
				b.report("MCP106", pair.Pos, pair.OptionEnd(), fmt.Sprintf("`%s` given twice", pair.Option),
					b.related(f.Pos, f.OptionEnd(), "first"), fix("remove one"))
				continue
			}
			first[pair.Option] = pair
			text, _ := json.Marshal(pair.Value) //nolint:errchkjson // a string cannot fail
			out = append(out, ir.MetaEntry{Key: pair.Option, Value: string(text)})
		}
	}
	return out
}
