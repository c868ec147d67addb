package schemadiff

import (
	"slices"

	"github.com/mcpgen/mcpgen/schema"
)

// maxFlat bounds how many names of one type are followed: a definition may be a name of itself.
const maxFlat = 32

// flat follows references and joins the parts of an allOf.
func flat(s *schema.Schema, n *schema.Node) *schema.Node { return flatPart(s, n, 0) }

// flatPart is flat for a node that depth names and lists of parts have led to.
func flatPart(s *schema.Schema, n *schema.Node, depth int) *schema.Node {
	for ; n.Ref != "" && depth < maxFlat; depth++ {
		n = s.Lookup(n.Ref).Node
	}
	if len(n.AllOf) == 0 || depth >= maxFlat {
		return n
	}
	out := *n
	out.AllOf = nil
	out.Properties, out.Required = slices.Clone(n.Properties), slices.Clone(n.Required)
	for _, part := range n.AllOf {
		joinPart(&out, flatPart(s, part, depth+1))
	}
	return &out
}

// joinPart adds what a part of an allOf says to an object. A later part says more of a member than an earlier one.
func joinPart(out, part *schema.Node) {
	if len(out.Types) == 0 {
		out.Types = part.Types
	}
	for _, p := range part.Properties {
		if i := slices.IndexFunc(out.Properties, func(q *schema.Property) bool { return q.Name == p.Name }); i >= 0 {
			out.Properties[i] = p
		} else {
			out.Properties = append(out.Properties, p)
		}
	}
	for _, name := range part.Required {
		if !slices.Contains(out.Required, name) {
			out.Required = append(out.Required, name)
		}
	}
	if out.Additional == nil {
		out.Additional = part.Additional
	}
	out.Closed, out.Never = out.Closed || part.Closed, out.Never || part.Never
	out.AnyOf = append(out.AnyOf, part.AnyOf...)
}

// withoutUnion is what a node says beside its alternatives.
func withoutUnion(n *schema.Node) *schema.Node {
	out := *n
	out.AnyOf = nil
	return &out
}
