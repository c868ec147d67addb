package protocolir

import (
	"fmt"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/schema"
)

// What a released revision gave stays. A revision that comes after the founding ones is merged last, into types that
// are there already: a property keeps its Go type if that can hold what the revision allows, maybe after it has got
// more fields, members or values. If it cannot, the property gets a second field, and the codec chooses by revision.

// later reports whether a revision came after the founding ones.
func (m *merger) later(rev int) bool { return m.founding&bit(rev) == 0 }

// notef reports what a rule has decided.
func (m *merger) notef(pos schema.Pos, format string, args ...any) {
	note := Note{Pos: pos, Text: fmt.Sprintf(format, args...)}
	if !slices.Contains(m.notes, note) {
		m.notes = append(m.notes, note)
	}
}

// laterProperty merges a property of a later revision. It reports false if the struct has no such property yet.
func (m *merger) laterProperty(d *mergedDef, p *schema.Property, required bool, rev int) bool {
	list := d.fieldsOf(p.Name)
	if len(list) == 0 {
		return false
	}
	at := site{rev: rev, owner: d.name, prop: p.Name, path: d.path + "." + p.Name}
	for _, f := range slices.Backward(list) {
		if !m.holds(f, at, p.Node) {
			continue
		}
		if m.twice(list, f, d, p, rev) {
			return true
		}
		if f.konst == "" {
			m.absorb(at, p.Node, f.typ)
		}
		f.revs |= bit(rev)
		if required {
			f.required |= bit(rev)
		}
		return true
	}
	if m.twice(list, nil, d, p, rev) {
		return true
	}
	if last := list[len(list)-1]; !required && m.opens(last, at, p.Node) {
		m.notef(p.Pos, "%s.%s can be any value from this revision on; its Go type is JSON text as before", d.name, p.Name)
		last.narrow = append(last.narrow, ir.Narrow{Revs: last.revs})
		last.typ = &mergedType{kind: ir.KindAny, pos: p.Node.Pos}
		last.revs |= bit(rev)
		return true
	}
	f := &mergedField{json: p.Name, pos: p.Pos, revs: bit(rev)}
	if required {
		f.required = bit(rev)
	}
	m.constant(f, p.Node, required, true)
	d.add(f)
	at.other = fmt.Sprint(len(list) + 1)
	f.typ = m.typeOf(at, p.Node, nil)
	f.record(rev, f.typ, p.Node.Const)
	m.notef(p.Pos, "%s.%s is another type than in older revisions; it gets a field of its own", d.name, p.Name)
	return true
}

// opens reports whether an optional field that is the JSON text of an object can have the values of a property of a
// later revision that may be anything.
func (m *merger) opens(f *mergedField, at site, n *schema.Node) bool {
	if _, fixed := m.fixedAt(at, n); fixed || f.typ.kind != ir.KindObject || f.required != 0 || len(n.AnyOf) > 0 ||
		len(n.AllOf) > 0 {
		return false
	}
	return m.typeOf(at, n, nil).kind == ir.KindAny
}

// twice reports whether a property has another field in this revision already than f, nil for a new one. That is so if
// two objects of the revision are merged into one struct, and is an error unless the other field is the constant that
// the property has: values of one of them would be refused.
func (m *merger) twice(list []*mergedField, f *mergedField, d *mergedDef, p *schema.Property, rev int) bool {
	for _, other := range list {
		if other == f || !other.revs.Has(rev) {
			continue
		}
		if c := p.Node.Const; other.konst == "" || c == nil || !c.String || c.Text != other.konst {
			m.failf(p.Pos, "%s.%s has two types in this revision, which merge into one struct; give one of the definitions "+
				"another name in \"aliases\" of %s", d.name, p.Name, m.exceptionsFile())
		}
		return true
	}
	return false
}

// holds reports whether a field can have the values of a property of a later revision.
func (m *merger) holds(f *mergedField, at site, n *schema.Node) bool {
	if f.konst != "" {
		return n.Const != nil && n.Const.String && n.Const.Text == f.konst
	}
	return m.fits(at, n, f.typ, 0)
}

// exceptionsFile names the table of the exceptions.
func (m *merger) exceptionsFile() string {
	if m.extension != nil {
		return m.extension.table("exceptions.json")
	}
	return "schema/exceptions.json"
}

