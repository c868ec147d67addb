package merge

import (
	"slices"

	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// What follows tells of changes that the generated code does not show, because its types hold the values of both
// revisions.

// tellProperty adds notes about how a property of a later revision differs from that of the revision before.
func (m *state) tellProperty(d *merged.Def, f *merged.Field, p *schema.Property, rev int) {
	before := f.Before(rev)
	if before == nil || !revision.IsPlain(before) || !revision.IsPlain(p.Node) {
		return
	}
	if was, is := revision.Spell(before), revision.Spell(p.Node); was != is {
		m.Notef(p.Pos, "%s.%s was %s and is %s; its Go type holds both", d.Name, p.Name, was, is)
	}
}

// tellFixed adds a note if a definition has changed whose Go type the exceptions decide.
func (m *state) tellFixed(rev int, d *schema.Def) {
	fixed, ok := m.ex.Type(d.Name)
	if !ok || !m.Later(rev) {
		return
	}
	for older := rev - 1; older >= 0; older-- {
		have := m.views[older].Lookup(d.Name)
		if have == nil {
			continue
		}
		if was, is := revision.Spell(have.Node), revision.Spell(d.Node); was != is {
			m.Notef(d.Node.Pos, "%s was %s and is %s; its Go type stays, which %q in \"types\" of %s says", d.Name, was, is,
				fixed, m.file)
		}
		return
	}
}

// tellGone adds a note about the values that an enumeration no longer has.
func (m *state) tellGone(rev int, d *merged.Def, n *schema.Node) {
	before := (d.Revs & (merged.Bit(rev) - 1)).Last()
	if !m.Later(rev) || before < 0 {
		return
	}
	for _, v := range d.Values {
		if v.Revs.Has(before) && !slices.Contains(n.Enum, schema.Literal{Text: v.Text, String: true}) {
			m.Notef(n.Pos, "%s has no value %q any more; decoders go on taking it, as they take what they do not know",
				d.Name, v.Text)
		}
	}
}

// tellNameless adds a note about additional members with a declared type, for which no field is made.
func (m *state) tellNameless(rev int, name string, n *schema.Node) {
	if n.Additional != nil && len(n.Properties) > 0 && m.Later(rev) {
		m.Notef(n.Additional.Pos, "%s takes members without names that are %s; they are in Extra, and nothing checks them",
			name, revision.Spell(n.Additional))
	}
}

// tellVersions adds a note about messages that declare more versions of JSON-RPC than the one of package wire, and an
// error if that is not among them.
func (m *state) tellVersions(rev int, d *schema.Def) {
	p := d.Node.Property("jsonrpc")
	if p == nil || p.Node.OnlyText() == revision.Version || !m.Later(rev) {
		return
	}
	tell := m.Notef
	if !m.views[rev].Admits(p.Node, schema.Literal{Text: revision.Version, String: true}, 0) {
		tell = m.Failf
	}
	tell(p.Pos, "%s.jsonrpc is %s; package wire reads and writes %q alone", d.Name, revision.Spell(p.Node),
		revision.Version)
}
