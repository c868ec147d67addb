package merge

import (
	"slices"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// typeOf returns the Go type of a node. prev is the type that newer revisions have at the same site; anonymous structs,
// enums and unions are merged into it.
func (m *merger) typeOf(at site, n *schema.Node, prev *merged.Type) *merged.Type {
	t := m.findType(at, n, prev)
	t.Pos = n.Pos
	return t
}

func (m *merger) findType(at site, n *schema.Node, prev *merged.Type) *merged.Type {
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

func (m *merger) openEnum(at site, e schema.OpenEnum) *merged.Type {
	name := m.FreeName(e.Name, revision.Enum)
	d := m.get(name, name, revision.Enum, schema.Pos{})
	d.Revs |= merged.Bit(at.rev)
	for _, v := range e.Values {
		d.AddValue(v, merged.Bit(at.rev))
	}
	return &merged.Type{Kind: ir.KindEnum, Name: name}
}

// refType returns the type of a reference to a definition.
func (m *merger) refType(at site, ref string, prev *merged.Type) *merged.Type {
	if t, ok := m.ex.Type(ref); ok {
		return fixedType(t)
	}
	n := m.views[at.rev].Lookup(ref).Node
	name := m.defName(at.rev, ref)
	switch m.views[at.rev].Class(n) {
	case revision.ClassMethod, revision.ClassStruct:
		return m.foldRef(at, name, n, prev)
	case revision.ClassUnion:
		return &merged.Type{Kind: ir.KindUnion, Name: name}
	case revision.ClassEnum:
		return &merged.Type{Kind: ir.KindEnum, Name: name}
	case revision.ClassCode:
		return &merged.Type{Kind: ir.KindError}
	case revision.ClassAlias:
		return m.aliasType(at, ref, n)
	default:
		return &merged.Type{Kind: ir.KindAny}
	}
}

// aliasType returns the type that an alias stands for. An alias that leads back to itself stands for any value.
func (m *merger) aliasType(at site, ref string, n *schema.Node) *merged.Type {
	for depth := 0; n.Ref != ""; depth++ {
		if depth > len(m.views[at.rev].Defs) {
			return &merged.Type{Kind: ir.KindAny}
		}
		ref, n = n.Ref, m.views[at.rev].Lookup(n.Ref).Node
	}
	if m.views[at.rev].Reaches(n, ref, map[string]bool{}) {
		return &merged.Type{Kind: ir.KindAny}
	}
	return m.typeOf(site{rev: at.rev, owner: m.defName(at.rev, ref), prop: at.prop, path: ref, self: true}, n, nil)
}

// foldRef returns the type for a reference to a struct. If newer revisions have an anonymous struct at this site, the
// referenced struct is merged into it.
func (m *merger) foldRef(at site, name string, n *schema.Node, prev *merged.Type) *merged.Type {
	if prev.Is(ir.KindStruct) && prev.Name != name {
		if d := m.Defs[prev.Name]; d != nil && d.Hoisted {
			m.defineWhole(prev.Name, d.Path, n, at.rev)
			return prev
		}
	}
	return &merged.Type{Kind: ir.KindStruct, Name: name}
}

// inlineStruct merges an anonymous object. If it contains itself, through an alias or a union, both are the same
// struct.
func (m *merger) inlineStruct(at site, n *schema.Node, prev *merged.Type) *merged.Type {
	if name := m.within[n]; name != "" {
		return &merged.Type{Kind: ir.KindStruct, Name: name}
	}
	name, _ := m.nameAt(at)
	path := at.path
	if owner := m.Defs[at.owner]; owner != nil && owner.Method && at.prop == "params" {
		path = name
	}
	switch {
	case prev.Is(ir.KindStruct):
		name = prev.Name
	case prev.Is(ir.KindAny):
		return &merged.Type{Kind: ir.KindObject}
	default:
		name = m.FreeName(m.ex.Alias(name, revision.Struct.String()), revision.Struct)
	}
	d := m.Defs[name]
	if d == nil {
		d = m.get(name, path, revision.Struct, n.Pos)
		d.Hoisted = !at.self
	}
	m.within[n] = name
	m.defineWhole(name, d.Path, n, at.rev)
	delete(m.within, n)
	if prev.Is(ir.KindUnion) {
		m.Defs[prev.Name].AddMember(name, at.rev)
		return prev
	}
	return &merged.Type{Kind: ir.KindStruct, Name: name}
}

func (m *merger) inlineEnum(at site, n *schema.Node, prev *merged.Type) *merged.Type {
	if !n.OnlyTexts() {
		return &merged.Type{Kind: ir.KindAny}
	}
	if prev.Is(ir.KindEnum) {
		m.enum(prev.Name, prev.Name, n, at.rev)
		return prev
	}
	name, chosen := m.nameAt(at)
	name = m.FreeName(name, revision.Enum)
	d := m.enum(name, name, n, at.rev)
	if !chosen {
		d.Shared = at.prop
	}
	d.Hoisted = !at.self
	return &merged.Type{Kind: ir.KindEnum, Name: name}
}

func (m *merger) plain(at site, n *schema.Node, prev *merged.Type) *merged.Type {
	kind, isScalar := scalarKind(n)
	switch {
	case isScalar:
		return &merged.Type{Kind: kind}
	case n.Is("array"):
		return m.list(at, n, prev)
	case n.Is("object"):
		return m.object(at, n, prev)
	default:
		return &merged.Type{Kind: ir.KindAny}
	}
}

var scalarKinds = map[string]ir.Kind{
	"string": ir.KindString, "integer": ir.KindInt, "number": ir.KindFloat, "boolean": ir.KindBool,
}

// scalarKind returns the kind of a text, number or boolean, and false for a node that is none of these.
func scalarKind(n *schema.Node) (kind ir.Kind, ok bool) {
	switch {
	case len(n.Types) != 1:
		return 0, false
	case n.Is("string") && n.Format == "byte":
		return ir.KindBytes, true
	default:
		kind, ok = scalarKinds[n.Types[0]]
		return kind, ok
	}
}

func (m *merger) list(at site, n *schema.Node, prev *merged.Type) *merged.Type {
	var prevElem *merged.Type
	if prev.Is(ir.KindList) {
		prevElem = prev.Elem
	}
	if n.Items == nil {
		return &merged.Type{Kind: ir.KindList, Elem: &merged.Type{Kind: ir.KindAny}}
	}
	elem := m.typeOf(at.below(), n.Items, prevElem)
	return flatten(&merged.Type{Kind: ir.KindList, Elem: elem})
}

// flatten makes lists of lists and maps of maps JSON text, because no message of the protocol has them.
func flatten(t *merged.Type) *merged.Type {
	switch t.Elem.Kind {
	case ir.KindList, ir.KindMap, ir.KindOneOrMany, ir.KindBytes:
		t.Elem = &merged.Type{Kind: ir.KindAny}
	}
	return t
}

// object returns the type of an object without declared members: a map if it gives the type of its members; a struct if
// it has an empty properties map, which announces that members will follow; otherwise JSON text.
func (m *merger) object(at site, n *schema.Node, prev *merged.Type) *merged.Type {
	switch {
	case n.Additional != nil:
		var prevElem *merged.Type
		if prev.Is(ir.KindMap) {
			prevElem = prev.Elem
		}
		return flatten(&merged.Type{Kind: ir.KindMap, Elem: m.typeOf(at.below(), n.Additional, prevElem)})
	case n.Declared && !at.nested && (prev == nil || prev.Kind == ir.KindObject || prev.Kind == ir.KindStruct):
		return m.inlineStruct(at, n, prev)
	default:
		return &merged.Type{Kind: ir.KindObject}
	}
}

// typeList returns the type of a list of type names, or of a node without any.
func (m *merger) typeList(at site, n *schema.Node, prev *merged.Type) *merged.Type {
	if n.Const != nil && n.Const.String {
		return &merged.Type{Kind: ir.KindString}
	}
	rest := slices.DeleteFunc(slices.Clone(n.Types), func(name string) bool { return name == "null" })
	null := len(rest) < len(n.Types)
	switch {
	case len(rest) == 1:
		one := *n
		one.Types = rest
		t := *m.typeOf(at, &one, prev)
		t.Null = null
		return &t
	case len(rest) == 2 && !null && slices.Contains(rest, "string") && slices.Contains(rest, "integer"):
		return &merged.Type{Kind: ir.KindID}
	default:
		return &merged.Type{Kind: ir.KindAny}
	}
}

// widen returns a type that holds the values of a newer and an older revision.
func (m *merger) widen(newer, older *merged.Type) *merged.Type {
	if newer == nil || newer == older {
		return older
	}
	out := *newer
	out.Null = newer.Null || older.Null
	if newer.Kind == older.Kind {
		switch newer.Kind {
		case ir.KindOneOrMany:
			out.Many |= older.Many
			return &out
		case ir.KindList, ir.KindMap:
			out.Elem = m.widen(newer.Elem, older.Elem)
			return &out
		case ir.KindStruct, ir.KindUnion:
			if newer.Name == older.Name {
				return &out
			}
		default:
			return &out
		}
	}
	if w, ok := widening[[2]ir.Kind{newer.Kind, older.Kind}]; ok {
		if w == older.Kind {
			out = *older
			m.reach(older)
		}
		return &out
	}
	m.Warnf(older.Pos, "this type and that at %s have no common form; both are kept as JSON text", newer.Pos)
	return &merged.Type{Kind: ir.KindAny, Pos: newer.Pos}
}

// reach marks a struct as part of the revisions that have only an object without declared members at its place.
func (m *merger) reach(older *merged.Type) {
	if d := m.Defs[older.Name]; d != nil && older.Kind == ir.KindStruct && d.Hoisted {
		d.Revs |= m.Founding & (merged.Bit(len(m.Schemas)) - merged.Bit(d.Revs.First()))
	}
}

// widening has, for each two kinds, the kind that holds the values of both.
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