// failf reports what cannot be merged.
func (m *merger) failf(pos schema.Pos, format string, args ...any) {
	m.errs = append(m.errs, &schema.Error{Pos: pos, Msg: fmt.Sprintf(format, args...)})
}

// maxFit bounds how deep types are compared; lists and maps that name themselves have no end.
const maxFit = 16

// fits reports whether the Go type t can hold what a schema of a later revision allows.
func (m *merger) fits(at site, n *schema.Node, t *mergedType, depth int) bool {
	if t.kind == ir.KindAny {
		return true
	}
	if depth > maxFit {
		return false
	}
	if fixed, ok := m.fixedAt(at, n); ok {
		return fitsKind(t.kind, fixed.kind)
	}
	switch {
	case n.Ref != "":
		return m.fitsRef(at, n, t, depth)
	case len(n.AnyOf) > 0:
		return m.fitsUnion(at, n, t, depth)
	case len(n.AllOf) > 0, len(n.Properties) > 0:
		return m.fitsStruct(at, "", n, t)
	case len(n.Enum) > 0:
		other := slices.ContainsFunc(n.Enum, func(l schema.Literal) bool { return !l.String })
		return !other && fitsKind(t.kind, ir.KindString)
	case len(n.Types) == 1:
		return m.fitsPlain(at, n, t, depth)
	default:
		return m.fitsTypeList(at, n, t, depth)
	}
}

// fixedAt returns the type that the exceptions give to a place or to the definition that it names.
func (m *merger) fixedAt(at site, n *schema.Node) (*mergedType, bool) {
	if !at.self && !at.nested {
		if t, ok := m.ex.Type(at.owner + "." + at.prop); ok {
			return fixedType(t), true
		}
		if _, ok := m.ex.OpenEnum(at.owner, at.prop); ok && n.Is("string") {
			return &mergedType{kind: ir.KindEnum}, true
		}
	}
	if n.Ref != "" {
		if t, ok := m.ex.Type(n.Ref); ok {
			return fixedType(t), true
		}
	}
	return nil, false
}

// fitsKind reports whether a type of one kind holds the values of a kind without names.
func fitsKind(have, want ir.Kind) bool {
	if have == want || have == ir.KindAny {
		return true
	}
	switch want {
	case ir.KindString, ir.KindEnum:
		return have == ir.KindString || have == ir.KindEnum || have == ir.KindID
	case ir.KindBytes:
		return have == ir.KindString
	case ir.KindInt:
		return have == ir.KindFloat || have == ir.KindID
	case ir.KindObject, ir.KindStruct:
		return have == ir.KindObject || have == ir.KindStruct || have == ir.KindError
	case ir.KindError:
		return have == ir.KindObject
	default:
		return false
	}
}

func (m *merger) fitsRef(at site, n *schema.Node, t *mergedType, depth int) bool {
	target := m.schemas[at.rev].Lookup(n.Ref).Node
	switch m.classify(at.rev, target) {
	case classMethod, classStruct:
		return m.fitsStruct(at, m.defName(at.rev, n.Ref), target, t)
	case classUnion:
		return t.name != "" && t.name == m.defName(at.rev, n.Ref) || m.fitsUnion(at, target, t, depth+1)
	case classEnum:
		return fitsKind(t.kind, ir.KindEnum)
	case classCode:
		return fitsKind(t.kind, ir.KindError)
	case classAlias:
		return m.fits(at, target, t, depth+1)
	default:
		return false
	}
}

// fitsUnion asks for every alternative.
func (m *merger) fitsUnion(at site, n *schema.Node, t *mergedType, depth int) bool {
	var several []*schema.Node
	for _, alt := range n.AnyOf {
		if alt.Is("null") {
			continue
		}
		if !m.fits(at.below(), alt, t, depth+1) {
			return false
		}
		several = append(several, alt)
	}
	return len(several) < 2 || t.kind != ir.KindStruct || m.alike(at.rev, several, m.defs[t.name])
}

