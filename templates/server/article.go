package server

import (
	"strings"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// article is a type with its article, for comments.
func article(t *ir.GoType) string {
	switch t.Kind {
	case ir.GoSlice, ir.GoArray:
		return "a list"
	case ir.GoMap:
		return "a map"
	case ir.GoNamed:
		return withArticle(t.Name)
	}
	return "a value"
}

// withArticle is "a Note" or "an Account".
func withArticle(name string) string {
	if strings.ContainsAny(name[:1], "AEIOUaeiou") {
		return "an " + name
	}
	return "a " + name
}
