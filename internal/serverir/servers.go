package serverir

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/load"
)

// boundServer is one server of a package: its name and a copy of the package with its declarations only.
type boundServer struct {
	name string
	pkg  *load.Package
}

// servers cuts the package into its servers. A package without a server directive is one server.
func (b *serverBuilder) servers() []boundServer {
	var decls []*load.Decl
	names := map[string]*load.Decl{}
	eachSpec(b.pkg, func(d *load.Decl, spec *directive.Server) {
		if first := names[spec.Name.V]; first != nil {
			b.serverTwice(first, spec)
			return
		}
		names[spec.Name.V] = d
		decls = append(decls, d)
	})
	if len(decls) == 0 {
		b.bindings([]string{b.pkg.Name})
		return []boundServer{{b.pkg.Name, b.pkg}}
	}
	var out []boundServer
	for _, d := range decls {
		out = append(out, boundServer{name: d.Primary.Spec.(*directive.Server).Name.V})
	}
	all := serverWords(out)
	b.bindings(all)
	for i, d := range decls {
		out[i].pkg = b.pkg
		if len(decls) > 1 {
			out[i].pkg = b.only(out[i].name, d, all)
		}
	}
	return out
}

func serverWords(servers []boundServer) []string {
	var out []string
	for _, s := range servers {
		out = append(out, s.name)
	}
	return out
}

func (b *serverBuilder) serverTwice(first *load.Decl, spec *directive.Server) {
	from, to := valueOf(spec.Name.Arg)
	ofrom, oto := valueOf(first.Primary.Spec.(*directive.Server).Name.Arg)
	b.report("MCP207", from, to, fmt.Sprintf("server `%s` is already declared", spec.Name.V),
		b.related(ofrom, oto, "declared here first"), fix("give one of them another name"))
}

// only is the package as one of its servers sees it: own is the comment of that server.
func (b *serverBuilder) only(name string, own *load.Decl, all []string) *load.Package {
	p := *b.pkg
	p.Decls = slices.DeleteFunc(slices.Clone(p.Decls), func(d *load.Decl) bool {
		if d.Kind == directive.OnPackage && d.Primary != nil && !d.Primary.Bad {
			return d != own
		}
		return !slices.Contains(b.serversOf(d, all), name)
	})
	return &p
}

// Offered are the declarations of the server whose comment own is: all of the package if that has no other server.
func Offered(pkg *load.Package, own *load.Decl) []*load.Decl {
	spec, ok := own.Primary.Spec.(*directive.Server)
	names := serverNamesOf(pkg)
	if !ok || own.Primary.Bad || len(names) < 2 {
		return pkg.Decls
	}
	return (&serverBuilder{pkg: pkg}).only(spec.Name.V, own, names).Decls
}

// binder is the spec of a directive that takes server=.
type binder interface{ Servers() *directive.List }

