package schemadiff

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/schema"
)

// relation says what happened to the values that a node allows: narrowed, widened, changed, or "" if it allows the
// same.
func (p *pairs) relation(a, b *schema.Node) string {
	wider, narrower := p.within(a, b), p.reverse().within(b, a)
	switch {
	case wider && narrower:
		return ""
	case wider:
		return "widened"
	case narrower:
		return "narrowed"
	default:
		return "changed"
	}
}

// same reports whether two nodes allow the same values.
func (p *pairs) same(a, b *schema.Node) bool {
	if a.Ref != "" && b.Ref != "" {
		return p.newer[a.Ref] == b.Ref
	}
	return p.relation(a, b) == ""
}

func (p *pairs) reverse() *pairs {
	return &pairs{a: p.b, b: p.a, newer: p.older, older: p.newer}
}

// within reports whether b allows every value that a allows. Definitions that are paired count as equal: their changes
// are told where they stand. What it cannot decide is false.
func (p *pairs) within(a, b *schema.Node) bool {
	c := &container{pairs: p, seen: map[[2]*schema.Node]bool{}}
	return c.within(a, b)
}

type container struct {
	*pairs
	seen map[[2]*schema.Node]bool
}

func (c *container) within(a, b *schema.Node) bool {
	if a.Ref != "" && b.Ref != "" && c.newer[a.Ref] == b.Ref {
		return true
	}
	if key := [2]*schema.Node{a, b}; c.seen[key] {
		return true // it is being found out
	} else {
		c.seen[key] = true
	}
	named := a
	a, b = flat(c.a, a), flat(c.b, b)
	switch {
	case isAny(b):
		return true
	case isAny(a):
		return false
	case len(a.AnyOf) > 0:
		return every(a.AnyOf, func(x *schema.Node) bool { return c.within(x, b) })
	case len(a.Types) > 1 && a.Const == nil && len(a.Enum) == 0:
		return every(a.Types, func(name string) bool {
			one := *a
			one.Types = []string{name}
			return c.within(&one, b)
		})
	case len(b.AnyOf) > 0:
		return slices.ContainsFunc(b.AnyOf, func(y *schema.Node) bool { return c.within(named, y) })
	case len(b.Types) > 1:
		return slices.ContainsFunc(b.Types, func(name string) bool {
			one := *b
			one.Types = []string{name}
			return c.within(a, &one)
		})
	}
	if !withinValues(a, b) || !withinType(a, b) || !withinRules(a, b) {
		return false
	}
	switch {
	case a.Is("array") && b.Is("array") && b.Items != nil:
		return a.Items != nil && c.within(a.Items, b.Items) || isAny(flat(c.b, b.Items))
	case isObject(a) && isObject(b):
		return c.withinObject(a, b)
	default:
		return true
	}
}

func every[T any](list []T, ok func(T) bool) bool {
	return !slices.ContainsFunc(list, func(x T) bool { return !ok(x) })
}

// isAny reports whether a node says nothing about values.
func isAny(n *schema.Node) bool {
	return n.Ref == "" && len(n.Types) == 0 && n.Const == nil && len(n.Enum) == 0 && n.Format == "" && len(n.AnyOf) == 0 &&
		len(n.AllOf) == 0 && len(n.Properties) == 0 && len(n.Required) == 0 && n.Items == nil && n.Additional == nil &&
		!n.Closed && len(n.Rules) == 0
}

// constants returns the values of const and enum, nil for none.
func constants(n *schema.Node) []schema.Literal {
	if n.Const != nil {
		return []schema.Literal{*n.Const}
	}
	return n.Enum
}

func withinValues(a, b *schema.Node) bool {
	x, y := constants(a), constants(b)
	if y == nil {
		return true
	}
	return x != nil && every(x, func(v schema.Literal) bool { return slices.Contains(y, v) })
}

func withinType(a, b *schema.Node) bool {
	if len(b.Types) == 0 {
		return true
	}
	name := b.Types[0]
	if len(a.Types) == 0 || len(constants(a)) > 0 {
		x := constants(a)
		return x != nil && every(x, func(v schema.Literal) bool { return isOfType(v, name) })
	}
	return a.Types[0] == name || a.Types[0] == "integer" && name == "number"
}

