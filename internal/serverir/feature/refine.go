package feature

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// ProtoOf returns the range of revisions in which a feature is offered: its own, or else that of a default.
func (b *Context) ProtoOf(d *load.Decl) ir.Proto {
	var out ir.Proto
	for _, at := range append(b.DefaultsFor(d), d) {
		for _, m := range load.Refinements[*directive.Availability](at) {
			if m.Proto.Set() {
				out.From, out.To = m.Proto.From, m.Proto.To
			}
			out.Off = b.notNow(m) || out.Off
		}
	}
	return out
}

// Texts returns the items of a list without repetitions.
func Texts(list *directive.List) (out []string) {
	for _, item := range list.V {
		if !slices.Contains(out, item.V) {
			out = append(out, item.V)
		}
	}
	return out
}

// ToggleOf returns the name of the method that switches a feature on and off; "" if it has none.
func (b *Context) ToggleOf(d *load.Decl) string {
	if len(load.Refinements[*directive.Toggle](d)) == 0 {
		return ""
	}
	return "Set" + goname.UpperFirst(names.Base(b.Servers.Pkg, d)) + "Enabled"
}

// Icons reads the icon lines of d.
func (b *Context) Icons(d *load.Decl) []ir.Icon {
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

// iconSource reports an address of an icon that clients cannot reach.
func (b *Context) iconSource(m *directive.Icon) {
	lower := strings.ToLower(m.Src.V)
	if strings.HasPrefix(lower, "https://") || strings.HasPrefix(lower, "data:") {
		return
	}
	from, to := source.ValueOf(m.Src.Arg)
	better := "src=data:" + cmp.Or(m.Mime.V, "image/png") + ";base64,…"
	if rest, ok := strings.CutPrefix(lower, "http://"); ok {
		better = "src=https://" + m.Src.V[len(m.Src.V)-len(rest):]
	}
	b.Report("MCP606", from, to, fmt.Sprintf("icon source `%s` is not reachable for clients; use https: or data:",
		m.Src.V), report.Fix(better))
}

// Meta returns the pairs of all meta lines. It reports a key that is given twice.
func (b *Context) Meta(d *load.Decl) []ir.MetaEntry {
	var out []ir.MetaEntry
	first := map[string]*directive.Arg{}
	for _, m := range load.Refinements[*directive.Meta](d) {
		for _, pair := range m.Entries.V {
			if f := first[pair.Option]; f != nil {
				b.Report("MCP106", pair.Pos, pair.OptionEnd(), fmt.Sprintf("`%s` given twice", pair.Option),
					b.Related(f.Pos, f.OptionEnd(), "first"), report.Fix("remove one"))
				continue
			}
			first[pair.Option] = pair
			text, _ := json.Marshal(pair.Value) //nolint:errchkjson // a string cannot fail
			out = append(out, ir.MetaEntry{Key: pair.Option, Value: string(text)})
		}
	}
	return out
}

// Misplaced reports refinements that only other kinds of features have. instead says what to write in place of one; if
// it is nil, or returns nil, the line is to be removed.
func (b *Context) Misplaced(d *load.Decl, instead func(*directive.Directive) func(*diag.Diagnostic)) {
	kind := d.Primary.Name
	one := "a " + kind
	if strings.ContainsAny(kind[:1], "aeio") {
		one = "an " + kind
	}
	for _, m := range d.Directives {
		if m.Bad || m.Def == nil || m.Def.Primary || m.Def.Refines(kind) {
			continue
		}
		var repair func(*diag.Diagnostic)
		if instead != nil {
			repair = instead(m)
		}
		if repair == nil {
			repair = report.Fix("remove the line")
		}
		b.Report("MCP108", m.NamePos, m.NameEnd(), fmt.Sprintf("`%s` cannot stand on %s", m.Name, one),
			report.Hint(fmt.Sprintf("beside %s: %s", one, strings.Join(directive.Refinements(kind), " "))), repair)
	}
}