// alike reports whether the alternatives of a union differ only in values that the struct d can have: they have the
// same properties, require the same, and no constant that d has no field for.
func (m *merger) alike(rev int, alternatives []*schema.Node, d *mergedDef) bool {
	var first string
	for i, n := range alternatives {
		if n.Ref != "" {
			n = m.schemas[rev].Lookup(n.Ref).Node
		}
		var names []string
		for name, p := range m.propertiesOf(rev, n, 0) {
			if p.Node.Const != nil && d.field(name) == nil {
				return false
			}
			names = append(names, name)
		}
		slices.Sort(names)
		if form := fmt.Sprint(names, slices.Sorted(slices.Values(n.Required))); i == 0 {
			first = form
		} else if form != first {
			return false
		}
	}
	return true
}

// fitsStruct reports whether t holds a struct, which is the definition name or, if that is "", an anonymous one.
func (m *merger) fitsStruct(at site, name string, n *schema.Node, t *mergedType) bool {
	switch t.kind {
	case ir.KindStruct:
		return t.name == name || m.foldable(at.rev, m.defs[t.name], n)
	case ir.KindUnion:
		return true // it becomes a member, if it is none
	case ir.KindOneOrMany:
		return m.fitsStruct(at, name, n, t.elem)
	default:
		return fitsKind(t.kind, ir.KindStruct)
	}
}

func (m *merger) fitsPlain(at site, n *schema.Node, t *mergedType, depth int) bool {
	switch n.Types[0] {
	case "string":
		if n.Format == "byte" {
			return fitsKind(t.kind, ir.KindBytes)
		}
		return fitsKind(t.kind, ir.KindString)
	case "integer":
		return fitsKind(t.kind, ir.KindInt)
	case "number":
		return fitsKind(t.kind, ir.KindFloat)
	case "boolean":
		return fitsKind(t.kind, ir.KindBool)
	case "array":
		if t.kind != ir.KindList && t.kind != ir.KindOneOrMany {
			return false
		}
		return n.Items == nil && t.elem.kind == ir.KindAny || n.Items != nil && m.fits(at.below(), n.Items, t.elem, depth+1)
	case "object":
		if n.Additional != nil && t.kind == ir.KindMap {
			return m.fits(at.below(), n.Additional, t.elem, depth+1)
		}
		if n.Declared && n.Additional == nil && (t.kind == ir.KindUnion || t.kind == ir.KindOneOrMany) {
			return m.fitsStruct(at, "", n, t)
		}
		return n.Additional == nil && fitsKind(t.kind, ir.KindObject) || t.kind == ir.KindObject
	default:
		return false
	}
}

func (m *merger) fitsTypeList(at site, n *schema.Node, t *mergedType, depth int) bool {
	if n.Const != nil {
		return n.Const.String && fitsKind(t.kind, ir.KindString)
	}
	if len(n.Types) == 0 {
		return false
	}
	for _, name := range n.Types {
		one := *n
		one.Types = []string{name}
		if name != "null" && !m.fits(at, &one, t, depth+1) {
			return false
		}
	}
	return true
}

// foldable reports whether an object of a later revision can be the struct d, after d has got more fields: their
// constants agree, and they share at least half of the properties of the smaller one.
func (m *merger) foldable(rev int, d *mergedDef, n *schema.Node) bool {
	if d == nil || d.kind != defStruct {
		return false
	}
	props := m.propertiesOf(rev, n, 0)
	common, fields := 0, 0
	for _, f := range d.fields {
		if f.json == "_meta" {
			continue
		}
		fields++
		p := props[f.json]
		if p == nil {
			continue
		}
		common++
		if c := p.Node.Const; f.konst != "" && c != nil && c.String && c.Text != f.konst {
			return false
		}
	}
	least := min(fields, len(props))
	return least == 0 || common > 0 && 2*common >= least
}

// propertiesOf returns the properties of an object and of what it includes, without those of frames and _meta.
func (m *merger) propertiesOf(rev int, n *schema.Node, depth int) map[string]*schema.Property {
	out := map[string]*schema.Property{}
	for _, part := range n.AllOf {
		if part.Ref != "" {
			part = m.schemas[rev].Lookup(part.Ref).Node
		}
		if depth < maxFit {
			maps.Copy(out, m.propertiesOf(rev, part, depth+1))
		}
	}
	isMethod := methodOf(n) != ""
	for _, p := range n.Properties {
		if p.Name != "_meta" && (!isMethod || p.Name != "jsonrpc" && p.Name != "id") {
			out[p.Name] = p
		}
	}
	return out
}
