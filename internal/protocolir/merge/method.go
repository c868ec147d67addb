package merge

import (
	"slices"
	"sort"
	"strings"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// methodMerger finds who sends which requests and notifications, what answers them, and the codes of errors.
type methodMerger struct {
	*state
	types *merger // for the data of errors and the roles of renamed lists
}

// collectMethods reads who sends which methods in one revision.
func (m *methodMerger) collectMethods(rev int) {
	for _, r := range m.ex.Roles {
		if r.Kind == "result" {
			continue
		}
		for _, part := range m.views[rev].ListParts(r.Name) {
			if m.Later(rev) {
				m.Notef(part.Node.Pos, "%s is a part of %s", part.Name, r.Name)
			}
		}
		for _, d := range m.views[rev].RoleMembers(r.Name) {
			methods := revision.MethodsOf(d.Node)
			if len(methods) == 0 {
				m.Failf(d.Node.Pos, "%s is in %s, and its method is neither a constant text nor one of several", d.Name, r.Name)
			}
			for _, method := range methods {
				m.collectMethod(rev, r, d, method)
			}
		}
	}
}

// collectMethod records that the side of a role sends a method in one revision.
func (m *methodMerger) collectMethod(rev int, r schema.Role, d *schema.Def, method string) {
	x := m.Method(method)
	if x == nil {
		x = &merged.Method{Name: method, Def: m.mergedName(rev, d.Name), Notification: r.Kind == "notification",
			By: map[int]string{}}
		m.Methods = append(m.Methods, x)
	}
	if !m.claimMethod(x, rev, d, r.Kind) {
		return
	}
	if r.From == "client" {
		x.Client |= merged.Bit(rev)
	} else {
		x.Server |= merged.Bit(rev)
	}
	m.collectResults(x, rev, d.Name)
}

// claimMethod reports an error, and false, if one revision defines a method twice, or if it is a request in one
// revision and a notification in another.
func (m *methodMerger) claimMethod(x *merged.Method, rev int, d *schema.Def, kind string) bool {
	switch first := x.By[rev]; {
	case first != "" && first != d.Name:
		m.Failf(d.Node.Pos, "%s has the method %q, and so has %s; only one of them can be dispatched: give one of them "+
			"another method, or take it out of the list", d.Name, x.Name, first)
		return false
	case x.Notification != (kind == "notification"):
		m.Failf(d.Node.Pos, "%q is a %s here and something else in another revision", x.Name, kind)
		return false
	}
	x.By[rev] = d.Name
	return true
}

// collectResults finds the possible results of a request: the definition that is named after it, and the members of its
// response, if the revision defines one.
func (m *methodMerger) collectResults(x *merged.Method, rev int, def string) {
	if x.Notification {
		return
	}
	base := strings.TrimSuffix(def, "Request") + "Result"
	m.addResult(x, rev, &schema.Node{Ref: base})
	if frame := m.views[rev].Lookup(base + "Response"); frame != nil {
		if p := frame.Node.Property("result"); p != nil {
			m.addResult(x, rev, p.Node)
		}
	}
}

func (m *methodMerger) addResult(x *merged.Method, rev int, n *schema.Node) {
	for _, alt := range n.AnyOf {
		m.addResult(x, rev, alt)
	}
	d := m.views[rev].Lookup(n.Ref)
	if d == nil || m.views[rev].LeavesOut(d) {
		return
	}
	name := m.defName(rev, n.Ref)
	switch m.views[rev].Class(d.Node) {
	case revision.ClassStruct:
		m.addStruct(x, name)
	case revision.ClassUnion:
		for _, member := range m.Defs[name].Members {
			if member.Revs.Has(rev) {
				m.addStruct(x, member.Name)
			}
		}
	case revision.ClassAlias:
		switch {
		case d.Node.Ref != "":
			m.addResult(x, rev, d.Node)
		case !d.Node.Is("object"): // an open object is like the empty result
			m.Failf(d.Node.Pos, "%s answers %q, and not all that it allows are objects", d.Name, x.Name)
		}
	}
}

func (m *methodMerger) addStruct(x *merged.Method, name string) {
	if !slices.Contains(x.Results, name) {
		x.Results = append(x.Results, name)
	}
}

// emptyResult is the definition that answers a request without a result of its own.
const emptyResult = "Result"

// finishMethods sets params and results of methods for which no revision defines any.
func (m *methodMerger) finishMethods() {
	empty := m.FreeName(emptyResult, revision.Struct)
	m.get(empty, empty, revision.Struct, schema.Pos{})
	m.Empty = empty
	for _, x := range m.Methods {
		if def := m.Defs[x.Def]; def != nil && x.Client != 0 {
			if list := def.FieldsOf("params"); len(list) > 1 {
				m.Failf(list[1].Pos, "the params of %q are none that %s can hold, which its handler takes; give them the "+
					"members of that, or name the request otherwise", x.Name, list[0].Type.Leaf().Name)
			}
		}
		if x.Params == "" {
			x.Params = m.paramsOf(x)
		} else if d := m.Defs[x.Params]; d.Pos == (schema.Pos{}) {
			d.Revs |= x.Client | x.Server // made up: no revision spells it out
		}
		if len(x.Results) == 0 && !x.Notification {
			x.Results = []string{empty}
			m.Defs[empty].Revs |= x.Client | x.Server
		}
		sort.Strings(x.Results)
	}
	sort.Slice(m.Methods, func(i, j int) bool { return m.Methods[i].Name < m.Methods[j].Name })
	sort.Slice(m.Codes, func(i, j int) bool { return m.Codes[i].Name < m.Codes[j].Name })
}

// paramsOf returns the definition of a method's params. A method that has none in any
// revision gets an empty object.
func (m *methodMerger) paramsOf(x *merged.Method) string {
	if def := m.Defs[x.Def]; def != nil {
		if f := def.Field("params"); f != nil && (f.Type.Kind == ir.KindStruct || f.Type.Kind == ir.KindUnion) {
			return f.Type.Name
		}
	}
	name := m.FreeName(x.Def+"Params", revision.Struct)
	d := m.get(name, name, revision.Struct, schema.Pos{})
	d.Revs |= x.Client | x.Server
	return d.Name
}

// errorCode reads the constant code of an error definition, which is either the error object or a whole error response.
func (m *methodMerger) errorCode(rev int, d *schema.Def) {
	if text := revision.CodeOf(d.Node); text != "" {
		m.addCode(d.Name, text, rev)
		return
	}
	p := d.Node.Property("error")
	if p == nil {
		return
	}
	for _, part := range append([]*schema.Node{p.Node}, p.Node.AllOf...) {
		text := revision.CodeOf(part)
		if text == "" {
			continue
		}
		code := m.addCode(d.Name, text, rev)
		if data := part.Property("data"); data != nil && len(data.Node.Properties) > 0 {
			at := site{rev: rev, owner: d.Name, prop: "error.data", path: d.Name + ".error.data"}
			code.Data = m.types.typeOf(at, data.Node, nil).Name
		}
	}
}

func (m *methodMerger) addCode(def, text string, rev int) *merged.Code {
	for _, c := range m.Codes {
		if c.Def == def && c.Text == text {
			c.Revs |= merged.Bit(rev)
			return c
		}
	}
	c := &merged.Code{Name: strings.TrimSuffix(def, "Error"), Def: def, Text: text, Revs: merged.Bit(rev)}
	m.Codes = append(m.Codes, c)
	return c
}
