package extension

import (
	"github.com/mcpgen/mcpgen/schema"
)

// normalize gives a schema the spelling that the core's have: a choice of constants is an enumeration, a choice of
// plain types a list of types, and members that no value is valid for are left out. owner names the place for notes.
func (j *joiner) normalize(owner string, n *schema.Node) error {
	for _, part := range n.Parts() {
		if err := j.normalize(owner, part); err != nil {
			return err
		}
	}
	if n.Additional != nil && n.Additional.Never {
		n.Additional, n.Closed = nil, true
	}
	var kept []*schema.Property
	for _, p := range n.Properties {
		if err := j.normalize(owner+"."+p.Name, p.Node); err != nil {
			return err
		}
		switch {
		case !p.Node.Never:
			kept = append(kept, p)
		case n.IsRequired(p.Name):
			return schema.Errorf(p.Pos, "%s.%s is required, and no value is valid for it", owner, p.Name)
		default:
			j.notef(p.Pos, "%s.%s can have no value and is left out", owner, p.Name)
		}
	}
	n.Properties = kept
	j.choice(n)
	return nil
}

// choice rewrites an anyOf whose alternatives are constants or plain types, or only one.
func (j *joiner) choice(n *schema.Node) {
	if len(n.AnyOf) == 0 {
		return
	}
	var left, free []*schema.Node
	for _, alt := range n.AnyOf {
		switch {
		case alt.Never:
		case len(n.AnyOf) > 1 && isEmpty(alt):
			free = append(free, alt)
		default:
			left = append(left, alt)
		}
	}
	if len(left) == 0 {
		n.AnyOf, n.Never = nil, len(free) == 0 // else any value is valid
		return
	}
	for _, alt := range free {
		j.notef(alt.Pos, "the alternative {} stands for no value and is left out")
	}
	n.AnyOf = left
	values, constants := constantsOf(left)
	types, plain := plainTypes(left)
	switch {
	case len(left) == 1 && len(n.Properties) == 0 && len(n.AllOf) == 0:
		pos := n.Pos
		*n = *left[0]
		n.Pos = pos
	case constants:
		n.AnyOf, n.Types, n.Enum = nil, []string{"string"}, values
	case plain:
		n.AnyOf, n.Types = nil, types
	}
}

// isEmpty reports whether a schema says nothing at all. As one of several alternatives it is how generators write a
// member that may be undefined.
func isEmpty(n *schema.Node) bool {
	return n.Ref == "" && len(n.Types) == 0 && n.Const == nil && len(n.Enum) == 0 && !n.Declared && len(n.Required) == 0 &&
		n.Items == nil && len(n.AnyOf) == 0 && len(n.AllOf) == 0 && n.Additional == nil && !n.Open && !n.Closed && !n.Never &&
		n.Format == "" && len(n.Rules) == 0
}

// constantsOf returns the values of alternatives that are constant strings or lists of them.
func constantsOf(list []*schema.Node) ([]schema.Literal, bool) {
	var out []schema.Literal
	for _, n := range list {
		values := n.Enum
		if n.Const != nil {
			values = []schema.Literal{*n.Const}
		}
		if len(values) == 0 || !values[0].String {
			return nil, false
		}
		out = append(out, values...)
	}
	return out, true
}

// plainTypes returns the types of alternatives that say nothing but a type, of which none is repeated.
func plainTypes(list []*schema.Node) ([]string, bool) {
	var out []string
	for _, n := range list {
		if len(n.Types) != 1 || n.Const != nil || len(n.Enum) > 0 || n.Declared || n.Items != nil || n.Additional != nil ||
			n.Format == "byte" || len(n.AllOf) > 0 || len(n.AnyOf) > 0 {
			return nil, false
		}
		out = append(out, n.Types[0])
	}
	return out, true
}
