package protocolir

import (
	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/schema"
)

// site is the place of a type: a property of a definition in one revision.
type site struct {
	rev    int
	owner  string // merged name
	prop   string
	path   string // of the property, for the docs
	nested bool   // below a map: anonymous open objects stay untyped
	self   bool   // the definition itself, not a property
	other  string // tells a second type of a property from the first
}

// name returns the name of an anonymous type at the site. Exceptions come first, then
// owner and property joined.
func (m *merger) nameAt(at site) (name string, chosen bool) {
	if at.self {
		return at.owner, true
	}
	if name, ok := m.ex.Name(at.owner, at.prop); ok {
		return name + at.other, true
	}
	return at.owner + goname.Pascal(at.prop) + at.other, false
}

// typeOf returns the type of a node. prev is what newer revisions have at the same site:
// anonymous structs, enums and unions are merged into it.
func (m *merger) typeOf(at site, n *schema.Node, prev *mergedType) *mergedType {
	t := m.shape(at, n, prev)
	t.pos = n.Pos
	return t
}

func (m *merger) shape(at site, n *schema.Node, prev *mergedType) *mergedType {
	if !at.self {
		if t, ok := m.ex.Type(at.owner + "." + at.prop); ok {
			return fixedType(t)
		}
		if e, ok := m.ex.OpenEnum(at.owner, at.prop); ok && n.Is("string") {
			return m.openEnum(at, e)
		}
	}
	switch {
	case n.Ref != "":
		return m.refType(at, n.Ref, prev)
	case len(n.AnyOf) > 0:
		return m.union(at, n, prev)
	case len(n.AllOf) > 0, len(n.Properties) > 0:
		return m.inlineStruct(at, n, prev)
	case len(n.Enum) > 0:
		return m.inlineEnum(at, n, prev)
	case len(n.Types) == 1:
		return m.plain(at, n, prev)
	default:
		return m.typeList(at, n, prev)
	}
}

func fixedType(name string) *mergedType {
	kinds := map[string]ir.Kind{
		"id": ir.KindID, "error": ir.KindError, "object": ir.KindObject, "string": ir.KindString, "number": ir.KindFloat,
	}
	if k, ok := kinds[name]; ok {
		return &mergedType{kind: k}
	}
	return &mergedType{kind: ir.KindAny}
}

func (m *merger) openEnum(at site, e schema.OpenEnum) *mergedType {
	name := m.freeName(e.Name, defEnum)
	d := m.get(name, name, defEnum, schema.Pos{})
	d.revs |= bit(at.rev)
	for _, v := range e.Values {
		m.enumValue(d, v, bit(at.rev))
	}
	return &mergedType{kind: ir.KindEnum, name: name}
}

// refType returns the type of a reference to a definition.
func (m *merger) refType(at site, ref string, prev *mergedType) *mergedType {
	if t, ok := m.ex.Type(ref); ok {
		return fixedType(t)
	}
	n := m.schemas[at.rev].Lookup(ref).Node
	name := m.defName(at.rev, ref)
	switch m.classify(at.rev, n) {
	case classMethod, classStruct:
		return m.foldRef(at, name, n, prev)
	case classUnion:
		return &mergedType{kind: ir.KindUnion, name: name}
	case classEnum:
		return &mergedType{kind: ir.KindEnum, name: name}
	case classCode:
		return &mergedType{kind: ir.KindError}
	case classAlias:
		return m.aliasType(at, ref, n)
	default:
		return &mergedType{kind: ir.KindAny}
	}
}

// aliasType follows an alias. A chain that comes back to itself is any value.
func (m *merger) aliasType(at site, ref string, n *schema.Node) *mergedType {
	for depth := 0; n.Ref != ""; depth++ {
		if depth > len(m.schemas[at.rev].Defs) {
			return &mergedType{kind: ir.KindAny}
		}
		ref, n = n.Ref, m.schemas[at.rev].Lookup(n.Ref).Node
	}
	if m.reaches(at.rev, n, ref, map[string]bool{}) {
		return &mergedType{kind: ir.KindAny}
	}
	return m.typeOf(site{rev: at.rev, owner: m.defName(at.rev, ref), prop: at.prop, path: ref, self: true}, n, nil)
}

