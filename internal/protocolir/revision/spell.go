package revision

import (
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/schema"
)

// Spell tells in words which values a node allows, as far as types, constants and references say.
func Spell(n *schema.Node) string {
	switch {
	case n.Never:
		return "nothing"
	case n.Ref != "":
		return n.Ref
	case len(n.AnyOf) > 0:
		var out []string
		for _, alt := range n.AnyOf {
			out = append(out, Spell(alt))
		}
		return strings.Join(out, " or ")
	case n.Const != nil:
		return spellLiterals([]schema.Literal{*n.Const})
	case len(n.Enum) > 0:
		return spellLiterals(n.Enum)
	case n.Items != nil:
		return "array of " + Spell(n.Items)
	case len(n.Types) == 0:
		return "any value"
	default:
		return strings.TrimSpace(strings.Join(n.Types, " or ") + " " + n.Format)
	}
}

func spellLiterals(list []schema.Literal) string {
	var out []string
	for _, l := range list {
		text := l.Text
		if l.String {
			text = fmt.Sprintf("%q", text)
		}
		out = append(out, text)
	}
	return strings.Join(out, " or ")
}

// IsPlain reports whether a node allows texts, numbers and the like by itself, without references and objects.
func IsPlain(n *schema.Node) bool {
	if n.Items != nil && !IsPlain(n.Items) {
		return false
	}
	return n.Ref == "" && len(n.AnyOf) == 0 && len(n.AllOf) == 0 && len(n.Properties) == 0 && !n.Is("object")
}