// serversOf are the servers that a declaration belongs to: those that it names, those of the resource that
// it is about, or all.
func (b *serverBuilder) serversOf(d *load.Decl, all []string) []string {
	if d.Primary == nil || d.Primary.Bad {
		return all
	}
	spec, ok := d.Primary.Spec.(binder)
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
	about := refsOf(d)
	if about == nil {
		return all
	}
	var out []string
	for _, ref := range about {
		for _, s := range b.serversNamed(ref.V, all) {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// refsOf is what a declaration is about, if its directive is for something else.
func refsOf(d *load.Decl) []directive.Ref {
	switch spec := d.Primary.Spec.(type) {
	case *directive.ListOf:
		return []directive.Ref{spec.Of}
	case *directive.Watch:
		return []directive.Ref{spec.Of}
	case *directive.Complete:
		var refs []directive.Ref
		for _, item := range spec.Of.V {
			refs = append(refs, item.Ref())
		}
		return refs
	}
	return nil
}

// serversNamed are the servers of the features with that Go name or MCP name; all if there is none, so that
// each of them says so.
func (b *serverBuilder) serversNamed(name string, all []string) []string {
	var out []string
	for _, d := range b.pkg.Decls {
		if d.Primary == nil || d.Primary.Bad || !slices.Contains(namesOf(d), name) {
			continue
		}
		for _, s := range b.serversOf(d, all) {
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

// namesOf are the names by which others refer to a feature; none for directives that others do not refer to.
func namesOf(d *load.Decl) []string {
	switch spec := d.Primary.Spec.(type) {
	case *directive.Resource:
		return []string{d.Name, cmp.Or(spec.Name.V, joinLower(d.Name, "-"))}
	case *directive.Prompt:
		return []string{d.Name, cmp.Or(spec.Name.V, joinLower(d.Name, "_"))}
	}
	return nil
}

// bindings checks server= everywhere. Nothing is said about what a server directive with mistakes may have
// meant.
func (b *serverBuilder) bindings(all []string) {
	unsure := b.unparsed || slices.ContainsFunc(b.pkg.Decls, func(d *load.Decl) bool {
		return d.Kind == directive.OnPackage && (d.Primary == nil || d.Primary.Bad)
	})
	for _, d := range b.pkg.Decls {
		if d.Primary == nil || d.Primary.Bad {
			continue
		}
		spec, ok := d.Primary.Spec.(binder)
		if !ok {
			continue
		}
		switch key := spec.Servers(); {
		case key.Set():
			b.boundNames(key, all, unsure)
		case len(all) > 1 && refsOf(d) == nil:
			b.unbound(d, all)
		}
	}
}

// unbound reports a feature that does not say which server offers it.
func (b *serverBuilder) unbound(d *load.Decl, all []string) {
	to := d.Primary.NameEnd()
	b.report("MCP110", d.Primary.NamePos, to, fmt.Sprintf("`%s` needs a server: this package has several", d.Primary.Name),
		hint("servers: "+strings.Join(all, ", ")), fix("server="+all[0]))
}

// boundNames checks the names in one server=.
func (b *serverBuilder) boundNames(key *directive.List, all []string, unsure bool) {
	seen := map[string]bool{}
	for _, item := range key.V {
		from, to := item.Arg.At(item.From), item.Arg.At(item.To)
		switch near := directive.Nearest(item.V, all); {
		case seen[item.V]:
			b.report("MCP106", from, to, fmt.Sprintf("server `%s` given twice", item.V), fix("remove one"))
		case slices.Contains(all, item.V) || unsure:
		case near != "":
			b.report("MCP501", from, to, fmt.Sprintf("`%s` names no server of this package", item.V),
				fix("did you mean `"+near+"`?"))
		default:
			b.report("MCP501", from, to, fmt.Sprintf("`%s` names no server of this package", item.V),
				hint("servers: "+strings.Join(all, ", ")), fix("name one of them, or declare it with //mcp:server name="+item.V))
		}
		seen[item.V] = true
	}
}

// mergeDiagnostics adds what the servers of a package have found. What holds for some of the servers of a declaration
// only says for which.
func (b *serverBuilder) mergeDiagnostics(servers []boundServer, found []diag.List) {
	type key struct {
		pos           diag.Pos
		code, message string
	}
	in := map[key][]string{}
	for i := range found {
		for _, d := range found[i].Sorted() {
			k := key{d.Pos, d.Code, d.Message}
			in[k] = append(in[k], servers[i].name)
		}
	}
	all := serverWords(servers)
	for i := range found {
		for _, d := range found[i].Sorted() {
			names := in[key{d.Pos, d.Code, d.Message}]
			if of := b.serversAt(d.Pos, all); len(names) < len(of) {
				d.Message += " in server `" + strings.Join(names, "`, `") + "`"
			}
			b.out.Add(d)
		}
	}
}

// serversAt are the servers of the declaration at a place; none outside of declarations.
func (b *serverBuilder) serversAt(at diag.Pos, all []string) []string {
	for _, d := range b.pkg.Decls {
		if d.Node == nil || d.File.Path != at.File {
			continue
		}
		line := func(p token.Pos) int { return b.res.Fset.PositionFor(p, false).Line }
		if line(min(d.Directives[0].Pos, d.Node.Pos())) <= at.Line && at.Line <= line(d.Node.End()) {
			return b.serversOf(d, all)
		}
	}
	return nil
}
