package protocolir

import (
	"maps"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/schema"
)

// define merges an object of one revision into the struct of this name.
func (m *merger) define(name, path string, n *schema.Node, rev int) {
	m.defineBut(name, path, n, rev, nil)
}

// defineBut is define without the properties that the object which includes n has a constant for.
func (m *merger) defineBut(name, path string, n *schema.Node, rev int, but map[string]bool) {
	d := m.get(name, path, defStruct, n.Pos)
	d.revs |= bit(rev)
	if d.role == roleValue {
		d.role = m.roles[rev][path]
	}
	isMethod := methodOf(n) != ""
	d.method = d.method || isMethod
	constants := m.constantsOver(rev, n, but)
	for _, part := range n.AllOf {
		if part.Ref != "" {
			d.bases = append(d.bases, part.Ref)
			part = m.schemas[rev].Lookup(part.Ref).Node
		}
		m.defineBut(name, path, part, rev, constants)
	}
	for _, p := range n.Properties {
		if isMethod && (p.Name == "jsonrpc" || p.Name == "id") || p.Node.Const == nil && but[p.Name] {
			continue
		}
		m.property(d, p, n.IsRequired(p.Name) || p.Node.Const != nil && m.requires(rev, n, p.Name), rev)
	}
	for _, required := range n.Required { // of what a part declares
		if f := d.field(required); f != nil && n.Property(required) == nil && f.revs.Has(rev) {
			f.required |= bit(rev)
		}
	}
	if f := d.field("_meta"); m.inheritsMeta(rev, d.role) && (f == nil || !f.revs.Has(rev)) {
		m.metaField(d, nil, false, rev)
	}
}

// constantsOver returns the names of the properties that an object, or a part of it, has a constant for, and those in
// but. Where another part has the same property, the constant says more.
func (m *merger) constantsOver(rev int, n *schema.Node, but map[string]bool) map[string]bool {
	if len(n.AllOf) == 0 {
		return nil
	}
	out := maps.Clone(but)
	if out == nil {
		out = map[string]bool{}
	}
	for name, p := range m.propertiesOf(rev, n, 0) {
		if p.Node.Const != nil && p.Node.Const.String {
			out[name] = true
		}
	}
	return out
}

// requires reports whether an object or a part of it requires a property.
func (m *merger) requires(rev int, n *schema.Node, name string) bool {
	if n.IsRequired(name) {
		return true
	}
	for _, part := range n.AllOf {
		if part.Ref != "" {
			part = m.schemas[rev].Lookup(part.Ref).Node
		}
		if m.requires(rev, part, name) {
			return true
		}
	}
	return false
}

func (d *mergedDef) field(json string) *mergedField {
	if list := d.named[json]; len(list) > 0 {
		return list[0]
	}
	return nil
}

// fieldsOf returns the fields of a property, in the order in which they came. There is more than one if a later
// revision has a type that does not fit. The list must not be changed.
func (d *mergedDef) fieldsOf(json string) []*mergedField { return d.named[json] }

func (d *mergedDef) add(f *mergedField) {
	if d.named == nil {
		d.named = map[string][]*mergedField{}
	}
	d.fields = append(d.fields, f)
	d.named[f.json] = append(d.named[f.json], f)
}

// property merges one property of one revision.
func (m *merger) property(d *mergedDef, p *schema.Property, required bool, rev int) {
	if p.Name == "_meta" {
		m.metaField(d, p.Node, required, rev)
		return
	}
	if m.later(rev) && m.laterProperty(d, p, required, rev) {
		return
	}
	f := d.field(p.Name)
	fresh := f == nil
	if fresh {
		f = &mergedField{json: p.Name, pos: p.Pos}
		d.add(f)
	}
	m.constant(f, p.Node, required, fresh)
	at := site{rev: rev, owner: d.name, prop: p.Name, path: d.path + "." + p.Name}
	typ := m.typeOf(at, p.Node, f.typ)
	m.narrow(f, p.Node, typ, rev)
	f.record(rev, typ, p.Node.Const)
	f.typ = m.widen(f.typ, typ)
	f.revs |= bit(rev)
	if required {
		f.required |= bit(rev)
	}
}

