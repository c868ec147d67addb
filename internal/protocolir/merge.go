package protocolir

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/schema"
)

// merger folds the definitions of several revisions into one set. Of the founding revisions it reads the newest first:
// its names and shapes lead, and what an older revision has at the same place is folded into them. Revisions that came
// later follow, in the order in which they came: they only add.
type merger struct {
	schemas  []*schema.Schema // oldest first
	ex       *schema.Exceptions
	defs     map[string]*mergedDef
	order    []*mergedDef // in order of creation
	methods  []*mergedMethod
	codes    []*mergedCode
	empty    string                  // definition of a result without content
	roles    []map[string]paramsRole // by revision: roles of params and results definitions
	warnings []*schema.Error

	sequence []int               // indices of schemas in the order of merging
	founding ir.Revs             // the revisions that lead together
	turn     int                 // place in sequence
	renamed  []map[string]string // by revision: new names of what is there
	folded   map[foldKey]bool
	notes    []Note
	refs     []map[string]bool       // by revision: what is referred to
	unions   []map[int][]*schema.Def // by revision: definitions of unions by the number of their members
	classes  map[*schema.Node]class
	openMeta []*bool                 // by revision: what declaresMeta has found out
	errs     []error                 // what cannot be merged at all
	objects  map[*schema.Node]bool   // what ofObjects has found out
	within   map[*schema.Node]string // anonymous objects that are being merged: names of their structs
	api      *schema.API             // what was given before

	extension *extension // nil for the core
}

// newMerger prepares the merge of schemas, oldest first, in the order of the record.
func newMerger(schemas []*schema.Schema, ex *schema.Exceptions, api *schema.API) *merger {
	m := &merger{schemas: schemas, ex: ex, defs: map[string]*mergedDef{}, folded: map[foldKey]bool{},
		objects: map[*schema.Node]bool{}, within: map[*schema.Node]string{}}
	var dates []string
	for _, s := range schemas {
		dates = append(dates, s.Revision)
	}
	api = api.For(dates)
	m.api = api
	order, founding := api.Sequence(dates)
	for i, date := range order {
		rev := slices.Index(dates, date)
		m.sequence = append(m.sequence, rev)
		if i < founding {
			m.founding |= bit(rev)
		}
	}
	m.renamed = make([]map[string]string, len(schemas))
	m.refs = make([]map[string]bool, len(schemas))
	m.unions = make([]map[int][]*schema.Def, len(schemas))
	m.classes = map[*schema.Node]class{}
	m.openMeta = make([]*bool, len(schemas))
	return m
}

type defKind uint8

const (
	defStruct defKind = iota
	defEnum
	defUnion
	defAlias
)

var defKindNames = [...]string{"struct", "enum", "union", "alias"}

// mergedDef is one definition of the merged protocol.
type mergedDef struct {
	name    string
	path    string // where the first anonymous form stood, else the name; key of the docs
	kind    defKind
	revs    ir.Revs
	pos     schema.Pos
	fields  []*mergedField
	named   map[string][]*mergedField // fields by property
	values  []mergedValue
	valueAt map[string]int // indices of values
	members []mergedMember
	alias   *mergedType
	hoisted bool
	shared  string // property of an anonymous enum that others may share
	role    paramsRole
	bases   []string               // definitions that it includes by allOf
	born    int                    // place of the revision that brought it in the sequence
	whole   map[int][]*schema.Node // by revision: the objects that are merged into it
	method  bool                   // a request or notification: kept only if something refers to it
}

type mergedField struct {
	json     string
	typ      *mergedType
	konst    string // value if it is constant in every revision
	optional string // value of a constant that may be left out
	revs     ir.Revs
	required ir.Revs
	narrow   []ir.Narrow
	was      map[int]wasType // by revision, before widening
	pos      schema.Pos
}

// wasType is what one revision has at a property.
type wasType struct {
	typ   *mergedType
	konst string
}

type mergedValue struct {
	text string
	revs ir.Revs
}

