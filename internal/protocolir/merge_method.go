package protocolir

import (
	"slices"
	"sort"
	"strings"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/schema"
)

// mergedMethod is a request or notification that a role lists in some revision.
type mergedMethod struct {
	name         string // on the wire
	def          string // name of its definition
	notification bool
	client       ir.Revs // revisions in which a client sends it
	server       ir.Revs
	by           map[int]string // definition by revision
	params       string         // merged definition
	results      []string       // merged definitions of structs
}

// mergedCode is an error code with the name of the error that has it.
type mergedCode struct {
	name string // definition name without the word Error
	def  string
	text string
	data string // merged definition of its data, "" if any
	revs ir.Revs
}

// collectMethods reads the roles of one revision.
func (m *merger) collectMethods(rev int) {
	for _, r := range m.ex.Roles {
		if r.Kind == "result" {
			continue
		}
		for _, d := range m.roleMembers(rev, r.Name) {
			x := m.method(methodOf(d.Node), m.mergedName(rev, d.Name), r.Kind == "notification")
			if x == nil || !m.claimMethod(x, rev, d, r.Kind) {
				continue
			}
			if r.From == "client" {
				x.client |= bit(rev)
			} else {
				x.server |= bit(rev)
			}
			m.collectResults(x, rev, d.Name)
		}
	}
}

// claimMethod refuses a second definition of a method in one revision, and one that is a request here and a
// notification there.
func (m *merger) claimMethod(x *mergedMethod, rev int, d *schema.Def, kind string) bool {
	if x.by == nil {
		x.by = map[int]string{}
	}
	switch first := x.by[rev]; {
	case first != "" && first != d.Name:
		m.failf(d.Node.Pos, "%s has the method %q, and so has %s; only one of them can be dispatched", d.Name, x.name, first)
		return false
	case x.notification != (kind == "notification"):
		m.failf(d.Node.Pos, "%q is a %s here and something else in another revision", x.name, kind)
		return false
	}
	x.by[rev] = d.Name
	return true
}

func (m *merger) method(name, def string, notification bool) *mergedMethod {
	if name == "" {
		return nil
	}
	for _, x := range m.methods {
		if x.name == name {
			return x
		}
	}
	x := &mergedMethod{name: name, def: def, notification: notification}
	m.methods = append(m.methods, x)
	return x
}

// collectResults finds what may answer a request: the definition named after it, and the
// members of its response frame where a revision has one.
func (m *merger) collectResults(x *mergedMethod, rev int, def string) {
	if x.notification {
		return
	}
	base := strings.TrimSuffix(def, "Request") + "Result"
	m.addResult(x, rev, &schema.Node{Ref: base})
	if frame := m.schemas[rev].Lookup(base + "Response"); frame != nil {
		if p := frame.Node.Property("result"); p != nil {
			m.addResult(x, rev, p.Node)
		}
	}
}

func (m *merger) addResult(x *mergedMethod, rev int, n *schema.Node) {
	for _, alt := range n.AnyOf {
		m.addResult(x, rev, alt)
	}
	d := m.schemas[rev].Lookup(n.Ref)
	if d == nil || m.leavesOut(rev, d) {
		return
	}
	switch m.classify(rev, d.Node) {
	case classStruct:
	case classUnion:
		m.addResult(x, rev, &schema.Node{AnyOf: d.Node.AnyOf})
		return
	default:
		return
	}
	if name := m.defName(rev, n.Ref); !slices.Contains(x.results, name) {
		x.results = append(x.results, name)
	}
}

// emptyResult is the definition that answers a request without a result of its own.
const emptyResult = "Result"

// finishMethods fills in params and results that no revision spells out.
func (m *merger) finishMethods() {
	empty := m.freeName(emptyResult, defStruct)
	m.get(empty, empty, defStruct, schema.Pos{})
	m.empty = empty
	for _, x := range m.methods {
		if def := m.defs[x.def]; def != nil && x.client != 0 {
			if list := def.fieldsOf("params"); len(list) > 1 {
				m.failf(list[1].pos, "the params of %q are none that %s can hold, which its handler takes; give them the members of "+
					"that, or name the request otherwise", x.name, heldBy(list[0].typ))
			}
		}
		if x.params == "" {
			x.params = m.paramsOf(x)
		} else if d := m.defs[x.params]; d.pos == (schema.Pos{}) {
			d.revs |= x.client | x.server // made up: no revision spells it out
		}
		if len(x.results) == 0 && !x.notification {
			x.results = []string{empty}
			m.defs[empty].revs |= x.client | x.server
		}
		sort.Strings(x.results)
	}
	sort.Slice(m.methods, func(i, j int) bool { return m.methods[i].name < m.methods[j].name })
	sort.Slice(m.codes, func(i, j int) bool { return m.codes[i].name < m.codes[j].name })
}

// paramsOf returns the definition of a method's params. A method that has none in any
// revision gets an empty object.
func (m *merger) paramsOf(x *mergedMethod) string {
	if def := m.defs[x.def]; def != nil {
		if f := def.field("params"); f != nil && (f.typ.kind == ir.KindStruct || f.typ.kind == ir.KindUnion) {
			return f.typ.name
		}
	}
	name := m.freeName(x.def+"Params", defStruct)
	d := m.get(name, name, defStruct, schema.Pos{})
	d.revs |= x.client | x.server
	return d.name
}

// errorCode collects the constant code of an error definition, which is either the error
// object itself or a response frame around one.
func (m *merger) errorCode(rev int, d *schema.Def) {
	if c := constOf(d.Node, "code"); c != nil && !c.String {
		m.addCode(d.Name, c.Text, rev)
		return
	}
	p := d.Node.Property("error")
	if p == nil {
		return
	}
	for _, part := range append([]*schema.Node{p.Node}, p.Node.AllOf...) {
		c := constOf(part, "code")
		if c == nil || c.String {
			continue
		}
		code := m.addCode(d.Name, c.Text, rev)
		if data := part.Property("data"); data != nil && len(data.Node.Properties) > 0 {
			at := site{rev: rev, owner: d.Name, prop: "error.data", path: d.Name + ".error.data"}
			code.data = m.typeOf(at, data.Node, nil).name
		}
	}
}

func (m *merger) addCode(def, text string, rev int) *mergedCode {
	for _, c := range m.codes {
		if c.def == def && c.text == text {
			c.revs |= bit(rev)
			return c
		}
	}
	c := &mergedCode{name: strings.TrimSuffix(def, "Error"), def: def, text: text, revs: bit(rev)}
	m.codes = append(m.codes, c)
	return c
}
