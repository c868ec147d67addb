package schemadiff

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/schema"
)

// differ collects the changes from one schema to another.
type differ struct {
	older, newer *schema.Schema
	ex           *schema.Exceptions
	names        Names
	pairs        *pairs
	list         []Change
}

func (d *differ) add(c Change) { d.list = append(d.list, c) }

func (d *differ) isRole(name string) bool {
	return slices.ContainsFunc(d.ex.Roles, func(r schema.Role) bool { return r.Name == name })
}

// place is where a node stands in the newer schema, or in the older one if only that has it.
type place struct {
	schema     *schema.Schema
	definition string
	of         string   // [] and {} behind the definition
	path       []string // members, with [] and {} behind them
	method     bool     // the definition is a request or notification
}

// String returns Definition.member.member[].
func (p place) String() string {
	return strings.Join(append([]string{p.definition + p.of}, p.path...), ".")
}

func (p place) member(name string) place {
	p.path = append(slices.Clone(p.path), name)
	return p
}

// below is the place of the elements of a list, "[]", or of the values of a map, "{}".
func (p place) below(what string) place {
	if len(p.path) == 0 {
		p.of += what
		return p
	}
	p.path = slices.Clone(p.path)
	p.path[len(p.path)-1] += what
	return p
}

// names returns the path without what marks lists and maps.
func (p place) names() []string {
	var out []string
	for _, member := range p.path {
		out = append(out, strings.TrimRight(member, "[]{}"))
	}
	return out
}

// isParams reports whether the place is the params of a method. They are compared member by member whether they have a
// name or not.
func (p place) isParams() bool {
	return p.method && len(p.path) == 1 && p.path[0] == "params"
}

// change adds a change at a place, with the Go name of it. The place is told as that of the change, if it has one.
func (d *differ) change(at place, c Change) {
	c.Place = cmp.Or(c.Place, at.String())
	if len(at.path) == 0 {
		c.Go = d.names.Definition(at.schema, at.definition)
	} else {
		c.Go = d.names.Member(at.schema, at.definition, at.names())
	}
	d.add(c)
}

// node compares what two schemas have at one place.
func (d *differ) node(at place, a, b *schema.Node) {
	switch {
	case a.Ref != "" && b.Ref != "" && d.pairs.newer[a.Ref] == b.Ref:
		return // they are compared on their own
	case a.Ref != "" || b.Ref != "":
		x, y := flat(d.older, a), flat(d.newer, b)
		if at.isParams() && isObject(x) && isObject(y) {
			d.object(at, x, y)
			return
		}
		d.typeChange(at, a, b)
		return
	case len(a.AnyOf) > 0 || len(b.AnyOf) > 0:
		d.union(at, a, b)
		d.discriminator(at, a, b)
	case isObject(flat(d.older, a)) && isObject(flat(d.newer, b)):
		d.object(at, flat(d.older, a), flat(d.newer, b))
	case a.Is("array") && b.Is("array") && a.Items != nil && b.Items != nil:
		d.node(at.below("[]"), a.Items, b.Items)
	case len(a.Enum) > 0 && len(b.Enum) > 0:
		d.values(at, a, b)
	default:
		d.typeChange(at, withoutRules(a), withoutRules(b))
	}
	d.rules(at, a, b)
}

// isObject reports whether a node is an object and nothing else.
func isObject(n *schema.Node) bool {
	return len(n.AnyOf) == 0 && (n.Is("object") || len(n.Types) == 0 && len(n.Properties) > 0)
}

// object compares the members of two objects. Those of the frame of a message (its method, id and jsonrpc) are told
// as the change of the method.
func (d *differ) object(at place, a, b *schema.Node) {
	frame := at.method && len(at.path) == 0
	for _, p := range a.Properties {
		if b.Property(p.Name) == nil && !(frame && isFrame(p.Name)) {
			gone := at.member(p.Name)
			gone.schema, gone.definition = d.older, d.pairs.older[at.definition]
			d.change(gone, Change{Kind: KindMember, What: "removed", Place: at.member(p.Name).String(), Old: formOfMember(a, p)})
		}
	}
	for _, p := range b.Properties {
		if frame && isFrame(p.Name) {
			continue
		}
		old := a.Property(p.Name)
		if old == nil {
			d.change(at.member(p.Name), Change{Kind: KindMember, What: "added", New: formOfMember(b, p)})
			continue
		}
		d.required(at.member(p.Name), slices.Contains(a.Required, p.Name), slices.Contains(b.Required, p.Name))
		d.node(at.member(p.Name), old.Node, p.Node)
	}
	d.additional(at, a, b)
}

func isFrame(member string) bool { return member == "jsonrpc" || member == "id" || member == "method" }

func (d *differ) required(at place, was, is bool) {
	switch {
	case is && !was:
		d.change(at, Change{Kind: KindRequired, What: "added"})
	case was && !is:
		d.change(at, Change{Kind: KindRequired, What: "removed"})
	}
}

