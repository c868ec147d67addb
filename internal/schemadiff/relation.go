package schemadiff

import (
	"math"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/schema"
)

// pairs says which definitions of two schemas are the same.
type pairs struct {
	a, b         *schema.Schema
	newer, older map[string]string // the definition of the other schema by the name in this one
}

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
	c := &container{pairs: p, known: map[[2]*schema.Node]bool{}, open: map[[2]*schema.Node]int{}}
	return c.within(a, b)
}

// container answers within for types that contain themselves.
type container struct {
	*pairs
	known map[[2]*schema.Node]bool // what has been found out
	open  map[[2]*schema.Node]int  // what is being found out, by its depth; until then it counts as true
	used  int                      // the least depth in open that the answer has used, or more than any
}

// within answers from known, or finds out. An answer that holds only if one does which is still open is not kept.
func (c *container) within(a, b *schema.Node) bool {
	if a.Ref != "" && b.Ref != "" && c.newer[a.Ref] == b.Ref {
		return true
	}
	key := [2]*schema.Node{a, b}
	if answer, ok := c.known[key]; ok {
		return answer
	}
	if depth, ok := c.open[key]; ok {
		c.used = min(c.used, depth)
		return true
	}
	before, depth := c.used, len(c.open)
	c.open[key], c.used = depth, math.MaxInt
	answer := c.find(a, b)
	delete(c.open, key)
	if !answer || c.used >= depth {
		c.known[key], c.used = answer, math.MaxInt
	}
	c.used = min(c.used, before)
	return answer
}

func (c *container) find(a, b *schema.Node) bool {
	named := a
	a, b = flat(c.a, a), flat(c.b, b)
	switch {
	case a.Never || isAny(b):
		return true
	case isAny(a):
		return false
	case len(a.AnyOf) > 0:
		return c.withinEach(a, b)
	case b.Never:
		return false
	case len(a.Types) > 1 && a.Const == nil && len(a.Enum) == 0:
		return every(a.Types, func(name string) bool {
			one := *a
			one.Types = []string{name}
			return c.within(&one, b)
		})
	case len(b.AnyOf) > 0:
		own := withoutUnion(b)
		return (isAny(own) || c.within(named, own)) &&
			slices.ContainsFunc(b.AnyOf, func(y *schema.Node) bool { return c.within(named, y) })
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
	case saysMembers(b) && (len(a.Types) == 0 || a.Is("object")) && len(constants(a)) == 0:
		return c.withinObject(a, b)
	default:
		return true
	}
}

// withinEach asks for every alternative of a, together with what a says beside them.
func (c *container) withinEach(a, b *schema.Node) bool {
	own := withoutUnion(a)
	return every(a.AnyOf, func(x *schema.Node) bool {
		if isAny(own) {
			return c.within(x, b)
		}
		one := *own
		one.Properties, one.Required = slices.Clone(own.Properties), slices.Clone(own.Required)
		joinPart(&one, flat(c.a, x))
		return c.within(&one, b)
	})
}

// saysMembers reports whether a node says anything of the members of objects.
func saysMembers(n *schema.Node) bool {
	return len(n.Properties) > 0 || len(n.Required) > 0 || n.Additional != nil || n.Closed
}

func every[T any](list []T, ok func(T) bool) bool {
	return !slices.ContainsFunc(list, func(x T) bool { return !ok(x) })
}

// isAny reports whether a node says nothing about values.
func isAny(n *schema.Node) bool {
	return n.Ref == "" && len(n.Types) == 0 && n.Const == nil && len(n.Enum) == 0 && n.Format == "" && len(n.AnyOf) == 0 &&
		len(n.AllOf) == 0 && len(n.Properties) == 0 && len(n.Required) == 0 && n.Items == nil && n.Additional == nil &&
		!n.Closed && !n.Never && len(n.Rules) == 0
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
