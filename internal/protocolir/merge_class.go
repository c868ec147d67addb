package protocolir

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/schema"
)

// class is what a definition is for in one revision.
type class uint8

const (
	classStruct class = iota
	classUnion
	classEnum
	classAlias
	classMethod   // a request or notification: its method is a constant
	classRole     // the list of methods of one direction
	classEnvelope // JSON-RPC framing, which package wire does by hand
	classCode     // an error object with a constant code
)

func (m *merger) classify(rev int, n *schema.Node) class {
	c, known := m.classes[n]
	if !known {
		c = m.findClass(rev, n)
		if n.Ref == "" && len(n.AnyOf) == 0 { // else it may be found out differently from inside of itself
			m.classes[n] = c
		}
	}
	return c
}

func (m *merger) findClass(rev int, n *schema.Node) class {
	switch {
	case m.isRole(rev, n):
		return classRole
	case m.isEnvelope(rev, n, nil):
		return classEnvelope
	case methodOf(n) != "":
		return classMethod
	case constOf(n, "code") != nil && !constOf(n, "code").String:
		return classCode
	case len(n.AnyOf) > 0:
		if !m.ofObjects(rev, n) {
			return classAlias
		}
		return classUnion
	case len(n.Enum) > 0 && n.Enum[0].String:
		return classEnum
	case len(n.AllOf) > 0, n.Is("object") && n.Additional == nil && !(n.Open && !n.Declared):
		return classStruct
	default:
		return classAlias
	}
}

// ofObjects reports whether every alternative of a union is an object or null. A definition of any other union is
// another name of what its alternatives have in common, maybe of any value. A union that contains itself is that, too.
func (m *merger) ofObjects(rev int, n *schema.Node) bool {
	if known, ok := m.objects[n]; ok {
		return known
	}
	m.objects[n] = false // while it is being found out
	out := true
	for _, alt := range n.AnyOf {
		out = out && m.isObject(rev, alt, 0)
	}
	m.objects[n] = out
	return out
}

func (m *merger) isObject(rev int, n *schema.Node, depth int) bool {
	switch {
	case depth > maxFit:
		return false
	case n.Is("null"):
		return true
	case n.Ref != "":
		if _, fixed := m.ex.Type(n.Ref); fixed {
			return false
		}
		target := m.schemas[rev].Lookup(n.Ref).Node
		switch m.classify(rev, target) {
		case classStruct, classMethod, classUnion:
			return true
		case classAlias:
			return target.Ref != "" && m.isObject(rev, target, depth+1)
		default:
			return false
		}
	case len(n.AnyOf) > 0:
		return m.ofObjects(rev, n)
	default:
		return len(n.AllOf) > 0 || len(n.Properties) > 0
	}
}

func (m *merger) isRole(rev int, n *schema.Node) bool {
	for _, r := range m.ex.Roles {
		if d := m.schemas[rev].Lookup(r.Name); d != nil && d.Node == n {
			return true
		}
	}
	return false
}

// isEnvelope reports whether n is a JSON-RPC frame with an open method, a response, or a
// union or list of such.
func (m *merger) isEnvelope(rev int, n *schema.Node, seen []*schema.Node) bool {
	if slices.Contains(seen, n) {
		return false
	}
	seen = append(seen, n)
	switch {
	case n.Ref != "":
		return m.isEnvelope(rev, m.schemas[rev].Lookup(n.Ref).Node, seen)
	case n.Items != nil:
		return m.isEnvelope(rev, n.Items, seen)
	case len(n.AnyOf) > 0:
		for _, alt := range n.AnyOf {
			if !m.isEnvelope(rev, alt, seen) {
				return false
			}
		}
		return true
	}
	method := n.Property("method")
	if method != nil {
		return method.Node.Const == nil && method.Node.Is("string")
	}
	rpc := constOf(n, "jsonrpc")
	return rpc != nil && rpc.String
}

// methodOf returns the method of a request or notification definition, or "".
func methodOf(n *schema.Node) string {
	if c := constOf(n, "method"); c != nil && c.String {
		return c.Text
	}
	return ""
}

func constOf(n *schema.Node, property string) *schema.Literal {
	if p := n.Property(property); p != nil {
		return p.Node.Const
	}
	return nil
}

