package feature

import (
	"slices"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// Servers finds the servers of a package that offer a declaration.
type Servers struct {
	Pkg *load.Package
	// named has the features that others refer to, by name; nil before it is asked.
	named map[string][]*load.Decl
}

// Only returns the package without the declarations of other servers than name. own is the comment of that server.
func (b *Servers) Only(name string, own *load.Decl, all []string) *load.Package {
	p := *b.Pkg
	p.Decls = slices.DeleteFunc(slices.Clone(p.Decls), func(d *load.Decl) bool {
		if d.Kind == directive.OnPackage && d.Primary != nil && !d.Primary.Bad {
			return d != own
		}
		return !slices.Contains(b.Of(d, all), name)
	})
	return &p
}

// ServerBinder is a directive with the option server=.
type ServerBinder interface{ Servers() *directive.List }

// Of returns the servers that a declaration belongs to: those that it names, or those of the resource that it is about,
// or all.
func (b *Servers) Of(d *load.Decl, all []string) []string {
	if d.Primary == nil || d.Primary.Bad {
		return all
	}
	spec, ok := d.Primary.Spec.(ServerBinder)
	if !ok {
		return all
	}
	if key := spec.Servers(); key.Set() {
		var out []string
		for _, item := range key.V {
			out = append(out, item.V)
		}
		return out
	}
	about := RefsOf(d)
	if about == nil {
		return all
	}
	var out []string
	for _, ref := range about {
		for _, s := range b.Named(ref.V, all) {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// RefsOf returns the features that a declaration is about, if its directive serves another feature.
func RefsOf(d *load.Decl) []directive.Ref {
	switch spec := d.Primary.Spec.(type) {
	case *directive.ListOf:
		return []directive.Ref{spec.Of}
	case *directive.Watch:
		return []directive.Ref{spec.Of}
	case *directive.Match:
		return []directive.Ref{spec.Of}
	case *directive.Shape:
		return []directive.Ref{spec.Of}
	case *directive.Replay:
		return []directive.Ref{spec.Of}
	case *directive.Method:
		if spec.Extension.Set() {
			return []directive.Ref{spec.Extension}
		}
	case *directive.Complete:
		var refs []directive.Ref
		for _, item := range spec.Of.V {
			refs = append(refs, item.Ref())
		}
		return refs
	}
	return nil
}

// Named returns the servers of the features with this Go name or MCP name. If there are none it returns all servers, so
// that each of them reports the mistake.
func (b *Servers) Named(name string, all []string) []string {
	var out []string
	for _, d := range b.featuresNamed(name) {
		if d.Primary.Bad {
			continue
		}
		for _, s := range b.Of(d, all) {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	if out == nil {
		return all
	}
	return out
}

// featuresNamed returns the features with this Go name or MCP name, in the order of the source.
func (b *Servers) featuresNamed(name string) []*load.Decl {
	if b.named == nil {
		b.named = map[string][]*load.Decl{}
		for _, d := range b.Pkg.Decls {
			if d.Primary == nil {
				continue
			}
			referred := names.Referred(d)
			slices.Sort(referred)
			for _, n := range slices.Compact(referred) {
				b.named[n] = append(b.named[n], d)
			}
		}
	}
	return b.named[name]
}

// OfURI returns the servers that offer the resource with this URI.
func (b *Servers) OfURI(uri string) []string {
	var out []string
	source.EachSpec(b.Pkg, func(d *load.Decl, spec *directive.Resource) {
		if spec.URI.V == uri {
			out = append(out, b.Of(d, nil)...)
		}
	})
	return out
}
