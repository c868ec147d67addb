package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/schema"
)

const (
	// objectsEach limits in how many objects of a message, one at a time, a member is put that no revision knows.
	objectsEach = 12
	// perMember limits how many messages get a certain member of another revision.
	perMember = 3
)

// vary makes copies of messages that have members which the revision does not know. Some members are known to no
// revision. Others are those that the same definition has in other revisions, once with a value of the right type and
// once with a wrong one.
func vary(list []message, s *schema.Schema, set []*schema.Schema) []message {
	var out []message
	w := &walker{schema: s, set: set, counts: map[string]int{}}
	for _, m := range list {
		add := func(index int, member map[string]any) {
			out = append(out, message{m.revision, m.from, m.kind, with(m.value, index, member)})
		}
		unknown := map[string]any{"x-other": []any{json.Number("1.50"), nil, map[string]any{"deep": "text"}}}
		add(everywhere, map[string]any{"Name": nil, "x-other": "text"})
		for i := range min(objects(m.value), objectsEach) {
			add(i, unknown)
		}
		for _, more := range w.foreign(m) {
			add(more.object, more.member)
		}
	}
	return out
}

// objects counts the objects of a value.
func objects(v any) int {
	n := 0
	visit(v, func(map[string]any) { n++ })
	return n
}

// visit calls f for each object, the outer before the inner, in the order of names.
func visit(v any, f func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		f(v)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			visit(v[name], f)
		}
	case []any:
		for _, sub := range v {
			visit(sub, f)
		}
	}
}

// everywhere is the index that stands for all objects of a message.
const everywhere = -1

// with returns a copy of a message in which the i-th object, in the order of [visit], has more members.
func with(v map[string]any, i int, members map[string]any) map[string]any {
	out, _ := rewritten("", v, neutral).(map[string]any) // a copy
	n := 0
	visit(out, func(o map[string]any) {
		if n++; n == i+1 || i == everywhere {
			maps.Copy(o, members)
		}
	})
	return out
}

// walker finds the definitions of objects in messages.
type walker struct {
	schema *schema.Schema
	set    []*schema.Schema
	counts map[string]int // how often each member was put somewhere
}

// addition is a member to add to the object with this index, in the order of [visit].
type addition struct {
	object int
	member map[string]any
}

// foreign returns the members of other revisions that the objects of a message may get.
func (w *walker) foreign(m message) []addition {
	owner, node := w.start(m.kind)
	if node == nil {
		return nil
	}
	var out []addition
	number := map[string]int{}
	n := 0
	visit(m.value, func(o map[string]any) { // objects have no identity but their text
		number[textOf(o)] = n
		n++
	})
	w.walk(m.value, owner, node, func(o map[string]any, owner string, node *schema.Node) {
		for _, p := range w.others(owner, node) {
			if w.counts[owner+"."+p.Name]++; w.counts[owner+"."+p.Name] > perMember || o[p.Name] != nil {
				continue
			}
			at := number[textOf(o)]
			right, wrong := valueFor(p.Node)
			out = append(out, addition{at, map[string]any{p.Name: right}}, addition{at, map[string]any{p.Name: wrong}})
		}
	})
	return out
}

// start returns the node that describes messages of a kind, and the name of its definition.
func (w *walker) start(kind string) (string, *schema.Node) {
	what, name, _ := strings.Cut(kind, " ")
	if what == "definition" {
		if def := w.schema.Lookup(name); def != nil {
			return name, def.Node
		}
		return "", nil
	}
	for _, def := range w.schema.Defs {
		p := def.Node.Property("method")
		if p == nil || p.Node.Const == nil || p.Node.Const.Text != name {
			continue
		}
		if what == "result" {
			return w.start("definition " + strings.TrimSuffix(def.Name, "Request") + "Result")
		}
		if params := def.Node.Property("params"); params != nil {
			return def.Name + "Params", params.Node
		}
	}
	return "", nil
}

// walk calls f for each object in a value that the schema describes. The owner that f gets is the name of the
// definition of the object; for an object without a name it is the definition around it, followed by the members that
// lead to it.
func (w *walker) walk(v any, owner string, n *schema.Node, f func(map[string]any, string, *schema.Node)) {
	for n.Ref != "" {
		owner, n = n.Ref, w.schema.Lookup(n.Ref).Node
	}
	switch v := v.(type) {
	case map[string]any:
		for _, alt := range n.AnyOf {
			if fits(v, w.follow(alt)) {
				w.walk(v, owner, alt, f)
				return
			}
		}
		if len(n.Properties) > 0 {
			f(v, owner, n)
		}
		for _, p := range n.Properties {
			if sub, ok := v[p.Name]; ok {
				w.walk(sub, owner+strings.ToUpper(p.Name[:1])+p.Name[1:], p.Node, f)
			}
		}
	case []any:
		for _, sub := range v {
			if n.Items != nil {
				w.walk(sub, owner, n.Items, f)
			}
		}
	}
}

func (w *walker) follow(n *schema.Node) *schema.Node {
	for n.Ref != "" {
		n = w.schema.Lookup(n.Ref).Node
	}
	return n
}

// fits reports whether an object has the constants and the required members of an alternative.
func fits(v map[string]any, n *schema.Node) bool {
	for _, p := range n.Properties {
		if c := p.Node.Const; c != nil && v[p.Name] != c.Text {
			return false
		}
	}
	return len(n.Properties) > 0 && !slices.ContainsFunc(n.Required, func(name string) bool { return v[name] == nil })
}

// others returns the properties that a definition has in other revisions only.
func (w *walker) others(owner string, n *schema.Node) []*schema.Property {
	var out []*schema.Property
	for _, s := range w.set {
		def := s.Lookup(owner)
		if s == w.schema || def == nil {
			continue
		}
		for _, p := range def.Node.Properties {
			same := func(q *schema.Property) bool { return q.Name == p.Name }
			if n.Property(p.Name) == nil && !slices.ContainsFunc(out, same) {
				out = append(out, p)
			}
		}
	}
	return out
}

// valueFor returns a value of the type of a node, and one of another type.
func valueFor(n *schema.Node) (right, wrong any) {
	number := json.Number("5")
	switch {
	case n.Const != nil:
		return n.Const.Text, number
	case n.Is("string"), len(n.Enum) > 0:
		return "text", number
	case n.Is("integer"), n.Is("number"):
		return number, "text"
	case n.Is("boolean"):
		return true, number
	case n.Is("array"):
		return []any{}, number
	default:
		return map[string]any{}, number
	}
}
