package serverir

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// takeShared takes the names of the functions, types and patterns that stand in the output once, for all servers.
func takeShared(p *ir.GoPackage, taken map[string]claimed) {
	var names []string
	for _, a := range p.Args {
		names = append(names, a.Decode)
		if a.Declare != nil {
			names = append(names, a.Type.Name)
		}
	}
	for _, e := range p.Encoders {
		names = append(names, e.Name)
	}
	for _, x := range p.Patterns {
		names = append(names, x.Name)
	}
	for _, name := range names {
		if _, known := taken[name]; !known {
			taken[name] = claimed{}
		}
	}
}

// placeNames names the constants for the places of resources, tools and prompts in their lists: shapesMotto. One more
// feature then leaves what is generated for the others as it is. They belong to generated code alone, so that a name
// which somebody has is no mistake of the user: the constant gets another one.
func (b *serverBuilder) placeNames() {
	low := unexported(TypeName(b.server.Name))
	params := b.paramNames()
	name := func(base, kind string) string {
		name := low + base + kind
		for i := 1; !b.free(name) || params[name]; i++ {
			name = low + base + kind + "Place"
			if i > 1 {
				name += strconv.Itoa(i)
			}
		}
		b.taken[name] = claimed{server: b.name}
		return name
	}
	all := len(b.server.Resources) + len(b.server.Tools) + len(b.server.Prompts)
	for i := 0; all > ir.MaxWhole && i < all; i += ir.PartSize {
		part := strconv.Itoa(i/ir.PartSize + 1)
		b.server.Names.Parts = append(b.server.Names.Parts, name("Features", part))
	}
	for _, r := range b.server.Resources {
		r.Names.Place = name(strings.TrimPrefix(r.Names.Read, "read"), "")
	}
	for _, t := range b.server.Tools {
		t.Place = name(upperFirst(strings.TrimPrefix(t.CallName, "call")), "Tool")
	}
	for _, p := range b.server.Prompts {
		p.Place = name(strings.TrimPrefix(p.GetName, "get"), "Prompt")
	}
}

// paramNames are the parameters of the functions that mention places, which would hide a constant.
func (b *serverBuilder) paramNames() map[string]bool {
	names := map[string]bool{"uri": true, "v": true, "name": true, "err": true}
	for _, r := range b.server.Resources {
		for _, v := range r.Vars {
			names[v.Param] = true
		}
	}
	return names
}

// free reports whether nothing at the top of the package has a name, and nothing generated needs it.
func (b *serverBuilder) free(name string) bool {
	_, taken := b.taken[name]
	return !taken && b.declaration(name) == nil && !slices.Contains(predeclared, name)
}
