package merge

import (
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// define merges an object of one revision into the struct of this name. If another object includes it, over has the
// constants of that one for properties of n, which go before.
func (m *merger) define(name, path string, n *schema.Node, rev int, over map[string]schema.Literal) {
	d := m.get(name, path, revision.Struct, n.Pos)
	d.Revs |= merged.Bit(rev)
	if d.Role == revision.RoleValue {
		d.Role = m.roles[rev][path]
	}
	m.tellNameless(rev, name, n)
	isMethod := revision.MethodOf(n) != ""
	d.Method = d.Method || isMethod
	constants := m.views[rev].ConstantsOver(n, over)
	for _, part := range n.AllOf {
		if part.Ref != "" {
			d.Bases = append(d.Bases, part.Ref)
			part = m.views[rev].Lookup(part.Ref).Node
		}
		m.define(name, path, part, rev, constants)
	}
	for _, p := range n.Properties {
		if isMethod && (p.Name == "jsonrpc" || p.Name == "id") {
			continue
		}
		if text, ok := over[p.Name]; ok && !m.views[rev].Admits(p.Node, text, 0) {
			m.Failf(p.Pos, "%s.%s is always %q, and no such value is valid here", name, p.Name, text.Text)
			continue
		} else if ok && p.Node.Const == nil || p.Node.Never {
			continue
		}
		m.property(d, p, n.IsRequired(p.Name) || p.Node.Const != nil && m.views[rev].Requires(n, p.Name), rev)
	}
	for _, required := range n.Required { // of what a part declares
		if f := d.Field(required); f != nil && n.Property(required) == nil && f.Revs.Has(rev) {
			f.Required |= merged.Bit(rev)
		}
	}
	if f := d.Field("_meta"); m.views[rev].InheritsMeta(d.Role) && (f == nil || !f.Revs.Has(rev)) {
		m.metaField(d, nil, false, rev)
	}
}

// property merges one property of one revision.
func (m *merger) property(d *merged.Def, p *schema.Property, required bool, rev int) {
	if p.Name == "_meta" {
		m.metaField(d, p.Node, required, rev)
		return
	}
	if m.Later(rev) && m.laterProperty(d, p, required, rev) {
		return
	}
	f := d.Field(p.Name)
	fresh := f == nil
	if fresh {
		f = &merged.Field{JSON: p.Name, Pos: p.Pos}
		d.Add(f)
	}
	f.Constant(p.Node, required, fresh)
	at := site{rev: rev, owner: d.Name, prop: p.Name, path: d.Path + "." + p.Name}
	typ := m.typeOf(at, p.Node, f.Type)
	f.NarrowTo(p.Node, typ, rev)
	f.Record(rev, typ, p.Node)
	f.Type = m.widen(f.Type, typ)
	f.Appears(rev, required)
}

// metaField merges a _meta property. Its type is the metadata definition that the newest revision names, or else the
// one for the role of its owner. Older revisions have an open object there, of which only the progress token has a
// field.
func (m *merger) metaField(d *merged.Def, n *schema.Node, required bool, rev int) {
	f := d.Field("_meta")
	if f == nil {
		typ := &merged.Type{Kind: ir.KindStruct, Name: m.metaName(rev, n, d.Role)}
		f = &merged.Field{JSON: "_meta", Type: typ, Pos: d.Pos}
		d.Add(f)
	}
	f.Appears(rev, required)
	if n != nil && n.Ref == f.Type.Name {
		return
	}
	if m.Later(rev) && n != nil && n.Ref != "" && m.views[rev].ClassOfRef(n.Ref) == revision.ClassStruct {
		if name := m.defName(rev, n.Ref); name != f.Type.Name {
			m.fold(site{rev: rev}, name, m.views[rev].Lookup(n.Ref).Node, f.Type.Name)
		}
		return
	}
	meta := m.get(f.Type.Name, f.Type.Name, revision.Struct, d.Pos)
	meta.Revs |= merged.Bit(rev)
	if f.Type.Name == m.ex.Meta.Request {
		progressToken(meta, rev)
	}
}

func (m *merger) metaName(rev int, n *schema.Node, role revision.Role) string {
	if n != nil && n.Ref != "" && m.views[rev].ClassOfRef(n.Ref) == revision.ClassStruct {
		return m.defName(rev, n.Ref)
	}
	switch role {
	case revision.RoleRequest:
		return m.ex.Meta.Request
	case revision.RoleNotification:
		return m.ex.Meta.Notification
	case revision.RoleResult:
		return m.ex.Meta.Result
	default:
		return m.ex.Meta.Value
	}
}

// progressToken adds progressToken, the one member that the metadata of requests has in all revisions.
func progressToken(meta *merged.Def, rev int) {
	f := meta.Field("progressToken")
	if f == nil {
		f = &merged.Field{JSON: "progressToken", Type: &merged.Type{Kind: ir.KindID}, Pos: meta.Pos}
		meta.Add(f)
	}
	f.Appears(rev, false)
}