type mergedMember struct {
	name string
	revs ir.Revs
}

// mergedType refers to structs, enums and unions by the name of their definition.
type mergedType struct {
	kind ir.Kind
	name string
	elem *mergedType
	many ir.Revs
	null bool
	pos  schema.Pos
}

func bit(rev int) ir.Revs { return 1 << rev }

func (m *merger) warnf(pos schema.Pos, format string, args ...any) {
	m.warnings = append(m.warnings, &schema.Error{Pos: pos, Msg: fmt.Sprintf(format, args...), Warning: true})
}

// merge reads all definitions of all revisions.
func (m *merger) merge() {
	for rev := range m.schemas {
		m.roles = append(m.roles, m.findRoles(rev))
	}
	for i, rev := range m.sequence {
		m.turn = i
		if m.later(rev) {
			m.findRenames(rev)
		}
		for _, d := range m.schemas[rev].Defs {
			m.reserve(rev, d)
		}
		for _, d := range m.schemas[rev].Defs {
			m.definition(rev, d)
		}
		m.relaxRequired(rev)
		m.collectMethods(rev)
		if last := i == len(m.sequence)-1; last || m.later(m.sequence[i+1]) {
			m.finishMethods()
			m.shareEnums()
		}
	}
	m.dropUnreachable()
}

// reserve takes the name of a definition before any anonymous type can.
func (m *merger) reserve(rev int, d *schema.Def) {
	if m.leavesOut(rev, d) {
		return
	}
	switch m.classify(rev, d.Node) {
	case classMethod, classStruct, classUnion, classEnum:
		m.get(m.defName(rev, d.Name), d.Name, m.kindOf(rev, d.Node), d.Node.Pos)
	}
}

// leavesOut reports whether a definition has a fixed type or is a base that nothing uses.
func (m *merger) leavesOut(rev int, d *schema.Def) bool {
	_, fixed := m.ex.Type(d.Name)
	return fixed || m.ex.IsMixin(d.Name) && !m.referenced(rev, d.Name)
}

// freeName returns a name for an anonymous type: one that no type of another kind has.
func (m *merger) freeName(name string, kind defKind) string {
	for m.defs[name] != nil && m.defs[name].kind != kind {
		name += goname.Pascal(defKindNames[kind])
	}
	return name
}

// definition merges one named definition of one revision.
func (m *merger) definition(rev int, d *schema.Def) {
	if m.leavesOut(rev, d) {
		return
	}
	n := d.Node
	switch m.classify(rev, n) {
	case classRole:
	case classEnvelope, classCode:
		m.errorCode(rev, d)
	case classMethod, classStruct:
		m.defineWhole(m.defName(rev, d.Name), d.Name, n, rev)
	case classUnion:
		name := m.defName(rev, d.Name)
		t := &mergedType{kind: ir.KindUnion, name: name}
		if def := m.get(name, d.Name, defUnion, n.Pos); m.later(rev) && def.revs != 0 {
			def.revs |= bit(rev)
			m.absorb(site{rev: rev, owner: name, self: true}, n, t)
			return
		}
		m.union(site{rev: rev, owner: name, self: true}, n, t)
	case classEnum:
		m.enum(m.defName(rev, d.Name), d.Name, n, rev)
	default:
		m.aliasOf(rev, d)
	}
}

// aliasOf merges a definition that is another spelling of a type.
func (m *merger) aliasOf(rev int, d *schema.Def) {
	if d.Node.Is("string") || d.Node.Is("integer") || d.Node.Is("number") || d.Node.Is("boolean") ||
		len(d.Node.Types) > 1 {
		return // fields spell it out
	}
	def := m.get(m.defName(rev, d.Name), d.Name, defAlias, d.Node.Pos)
	def.revs |= bit(rev)
	if m.later(rev) && def.alias != nil {
		if at := (site{rev: rev, owner: def.name, self: true, path: d.Name}); m.fits(at, d.Node, def.alias, 0) {
			m.absorb(at, d.Node, def.alias)
		} else {
			m.notef(d.Node.Pos, "%s is another type than in older revisions; the name stays with those", d.Name)
		}
		return
	}
	typ := m.typeOf(site{rev: rev, owner: def.name, self: true, path: d.Name}, d.Node, def.alias)
	def.alias = m.widen(def.alias, typ)
}