// additional compares what two objects say of members that they do not declare.
func (d *differ) additional(at place, a, b *schema.Node) {
	if a.Additional != nil && b.Additional != nil {
		d.node(at.below("{}"), a.Additional, b.Additional)
		return
	}
	form := func(n *schema.Node) string {
		switch {
		case n.Closed:
			return "none"
		case n.Additional != nil:
			return formOf(n.Additional)
		default:
			return ""
		}
	}
	changed := "narrowed"
	if a.Closed {
		changed = "widened"
	}
	old, is := form(a), form(b)
	if what := between(old, is, changed); what != "" {
		d.change(at, Change{Kind: KindAdditional, What: what, Old: old, New: is})
	}
}

// values compares two enumerations.
func (d *differ) values(at place, a, b *schema.Node) {
	for _, v := range a.Enum {
		if !slices.Contains(b.Enum, v) {
			d.change(at, Change{Kind: KindValue, What: "removed", Item: v.Text})
		}
	}
	for _, v := range b.Enum {
		if !slices.Contains(a.Enum, v) {
			d.change(at, Change{Kind: KindValue, What: "added", Item: v.Text})
		}
	}
}

// union compares two nodes of which one has alternatives or both. What they say beside those is compared on its own.
func (d *differ) union(at place, a, b *schema.Node) {
	x, y := flat(d.older, a), flat(d.newer, b)
	unions := len(x.AnyOf) > 0 && len(y.AnyOf) > 0
	objects := len(x.Properties) > 0 && len(y.Properties) > 0
	if !objects && (!unions || len(x.Properties)+len(y.Properties) == 0) {
		d.alternatives(at, a, b)
		return
	}
	d.object(at, withoutUnion(x), withoutUnion(y))
	x, y = &schema.Node{Pos: a.Pos, AnyOf: x.AnyOf}, &schema.Node{Pos: b.Pos, AnyOf: y.AnyOf}
	if unions {
		d.alternatives(at, x, y)
	} else {
		d.typeChange(at, x, y)
	}
}

// alternatives returns those of a union that have any value, else the node itself, in a list of their own.
func alternatives(n *schema.Node) []*schema.Node {
	out := slices.DeleteFunc(slices.Clone(n.AnyOf), func(alt *schema.Node) bool { return alt.Never })
	if len(out) > 0 {
		return out
	}
	return []*schema.Node{n}
}

// alternatives compares two unions, of which one may have a single member and be written without anyOf. Two members
// without a name that are lists, or objects, are one member.
func (d *differ) alternatives(at place, a, b *schema.Node) {
	older, newer := alternatives(a), alternatives(b)
	match := func(same func(x, y *schema.Node) bool, then func(x, y *schema.Node)) {
		older = slices.DeleteFunc(older, func(x *schema.Node) bool {
			j := slices.IndexFunc(newer, func(y *schema.Node) bool { return same(x, y) })
			if j < 0 {
				return false
			}
			then(x, newer[j])
			newer = slices.Delete(newer, j, j+1)
			return true
		})
	}
	match(d.pairs.same, func(x, y *schema.Node) {})
	match(func(x, y *schema.Node) bool {
		return x.Ref == "" && y.Ref == "" && len(x.Types) == 1 && slices.Equal(x.Types, y.Types)
	}, func(x, y *schema.Node) { d.node(at, x, y) })
	if len(older) == len(alternatives(a)) && len(newer) == len(alternatives(b)) {
		d.typeChange(at, a, b) // nothing in common
		return
	}
	for _, n := range older {
		d.change(at, Change{Kind: KindUnion, What: "removed", Item: formOf(n)})
	}
	for _, n := range newer {
		d.change(at, Change{Kind: KindUnion, What: "added", Item: formOf(n)})
	}
}

// typeChange reports types that allow other values.
func (d *differ) typeChange(at place, a, b *schema.Node) {
	c := Change{Kind: KindType, What: d.pairs.relation(a, b), Old: formOf(a), New: formOf(b)}
	if c.What == "" && d.othersNamed(a, b) {
		c.What, c.Means = "changed", meansNames
	}
	if c.What != "" {
		d.change(at, c)
	}
}

// withoutRules is a node without what [differ.rules] tells.
func withoutRules(n *schema.Node) *schema.Node {
	out := *n
	out.Rules, out.Format = nil, ""
	return &out
}

// rules compares the keywords that say more than the type.
func (d *differ) rules(at place, a, b *schema.Node) {
	before, after := rulesOf(a), rulesOf(b)
	keywords := maps.Clone(before)
	maps.Copy(keywords, after)
	for _, k := range slices.Sorted(maps.Keys(keywords)) {
		old, is, changed := before[k], after[k], "changed"
		switch {
		case allows(k, old, is):
			changed = "widened"
		case allows(k, is, old):
			changed = "narrowed"
		}
		if what := between(old, is, changed); what != "" {
			d.change(at, Change{Kind: kindOfRule(k), What: what, Item: k, Old: old, New: is})
		}
	}
}
