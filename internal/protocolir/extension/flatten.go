package extension

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/schema"
)

// flattenAll writes every allOf as the core has them: one object with its own members, and references to what it
// includes. An allOf with a union in it is a union of objects, each of which has all the other members.
func (j *joiner) flattenAll() error {
	j.flat = map[*schema.Def]bool{}
	for _, d := range slices.Clone(j.own) { // unions add to own
		if err := j.flattenDef(d); err != nil {
			return err
		}
	}
	return nil
}

func (j *joiner) flattenDef(d *schema.Def) error {
	if j.flat[d] || j.base.Lookup(d.Name) == d {
		return nil
	}
	j.flat[d] = true
	return j.flatten(d.Name, d.Node)
}

// flatten rewrites a schema and what is in it. name is what a definition made of it would be called.
func (j *joiner) flatten(name string, n *schema.Node) error {
	for _, p := range n.Properties {
		if err := j.flatten(name+goname.Pascal(p.Name), p.Node); err != nil {
			return err
		}
	}
	for i, part := range n.Parts() {
		if err := j.flatten(fmt.Sprint(name, "Option", i+1), part); err != nil {
			return err
		}
	}
	if len(n.AllOf) == 0 {
		return nil
	}
	if len(n.AnyOf) > 0 {
		return schema.Errorf(n.Pos, "anyOf beside allOf is not supported; write it as one more part of the allOf")
	}
	a, err := j.collect(n.Pos, n.AllOf, n)
	if err != nil {
		return err
	}
	if len(a.union) == 0 {
		*n = *a.out
		return nil
	}
	return a.distribute(name, n)
}

// allOf collects the parts of a list.
type allOf struct {
	*joiner
	out   *schema.Node   // references and own members
	union []*schema.Node // the alternatives of the one part that is a union
}

// collect collects parts and, as one more of them, the members of own.
func (j *joiner) collect(pos schema.Pos, parts []*schema.Node, own *schema.Node) (*allOf, error) {
	a := &allOf{joiner: j, out: &schema.Node{Pos: pos, Types: []string{"object"}}}
	members := &schema.Node{Pos: own.Pos, Properties: own.Properties, Required: own.Required, Declared: own.Declared}
	for _, part := range slices.Concat(parts, []*schema.Node{members}) {
		if err := a.part(part); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (a *allOf) part(n *schema.Node) error {
	body := n
	if n.Ref != "" {
		d := a.defs[n.Ref]
		if err := a.flattenDef(d); err != nil {
			return err
		}
		body = d.Node
	}
	switch {
	case isFrame(body):
		return nil
	case len(body.AnyOf) > 0:
		return a.unionPart(n, body)
	case len(body.Types) > 0 && !slices.Contains(body.Types, "object"):
		return schema.Errorf(n.Pos, "a part of an allOf that is no object is not supported; refer to it without the allOf")
	case n.Ref != "":
		a.out.AllOf = append(a.out.AllOf, n)
		return nil
	}
	a.out.AllOf = append(a.out.AllOf, body.AllOf...)
	a.out.Required = append(a.out.Required, body.Required...)
	a.out.Declared = a.out.Declared || body.Declared
	return a.members(body.Properties)
}

// members adds properties. Several parts may have one in the same form.
func (a *allOf) members(list []*schema.Property) error {
	for _, p := range list {
		if old := a.out.Property(p.Name); old == nil {
			a.out.Properties = append(a.out.Properties, p)
		} else if !sameShape(old.Node, p.Node) {
			return schema.Errorf(p.Pos, "%q has another form at %s, in the same allOf", p.Name, old.Pos)
		}
	}
	return nil
}

// unionPart adds a part that is a union. One whose members a constant tells apart makes the whole a union; another one
// says which of some members are there together, which Go types do not say: all of them are optional.
func (a *allOf) unionPart(n, body *schema.Node) error {
	before := a.union
	a.union = body.AnyOf
	if a.tagged() {
		if len(before) > 0 {
			return schema.Errorf(n.Pos, "an allOf of two unions is not supported; write the combinations that there are")
		}
		return nil
	}
	a.union = before
	for _, alt := range body.AnyOf {
		body := a.body(alt)
		if len(body.Properties) == 0 || len(body.AllOf) > 0 {
			return schema.Errorf(alt.Pos,
				"this alternative in an allOf is neither told from the others by a constant nor an object with members")
		}
		if err := a.members(body.Properties); err != nil {
			return err
		}
	}
	for _, name := range a.body(body.AnyOf[0]).Required {
		if !slices.ContainsFunc(body.AnyOf, func(alt *schema.Node) bool { return !a.body(alt).IsRequired(name) }) {
			a.out.Required = append(a.out.Required, name)
		}
	}
	a.notef(n.Pos, "no constant tells the alternatives here apart; what only some of them have is optional")
	return nil
}

// isFrame reports whether n is the frame of a request or notification, whose members the runtime writes.
func isFrame(n *schema.Node) bool {
	method := n.Property("method")
	return n.Property("jsonrpc") != nil && method != nil && method.Node.Const == nil
}

// distribute makes n a union of new definitions, one for each alternative.
func (a *allOf) distribute(name string, n *schema.Node) error {
	alternatives := &schema.Node{Pos: n.Pos}
	for i, alt := range a.union {
		suffix := goname.Pascal(a.tag(alt))
		if suffix == "" || a.defs[name+suffix] != nil {
			suffix = fmt.Sprint("Option", i+1)
		}
		one := *a.out
		one.AllOf = append(slices.Clone(a.out.AllOf), alt)
		if alt.Ref == "" { // its own members
			whole, err := a.collect(alt.Pos, one.AllOf, a.out)
			if err != nil {
				return err
			}
			one = *whole.out
		}
		d := &schema.Def{Name: name + suffix, Node: &one}
		if a.defs[d.Name] != nil {
			return schema.Errorf(alt.Pos, "this alternative of %s would be named %s, which is there already", name, d.Name)
		}
		a.own, a.defs[d.Name], a.flat[d] = append(a.own, d), d, true
		alternatives.AnyOf = append(alternatives.AnyOf, &schema.Node{Pos: alt.Pos, Ref: d.Name})
	}
	*n = *alternatives
	return nil
}

// tagged reports whether each alternative of the union has a constant that no other has.
func (a *allOf) tagged() bool {
	return !slices.ContainsFunc(a.union, func(alt *schema.Node) bool { return a.tag(alt) == "" })
}

// tag returns the constant that only one alternative has, or "".
func (a *allOf) tag(alt *schema.Node) string {
	for _, p := range a.body(alt).Properties {
		if p.Node.Const == nil || !p.Node.Const.String {
			continue
		}
		mayHave := func(other *schema.Node) bool {
			q := a.body(other).Property(p.Name)
			return other != alt && (q == nil || q.Node.Const == nil || q.Node.Const.Text == p.Node.Const.Text)
		}
		if !slices.ContainsFunc(a.union, mayHave) {
			return p.Node.Const.Text
		}
	}
	return ""
}

func (a *allOf) body(n *schema.Node) *schema.Node {
	if n.Ref != "" {
		return a.defs[n.Ref].Node
	}
	return n
}
