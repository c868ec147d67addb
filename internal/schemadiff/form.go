package schemadiff

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/schema"
)

// formOf says in a few words what a node allows, with the names of the schema.
func formOf(n *schema.Node) string {
	switch {
	case n.Never:
		return "no value"
	case n.Ref != "":
		return n.Ref
	case n.Const != nil:
		return literalText(*n.Const)
	case len(n.Enum) > 0:
		return joined(n.Enum, literalText, " or ")
	case len(n.AnyOf) > 0:
		return joined(n.AnyOf, formOf, " or ")
	case len(n.AllOf) > 0:
		return joined(n.AllOf, formOf, " and ")
	case n.Is("array"):
		if n.Items == nil {
			return "list of any values"
		}
		return "list of " + formOf(n.Items)
	case n.Is("object") || len(n.Properties) > 0:
		return formOfObject(n)
	case len(n.Types) > 0:
		return strings.Join(n.Types, " or ")
	case len(n.Required) > 0:
		return strings.Join(n.Required, ", ") + " required"
	default:
		return "any value"
	}
}

// joined returns the texts of all elements of a list.
func joined[T any](list []T, text func(T) string, sep string) string {
	var out []string
	for _, x := range list {
		out = append(out, text(x))
	}
	return strings.Join(out, sep)
}

func formOfObject(n *schema.Node) string {
	switch {
	case len(n.Properties) > 0:
		return "object with " + joined(n.Properties, func(p *schema.Property) string { return p.Name }, ", ")
	case n.Additional != nil:
		return "map of " + formOf(n.Additional)
	case n.Closed:
		return "empty object"
	default:
		return "any object"
	}
}

func literalText(v schema.Literal) string {
	if v.String {
		return strconv.Quote(v.Text)
	}
	return v.Text
}

// formOfMember says what a member of an object is.
func formOfMember(object *schema.Node, p *schema.Property) string {
	if slices.Contains(object.Required, p.Name) {
		return formOf(p.Node) + ", required"
	}
	return formOf(p.Node) + ", optional"
}

// formOfDefinition says what kind of type a definition is.
func formOfDefinition(n *schema.Node) string {
	switch {
	case n.Ref != "":
		return "other name of " + n.Ref
	case len(n.AnyOf) > 0:
		return "union"
	case len(n.Enum) > 0:
		return "enumeration"
	case len(n.Properties) > 0, len(n.AllOf) > 0:
		return "object"
	default:
		return formOf(n)
	}
}
