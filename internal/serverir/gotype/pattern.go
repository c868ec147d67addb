package gotype

import (
	"go/types"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
)

// FreeFunc returns a name for a function about t that neither the user's package nor used has.
func (b *Scope) FreeFunc(prefix string, t types.Type, used map[string]bool) string {
	free := func(name string) bool {
		return b.Declaration(name) == nil && !used[name]
	}
	word := WordOf(t)
	name := prefix + word
	if obj := TypeName(t); !free(name) && obj != nil && obj.Pkg() != nil {
		name = prefix + goname.UpperFirst(obj.Pkg().Name()) + word
	}
	for n := 2; !free(name); n++ {
		name = prefix + word + strconv.Itoa(n)
	}
	return name
}

// PatternName returns the name of the variable for a regular expression. of is the value that it checks. Equal
// expressions share one variable.
func (b *Scope) PatternName(of, expr string) string {
	for _, known := range b.Output.Patterns {
		if known.Expr == expr {
			return known.Name
		}
	}
	base := "pattern" + goname.UpperFirst(of)
	name := base
	for n := 2; !b.freePattern(name); n++ {
		name = base + strconv.Itoa(n)
	}
	b.Output.Patterns = append(b.Output.Patterns, ir.Pattern{Name: name, Expr: expr})
	return name
}

func (b *Scope) freePattern(name string) bool {
	for _, known := range b.Output.Patterns {
		if strings.EqualFold(known.Name, name) {
			return false
		}
	}
	return b.Declaration(name) == nil
}