// get returns the definition of this name, which it makes if there is none.
func (m *merger) get(name, path string, kind defKind, pos schema.Pos) *mergedDef {
	if d := m.defs[name]; d != nil {
		return d
	}
	d := &mergedDef{name: name, path: path, kind: kind, pos: pos, born: m.turn}
	m.defs[name] = d
	m.order = append(m.order, d)
	return d
}

// enum merges the values of an enumeration.
func (m *merger) enum(name, path string, n *schema.Node, rev int) *mergedDef {
	d := m.get(name, path, defEnum, n.Pos)
	d.revs |= bit(rev)
	for _, lit := range n.Enum {
		m.enumValue(d, lit.Text, bit(rev))
	}
	return d
}

func (m *merger) enumValue(d *mergedDef, text string, revs ir.Revs) {
	i, ok := d.valueAt[text]
	if !ok {
		if d.valueAt == nil {
			d.valueAt = map[string]int{}
		}
		i = len(d.values)
		d.valueAt[text] = i
		d.values = append(d.values, mergedValue{text: text})
	}
	d.values[i].revs |= revs
}

func (m *merger) eachType(f func(*mergedType)) {
	for _, d := range m.order {
		walkTypes(d.alias, f)
		for _, field := range d.fields {
			walkTypes(field.typ, f)
			for _, was := range field.was {
				walkTypes(was.typ, f)
			}
		}
	}
}

func walkTypes(t *mergedType, f func(*mergedType)) {
	for ; t != nil; t = t.elem {
		f(t)
	}
}

// dropUnreachable removes anonymous types that widening left behind, and requests and
// notifications that nothing refers to.
func (m *merger) dropUnreachable() {
	keep := map[string]bool{}
	for _, d := range m.order {
		if !d.hoisted && !d.method {
			m.mark(d.name, keep)
		}
	}
	for _, x := range m.methods {
		m.mark(x.params, keep)
		for _, r := range x.results {
			m.mark(r, keep)
		}
	}
	for _, c := range m.codes {
		m.mark(c.data, keep)
	}
	for _, d := range m.order {
		if d.method && !keep[d.name] {
			m.checkListed(d)
		}
	}
	m.order = slices.DeleteFunc(m.order, func(d *mergedDef) bool { return !keep[d.name] })
	sort.Slice(m.order, func(i, j int) bool { return m.order[i].name < m.order[j].name })
}

// checkListed refuses a request or notification that nobody sends and nothing refers to: it would be lost.
func (m *merger) checkListed(d *mergedDef) {
	if m.extension != nil { // which makes the lists from a table
		return
	}
	f := d.field("method")
	if f == nil || slices.ContainsFunc(m.methods, func(x *mergedMethod) bool {
		return x.name == f.konst ||
			x.name == f.optional
	}) {
		return
	}
	kind := "request"
	if isNotification(d.name, f.konst) {
		kind = "notification"
	}
	var lists []string
	for _, r := range m.ex.Roles {
		if r.Kind == kind {
			lists = append(lists, r.Name)
		}
	}
	m.failf(d.pos, "no list says who sends %s, and nothing else refers to it; add it to %s", d.name,
		strings.Join(lists, " or "))
}

func (m *merger) mark(name string, keep map[string]bool) {
	d := m.defs[name]
	if d == nil || keep[name] {
		return
	}
	keep[name] = true
	visit := func(t *mergedType) { m.mark(t.name, keep) }
	walkTypes(d.alias, visit)
	for _, f := range d.fields {
		walkTypes(f.typ, visit)
	}
	for _, v := range d.members {
		m.mark(v.name, keep)
	}
}