func isOfType(v schema.Literal, name string) bool {
	if v.String {
		return name == "string"
	}
	switch v.Text {
	case "null":
		return name == "null"
	case "true", "false":
		return name == "boolean"
	}
	f, err := strconv.ParseFloat(v.Text, 64)
	return err == nil && (name == "number" || name == "integer" && f == math.Trunc(f))
}

// withinRules compares formats and bounds; what has no effect on values does not count.
func withinRules(a, b *schema.Node) bool {
	x, y := rulesOf(a), rulesOf(b)
	for keyword, rule := range y {
		if kind := kindOfRule(keyword); kind == KindDefault || kind == KindHint {
			continue
		}
		if old, ok := x[keyword]; !ok && rule != "false" || ok && old != rule && !allows(keyword, old, rule) {
			return false
		}
	}
	return true
}

// lowerBounds are the keywords whose greater values allow less; upperBounds those whose greater values allow more.
var (
	lowerBounds = []string{"exclusiveMinimum", "minItems", "minLength", "minimum"}
	upperBounds = []string{"exclusiveMaximum", "maxItems", "maxLength", "maximum"}
)

// allows reports whether a keyword with the newer value allows all that it allowed with the older one.
func allows(keyword, older, newer string) bool {
	var x, y float64
	if json.Unmarshal([]byte(older), &x) != nil || json.Unmarshal([]byte(newer), &y) != nil {
		return keyword == "uniqueItems" && newer == "false"
	}
	switch {
	case slices.Contains(lowerBounds, keyword):
		return y <= x
	case slices.Contains(upperBounds, keyword):
		return y >= x
	case keyword == "multipleOf":
		return y != 0 && math.Mod(x, y) == 0
	default:
		return x == y
	}
}

func (c *container) withinObject(a, b *schema.Node) bool {
	if !every(b.Required, func(name string) bool { return slices.Contains(a.Required, name) }) {
		return false
	}
	for _, p := range b.Properties {
		if !c.withinMember(a, p) {
			return false
		}
	}
	rest := b.Additional // what b allows beside what it declares
	if rest == nil && !b.Closed || rest != nil && isAny(flat(c.b, rest)) {
		return true
	}
	for _, p := range a.Properties {
		if b.Property(p.Name) == nil && (rest == nil || !c.within(p.Node, rest)) {
			return false
		}
	}
	return a.Closed || rest != nil && a.Additional != nil && c.within(a.Additional, rest)
}

// withinMember reports whether b's member p allows what a has there.
func (c *container) withinMember(a *schema.Node, p *schema.Property) bool {
	switch old := a.Property(p.Name); {
	case old != nil:
		return c.within(old.Node, p.Node)
	case a.Additional != nil:
		return c.within(a.Additional, p.Node)
	default:
		return a.Closed || isAny(flat(c.b, p.Node))
	}
}

// flat follows references and joins the parts of an allOf.
func flat(s *schema.Schema, n *schema.Node) *schema.Node {
	for range maxFlat {
		if n.Ref == "" {
			break
		}
		n = s.Lookup(n.Ref).Node
	}
	if len(n.AllOf) == 0 {
		return n
	}
	out := *n
	out.AllOf = nil
	out.Properties, out.Required = slices.Clone(n.Properties), slices.Clone(n.Required)
	for _, part := range n.AllOf {
		joinPart(&out, flatPart(s, part, 0))
	}
	return &out
}

// maxFlat bounds how many names of one type are followed: a definition may be a name of itself.
const maxFlat = 32

func flatPart(s *schema.Schema, n *schema.Node, depth int) *schema.Node {
	for ; n.Ref != "" && depth < maxFlat; depth++ {
		n = s.Lookup(n.Ref).Node
	}
	if len(n.AllOf) == 0 || depth >= maxFlat {
		return n
	}
	out := *n
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
	out.Closed = out.Closed || part.Closed
	out.AnyOf = append(out.AnyOf, part.AnyOf...)
}
