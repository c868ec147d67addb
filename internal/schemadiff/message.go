package schemadiff

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/schema"
)

// methodOf returns the method of a request or notification, or "".
func methodOf(n *schema.Node) string {
	if p := n.Property("method"); p != nil && p.Node.Const != nil && p.Node.Const.String {
		return p.Node.Const.Text
	}
	return ""
}

// codesOf returns the constant codes of an error: those of the error object or of the one in a response.
func codesOf(n *schema.Node) []string {
	var out []string
	nodes := []*schema.Node{n}
	if p := n.Property("error"); p != nil {
		nodes = append(append(nodes, p.Node), p.Node.AllOf...)
	}
	for _, n := range nodes {
		if p := n.Property("code"); p != nil && p.Node.Const != nil && !p.Node.Const.String {
			out = append(out, p.Node.Const.Text)
		}
	}
	return out
}

// senders says who sends each method of a schema, or which union holds it if no side does.
func (d *differ) senders(s *schema.Schema) map[string]string {
	sides := map[string][]string{}
	kinds := map[string]string{}
	for _, r := range d.ex.Roles {
		def := s.Lookup(r.Name)
		if def == nil || r.Kind == "result" {
			continue
		}
		for _, n := range alternatives(def.Node) {
			if n.Ref != "" {
				n = s.Lookup(n.Ref).Node
			}
			if method := methodOf(n); method != "" && !slices.Contains(sides[method], r.From) {
				sides[method] = append(sides[method], r.From)
				kinds[method] = r.Kind
			}
		}
	}
	out := map[string]string{}
	for method, from := range sides {
		slices.Sort(from)
		out[method] = kinds[method] + " of " + strings.Join(from, " and ")
	}
	for _, def := range s.Defs {
		for _, n := range alternatives(def.Node) {
			if n.Ref == "" || d.isRole(def.Name) {
				continue
			}
			if method := methodOf(s.Lookup(n.Ref).Node); method != "" && sides[method] == nil {
				out[method] = "member of " + def.Name
			}
		}
	}
	return out
}

// methods reports which methods came, went, or are sent by another side.
func (d *differ) methods() {
	older, newer := d.senders(d.older), d.senders(d.newer)
	all := maps.Clone(older)
	maps.Copy(all, newer)
	for method := range all {
		old, is := older[method], newer[method]
		if what := between(old, is, "moved"); what != "" {
			d.add(Change{Kind: KindMethod, What: what, Place: method, Go: d.names.Method(method), Old: old, New: is})
		}
	}
}

// results compares the lists of results that a side gives.
func (d *differ) results() {
	for _, r := range d.ex.Roles {
		old, def := d.older.Lookup(r.Name), d.newer.Lookup(r.Name)
		if r.Kind == "result" && old != nil && def != nil {
			d.alternatives(place{definition: r.Name, schema: d.newer}, old.Node, def.Node)
		}
	}
}

// codes reports the codes of errors.
func (d *differ) codes() {
	report := func(from, to *schema.Schema, what string, counterpart map[string]string) {
		for _, def := range from.Defs {
			var other []string
			if o := to.Lookup(counterpart[def.Name]); o != nil {
				other = codesOf(o.Node)
			}
			for _, code := range codesOf(def.Node) {
				if !slices.Contains(other, code) {
					d.add(Change{Kind: KindCode, What: what, Place: def.Name, Item: code, Go: d.names.Code(def.Name, code)})
				}
			}
		}
	}
	report(d.older, d.newer, "removed", d.pairs.newer)
	report(d.newer, d.older, "added", d.pairs.older)
}