// reaches reports whether an alias refers to itself through lists, maps, unions and other aliases.
func (m *merger) reaches(rev int, n *schema.Node, name string, seen map[string]bool) bool {
	if n == nil {
		return false
	}
	if n.Ref == name {
		return true
	}
	if n.Ref != "" {
		if seen[n.Ref] {
			return false
		}
		seen[n.Ref] = true
		target := m.schemas[rev].Lookup(n.Ref).Node
		return m.classify(rev, target) == classAlias && m.reaches(rev, target, name, seen)
	}
	for _, alt := range n.AnyOf {
		if m.reaches(rev, alt, name, seen) {
			return true
		}
	}
	return m.reaches(rev, n.Items, name, seen) || m.reaches(rev, n.Additional, name, seen)
}

// foldRef returns a reference to a struct. Where newer revisions have an anonymous struct
// at this site, the referenced one is another name of it and is folded in.
func (m *merger) foldRef(at site, name string, n *schema.Node, prev *mergedType) *mergedType {
	if prev == nil || prev.kind != ir.KindStruct || prev.name == name {
		return &mergedType{kind: ir.KindStruct, name: name}
	}
	if d := m.defs[prev.name]; d != nil && d.hoisted {
		m.defineWhole(prev.name, d.path, n, at.rev)
		return prev
	}
	return &mergedType{kind: ir.KindStruct, name: name}
}

// inlineStruct merges an anonymous object. One that contains itself, through an alias or a union, is one struct.
func (m *merger) inlineStruct(at site, n *schema.Node, prev *mergedType) *mergedType {
	if name := m.within[n]; name != "" {
		return &mergedType{kind: ir.KindStruct, name: name}
	}
	name, _ := m.nameAt(at)
	path := at.path
	if owner := m.defs[at.owner]; owner != nil && owner.method && at.prop == "params" {
		path = name
	}
	switch {
	case prev != nil && prev.kind == ir.KindStruct:
		name = prev.name
	case prev != nil && prev.kind == ir.KindAny:
		return &mergedType{kind: ir.KindObject}
	default:
		name = m.freeName(m.ex.Alias(name, defKindNames[defStruct]), defStruct)
	}
	d := m.defs[name]
	if d == nil {
		d = m.get(name, path, defStruct, n.Pos)
		d.hoisted = !at.self
	}
	m.within[n] = name
	m.defineWhole(name, d.path, n, at.rev)
	delete(m.within, n)
	t := &mergedType{kind: ir.KindStruct, name: name}
	if prev != nil && prev.kind == ir.KindUnion {
		m.addMember(m.defs[prev.name], name, at.rev)
		return prev
	}
	return t
}

func (m *merger) inlineEnum(at site, n *schema.Node, prev *mergedType) *mergedType {
	for _, lit := range n.Enum {
		if !lit.String {
			return &mergedType{kind: ir.KindAny}
		}
	}
	if prev != nil && prev.kind == ir.KindEnum {
		m.enum(prev.name, prev.name, n, at.rev)
		return prev
	}
	name, chosen := m.nameAt(at)
	name = m.freeName(name, defEnum)
	d := m.enum(name, name, n, at.rev)
	if !chosen {
		d.shared = at.prop
	}
	d.hoisted = !at.self
	return &mergedType{kind: ir.KindEnum, name: name}
}

func (m *merger) plain(at site, n *schema.Node, prev *mergedType) *mergedType {
	switch n.Types[0] {
	case "string":
		if n.Format == "byte" {
			return &mergedType{kind: ir.KindBytes}
		}
		return &mergedType{kind: ir.KindString}
	case "integer":
		return &mergedType{kind: ir.KindInt}
	case "number":
		return &mergedType{kind: ir.KindFloat}
	case "boolean":
		return &mergedType{kind: ir.KindBool}
	case "array":
		return m.list(at, n, prev)
	case "object":
		return m.object(at, n, prev)
	default:
		return &mergedType{kind: ir.KindAny}
	}
}

func (m *merger) list(at site, n *schema.Node, prev *mergedType) *mergedType {
	var prevElem *mergedType
	if prev != nil && prev.kind == ir.KindList {
		prevElem = prev.elem
	}
	if n.Items == nil {
		return &mergedType{kind: ir.KindList, elem: &mergedType{kind: ir.KindAny}}
	}
	elem := m.typeOf(at.below(), n.Items, prevElem)
	return flatten(&mergedType{kind: ir.KindList, elem: elem})
}