// defName returns the name under which a definition of one revision is merged.
func (m *merger) defName(rev int, name string) string {
	d := m.schemas[rev].Lookup(name)
	if d == nil {
		return name
	}
	kind := m.kindOf(rev, d.Node)
	merged := m.ex.Alias(m.mergedName(rev, name), defKindNames[kind])
	if have := m.defs[merged]; have != nil && have.kind != kind {
		fallback := merged + goname.Pascal(defKindNames[kind]) + strings.ReplaceAll(m.schemas[rev].Revision, "-", "")
		if m.later(rev) {
			m.notef(d.Node.Pos, "%s is %s here and %s before; the new form is named %s",
				merged, withArticle(kind), withArticle(have.kind), fallback)
		} else if m.defs[fallback] == nil {
			m.warnf(d.Node.Pos, "%s is %s here and %s in a newer revision (%s); the older form is named %s",
				merged, withArticle(kind), withArticle(have.kind), have.pos, fallback)
		}
		return fallback
	}
	return merged
}

func withArticle(kind defKind) string {
	if kind == defStruct || kind == defUnion {
		return "a " + defKindNames[kind]
	}
	return "an " + defKindNames[kind]
}

func (m *merger) kindOf(rev int, n *schema.Node) defKind {
	switch m.classify(rev, n) {
	case classUnion:
		return defUnion
	case classEnum:
		return defEnum
	case classAlias:
		return defAlias
	default:
		return defStruct
	}
}

// paramsRole is the part that a definition plays in messages.
type paramsRole uint8

const (
	roleValue paramsRole = iota
	roleRequest
	roleNotification
	roleResult
)

// findRoles tells which definitions of a revision are params or results. A result that
// answers a client counts; what a client answers to a server is a plain value.
func (m *merger) findRoles(rev int) map[string]paramsRole {
	roles := map[string]paramsRole{}
	for _, d := range m.schemas[rev].Defs {
		if strings.HasSuffix(d.Name, "Result") && roles[d.Name] == 0 {
			roles[d.Name] = roleResult
		}
		method := methodOf(d.Node)
		if method == "" {
			continue
		}
		role := roleRequest
		if strings.HasPrefix(method, "notifications/") {
			role = roleNotification
		}
		roles[m.ex.Alias(d.Name+"Params", defKindNames[defStruct])] = role
		if p := d.Node.Property("params"); p != nil && p.Node.Ref != "" {
			m.paramsRoles(rev, p.Node.Ref, role, roles)
		}
	}
	for _, r := range m.ex.Roles {
		if r.From != "server" || r.Kind != "request" {
			continue
		}
		for _, d := range m.roleMembers(rev, r.Name) {
			if name := strings.TrimSuffix(d.Name, "Request") + "Result"; !m.sentBy(rev, "client", d.Name) {
				roles[name] = roleValue
			}
		}
	}
	return roles
}

func (m *merger) paramsRoles(rev int, name string, role paramsRole, roles map[string]paramsRole) {
	roles[name] = role
	for _, alt := range m.schemas[rev].Lookup(name).Node.AnyOf {
		if alt.Ref != "" && alt.Ref != name && roles[alt.Ref] == roleValue {
			m.paramsRoles(rev, alt.Ref, role, roles)
		}
	}
}

// sentBy reports whether a side sends this request in a revision.
func (m *merger) sentBy(rev int, side, request string) bool {
	for _, r := range m.ex.Roles {
		if r.From != side {
			continue
		}
		for _, d := range m.roleMembers(rev, r.Name) {
			if d.Name == request {
				return true
			}
		}
	}
	return false
}

// roleMembers returns the methods that a role lists. A list of one may be written as a
// reference, or as a copy of the only member.
func (m *merger) roleMembers(rev int, role string) []*schema.Def {
	d := m.schemas[rev].Lookup(role)
	if d == nil {
		return nil
	}
	var out []*schema.Def
	nodes := d.Node.AnyOf
	if len(nodes) == 0 {
		nodes = []*schema.Node{d.Node}
	}
	for _, n := range nodes {
		if n.Ref != "" {
			out = append(out, m.schemas[rev].Lookup(n.Ref))
			continue
		}
		for _, other := range m.schemas[rev].Defs {
			if method := methodOf(n); method != "" && other != d && methodOf(other.Node) == method {
				out = append(out, other)
			}
		}
	}
	return out
}

// referenced reports whether any definition of a revision refers to name.
func (m *merger) referenced(rev int, name string) bool {
	if m.refs[rev] == nil {
		m.refs[rev] = map[string]bool{}
		for _, d := range m.schemas[rev].Defs {
			collectRefs(d.Node, m.refs[rev])
		}
	}
	return m.refs[rev][name]
}

func collectRefs(n *schema.Node, refs map[string]bool) {
	if n == nil {
		return
	}
	if n.Ref != "" {
		refs[n.Ref] = true
	}
	collectRefs(n.Items, refs)
	collectRefs(n.Additional, refs)
	for _, p := range n.Properties {
		collectRefs(p.Node, refs)
	}
	for _, list := range [][]*schema.Node{n.AnyOf, n.AllOf} {
		for _, alt := range list {
			collectRefs(alt, refs)
		}
	}
}