// record notes what one revision has.
func (f *mergedField) record(rev int, typ *mergedType, konst *schema.Literal) {
	was := wasType{typ: typ}
	if konst != nil && konst.String {
		was.konst = konst.Text
	}
	if f.was == nil {
		f.was = map[int]wasType{}
	}
	f.was[rev] = was
}

// constant keeps a constant only while every revision agrees on it.
func (m *merger) constant(f *mergedField, n *schema.Node, required, fresh bool) {
	value := ""
	if n.Const != nil && n.Const.String {
		value = n.Const.Text
	}
	switch {
	case fresh && required:
		f.konst = value
	case fresh:
		f.optional = value
	case f.konst != value:
		f.konst = ""
	}
	if !fresh && f.optional != value {
		f.optional = ""
	}
}

// narrow records that this revision accepts fewer values than the merged type holds.
func (m *merger) narrow(f *mergedField, n *schema.Node, typ *mergedType, rev int) {
	object := typ.kind == ir.KindObject || typ.kind == ir.KindStruct
	switch {
	case f.typ != nil && f.typ.kind == ir.KindAny && object:
		f.narrow = append(f.narrow, ir.Narrow{Revs: bit(rev)})
	case typ.kind == ir.KindObject:
		for _, p := range n.Properties {
			if c := p.Node.Const; c != nil && c.String && n.IsRequired(p.Name) {
				f.narrow = append(f.narrow, ir.Narrow{Revs: bit(rev), Member: p.Name, Value: c.Text})
			}
		}
	}
}

// metaField merges a _meta property. Its type is the metadata definition that the newest
// revision names, else the one for the role of its owner; older revisions spell it as an
// open object, whose members beyond the progress token are not typed.
func (m *merger) metaField(d *mergedDef, n *schema.Node, required bool, rev int) {
	f := d.field("_meta")
	if f == nil {
		f = &mergedField{json: "_meta", typ: &mergedType{kind: ir.KindStruct, name: m.metaName(rev, n, d.role)}, pos: d.pos}
		d.add(f)
	}
	f.revs |= bit(rev)
	if required {
		f.required |= bit(rev)
	}
	if n != nil && n.Ref == f.typ.name {
		return
	}
	if m.later(rev) && n != nil && n.Ref != "" && m.classOfRef(rev, n.Ref) == classStruct {
		if name := m.defName(rev, n.Ref); name != f.typ.name {
			m.fold(site{rev: rev}, name, m.schemas[rev].Lookup(n.Ref).Node, f.typ.name)
		}
		return
	}
	meta := m.get(f.typ.name, f.typ.name, defStruct, d.pos)
	meta.revs |= bit(rev)
	if f.typ.name == m.ex.Meta.Request {
		m.progressToken(meta, rev)
	}
}

func (m *merger) metaName(rev int, n *schema.Node, role paramsRole) string {
	if n != nil && n.Ref != "" && m.classOfRef(rev, n.Ref) == classStruct {
		return m.defName(rev, n.Ref)
	}
	switch role {
	case roleRequest:
		return m.ex.Meta.Request
	case roleNotification:
		return m.ex.Meta.Notification
	case roleResult:
		return m.ex.Meta.Result
	default:
		return m.ex.Meta.Value
	}
}

// progressToken adds the one member that open request metadata has in every revision.
func (m *merger) progressToken(meta *mergedDef, rev int) {
	f := meta.field("progressToken")
	if f == nil {
		f = &mergedField{json: "progressToken", typ: &mergedType{kind: ir.KindID}, pos: meta.pos}
		meta.add(f)
	}
	f.revs |= bit(rev)
}

// inheritsMeta reports whether a revision declares _meta only on its generic request and
// notification, so that the params of every method have it without saying so.
func (m *merger) inheritsMeta(rev int, role paramsRole) bool {
	if role != roleRequest && role != roleNotification {
		return false
	}
	if m.openMeta[rev] == nil {
		out := m.declaresMeta(rev)
		m.openMeta[rev] = &out
	}
	return *m.openMeta[rev]
}

func (m *merger) declaresMeta(rev int) bool {
	for _, d := range m.schemas[rev].Defs {
		method, params := d.Node.Property("method"), d.Node.Property("params")
		if method == nil || method.Node.Const != nil || params == nil {
			continue
		}
		if params.Node.Property("_meta") != nil {
			return true
		}
	}
	return false
}