func (at site) below() site {
	at.nested = true
	return at
}

// flatten keeps nested lists and maps as text: no message of the protocol has them.
func flatten(t *mergedType) *mergedType {
	switch t.elem.kind {
	case ir.KindList, ir.KindMap, ir.KindOneOrMany, ir.KindBytes:
		t.elem = &mergedType{kind: ir.KindAny}
	}
	return t
}

// object returns the type of an object without declared members. Where the schema writes
// an empty properties map it means a struct to come; JSON maps have none.
func (m *merger) object(at site, n *schema.Node, prev *mergedType) *mergedType {
	switch {
	case n.Additional != nil:
		var prevElem *mergedType
		if prev != nil && prev.kind == ir.KindMap {
			prevElem = prev.elem
		}
		return flatten(&mergedType{kind: ir.KindMap, elem: m.typeOf(at.below(), n.Additional, prevElem)})
	case n.Declared && !at.nested && (prev == nil || prev.kind == ir.KindObject || prev.kind == ir.KindStruct):
		return m.inlineStruct(at, n, prev)
	default:
		return &mergedType{kind: ir.KindObject}
	}
}

// typeList returns the type of a list of type names, or of a node without any.
func (m *merger) typeList(at site, n *schema.Node, prev *mergedType) *mergedType {
	if n.Const != nil && n.Const.String {
		return &mergedType{kind: ir.KindString}
	}
	var rest []string
	null := false
	for _, t := range n.Types {
		if t == "null" {
			null = true
			continue
		}
		rest = append(rest, t)
	}
	switch {
	case len(rest) == 1:
		one := *n
		one.Types = rest
		t := *m.typeOf(at, &one, prev)
		t.null = null
		return &t
	case len(rest) == 2 && !null && (rest[0] == "string" && rest[1] == "integer" || rest[0] == "integer" &&
		rest[1] == "string"):
		return &mergedType{kind: ir.KindID}
	default:
		return &mergedType{kind: ir.KindAny}
	}
}

// widen returns a type that holds the values of a newer and an older revision.
func (m *merger) widen(newer, older *mergedType) *mergedType {
	if newer == nil || newer == older {
		return older
	}
	out := *newer
	out.null = newer.null || older.null
	if newer.kind == older.kind {
		switch newer.kind {
		case ir.KindOneOrMany:
			out.many |= older.many
			return &out
		case ir.KindList, ir.KindMap:
			out.elem = m.widen(newer.elem, older.elem)
			return &out
		case ir.KindStruct, ir.KindUnion:
			if newer.name == older.name {
				return &out
			}
		default:
			return &out
		}
	}
	if w, ok := widening[[2]ir.Kind{newer.kind, older.kind}]; ok {
		if w == older.kind {
			out = *older
			m.reach(older)
		}
		return &out
	}
	m.warnf(older.pos, "this type and that at %s have no common form; both are kept as JSON text", newer.pos)
	return &mergedType{kind: ir.KindAny, pos: newer.pos}
}

// reach lets a struct cover the revisions that have only an open object at its place.
func (m *merger) reach(older *mergedType) {
	if d := m.defs[older.name]; d != nil && older.kind == ir.KindStruct && d.hoisted {
		d.revs |= m.founding & (bit(len(m.schemas)) - bit(d.revs.First()))
	}
}

// widening says which of two different kinds, newer and older, holds the values of both.
var widening = makeWidening()

func makeWidening() map[[2]ir.Kind]ir.Kind {
	table := make(map[[2]ir.Kind]ir.Kind)
	wins := func(winner ir.Kind, losers ...ir.Kind) {
		for _, l := range losers {
			table[[2]ir.Kind{winner, l}] = winner
			table[[2]ir.Kind{l, winner}] = winner
		}
	}
	for k := ir.KindString; k <= ir.KindOneOrMany; k++ {
		if k != ir.KindAny {
			wins(ir.KindAny, k)
		}
	}
	wins(ir.KindFloat, ir.KindInt)
	wins(ir.KindString, ir.KindBytes)
	wins(ir.KindEnum, ir.KindString)
	wins(ir.KindID, ir.KindString, ir.KindInt)
	wins(ir.KindStruct, ir.KindObject)
	wins(ir.KindObject, ir.KindMap)
	wins(ir.KindError, ir.KindStruct, ir.KindObject)
	return table
}
