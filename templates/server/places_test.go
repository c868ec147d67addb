package server

import (
	"strings"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// namePlaces gives the features of packages that are made by hand the names that are made last.
func namePlaces(p *ir.GoPackage) *ir.GoPackage {
	taken := map[string]bool{}
	for _, s := range p.Servers {
		name := func(c *ir.Callee, kind string) string {
			name := strings.TrimSuffix(s.Names.Features, "Features") + upper(c.Name) + kind
			for taken[name] {
				name += "Place"
			}
			taken[name] = true
			return name
		}
		for _, r := range s.Resources {
			if s.Routes != nil {
				r.Names.Place = name(&r.Callee, "")
			}
		}
		for _, t := range s.Tools {
			t.Input = name(&t.Callee, "Input")
			if t.OutputSchema != "" {
				t.Output = name(&t.Callee, "Output")
			}
		}
	}
	return p
}

func upper(s string) string {
	if s == "" {
		return "None"
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
