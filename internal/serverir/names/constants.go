package names

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
)

// TakeShared takes the names of the functions, types and patterns that stand in the output once, for all servers.
func TakeShared(p *ir.GoPackage, taken map[string]Claim) {
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
			taken[name] = Claim{}
		}
	}
}

// PlaceNames names the constants for the places of resources in their list, which a router returns: shapesMotto. One
// more feature then leaves what is generated for the others as it is. They belong to generated code alone, so that a
// name which somebody has is no mistake of the user: the constant gets another one.
func (c *Registry) PlaceNames(s *ir.Server) {
	low := goname.Unexported(TypeName(s.Name))
	params := placeParams(s)
	name := func(base, kind string) string {
		name := low + base + kind
		for i := 1; !c.free(name) || params[name]; i++ {
			name = low + base + kind + "Place"
			if i > 1 {
				name += strconv.Itoa(i)
			}
		}
		c.taken[name] = Claim{server: c.server}
		return name
	}
	c.parts(s, name)
	splitRouters(s, name)
	for _, r := range s.Resources {
		if s.Routes != nil {
			r.Names.Place = name(strings.TrimPrefix(r.Names.Read, "read"), "")
		}
	}
	for _, t := range s.Tools {
		base := goname.UpperFirst(strings.TrimPrefix(t.CallName, "call"))
		t.Input = name(base, "Input")
		if t.OutputSchema != "" {
			t.Output = name(base, "Output")
		}
	}
	c.handlerNames(s)
}

// parts are the functions that declare the features of a large server, or of one whose output is split by source file:
// PartSize features each.
func (c *Registry) parts(s *ir.Server, name func(base, kind string) string) {
	add := func(file, base string, list []ir.Feature) {
		for n := 1; len(list) > 0; n++ {
			number := strconv.Itoa(n)
			if n == 1 && file != "" {
				number = ""
			}
			size := min(len(list), ir.PartSize)
			s.Parts = append(s.Parts, ir.Part{Name: name("Features"+base, number), File: file, Features: list[:size]})
			list = list[size:]
		}
	}
	all := s.Features()
	if c.Output.Split {
		from := map[string][]ir.Feature{}
		for _, x := range all {
			from[x.File()] = append(from[x.File()], x)
		}
		for _, file := range slices.Sorted(maps.Keys(from)) {
			add(file, goname.Of(strings.TrimSuffix(file, ".go")), from[file])
		}
	} else if len(all) > ir.MaxWhole {
		add("", "", all)
	}
}

// handlerNames makes the names of the functions that call what is annotated unique in the package: readNote, or
// teamNotesReadNote if something is called readNote already. Each function gets a name of its own, even if two wish for
// the same one; only an address and its aliases share the function that says where their files are.
func (c *Registry) handlerNames(s *ir.Server) {
	params, named := placeParams(s), map[*string]bool{}
	rename := func(name *string) {
		if *name == "" || named[name] {
			return
		}
		free := *name
		for i := 1; !c.free(free) || params[free]; i++ {
			free = goname.Unexported(TypeName(s.Name)) + goname.UpperFirst(*name)
			if i > 1 {
				free += strconv.Itoa(i)
			}
		}
		c.taken[free], named[name] = Claim{server: c.server}, true
		*name = free
	}
	shared := func(rules *ir.Rules, completers []ir.Completer) {
		for i := range completers {
			rename(&completers[i].Name)
		}
		for i := 0; rules != nil && i < len(rules.Policies); i++ {
			rename(&rules.Policies[i].Name)
		}
	}
	for _, r := range s.Resources {
		rename(&r.Names.Read)
		rename(&r.Names.Watch)
		if r.Root != nil {
			rename(&r.Root.Files)
			shareFiles(r, named)
		}
		shared(r.Rules, r.Completers)
	}
	for _, t := range s.Tools {
		if t.Reads == nil {
			rename(&t.CallName)
		}
	}
	for _, p := range s.Prompts {
		rename(&p.GetName)
		shared(p.Rules, p.Completers)
	}
	for _, e := range s.Events {
		rename(&e.Names.New)
	}
	for _, x := range s.Extensions {
		for _, m := range x.Methods {
			rename(&m.Serve)
		}
	}
}

// shareFiles gives the aliases of r its function for files, which says the same for all of them.
func shareFiles(r *ir.Resource, named map[*string]bool) {
	for _, a := range r.Aliases {
		if a.Root != nil {
			a.Root.Files, named[&a.Root.Files] = r.Root.Files, true
		}
	}
}

// placeParams are the parameters of the functions that mention places, which would hide a constant.
func placeParams(s *ir.Server) map[string]bool {
	names := map[string]bool{"uri": true, "v": true, "name": true, "err": true}
	for _, r := range s.Resources {
		for _, v := range r.Vars {
			names[v.Param] = true
		}
	}
	return names
}

// free reports whether nothing at the top of the package has a name, and nothing generated needs it.
func (c *Registry) free(name string) bool {
	_, taken := c.taken[name]
	return !taken && c.Declaration(name) == nil && !slices.Contains(Predeclared, name)
}
