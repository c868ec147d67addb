package serverir

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/feature"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// boundServers cuts the package into its servers. A package without a server directive is one server.
func (b *packageBuilder) boundServers() []boundServer {
	var decls []*load.Decl
	names := map[string]*load.Decl{}
	source.EachSpec(b.Pkg, func(d *load.Decl, spec *directive.Server) {
		if first := names[spec.Name.V]; first != nil {
			b.serverTwice(first, spec)
			return
		}
		names[spec.Name.V] = d
		decls = append(decls, d)
	})
	if len(decls) == 0 {
		b.bindings([]string{b.Pkg.Name})
		return []boundServer{{b.Pkg.Name, b.Pkg}}
	}
	var out []boundServer
	for _, d := range decls {
		out = append(out, boundServer{name: d.Primary.Spec.(*directive.Server).Name.V})
	}
	all := serverWords(out)
	b.bindings(all)
	for i, d := range decls {
		out[i].pkg = b.Pkg
		if len(decls) > 1 {
			out[i].pkg = b.servers.Only(out[i].name, d, all)
		}
	}
	return out
}

func (b *packageBuilder) serverTwice(first *load.Decl, spec *directive.Server) {
	from, to := source.ValueOf(spec.Name.Arg)
	ofrom, oto := source.ValueOf(first.Primary.Spec.(*directive.Server).Name.Arg)
	b.Report("MCP207", from, to, fmt.Sprintf("server `%s` is already declared", spec.Name.V),
		b.Related(ofrom, oto, "declared here first"), report.Fix("give one of them another name"))
}

// Offered are the declarations of the server whose comment own is: all of the package if that has no other server.
func Offered(pkg *load.Package, own *load.Decl) []*load.Decl {
	spec, ok := own.Primary.Spec.(*directive.Server)
	names := names.ServerNamesOf(pkg)
	if !ok || own.Primary.Bad || len(names) < 2 {
		return pkg.Decls
	}
	return (&feature.Servers{Pkg: pkg}).Only(spec.Name.V, own, names).Decls
}

// bindings checks server= everywhere. Nothing is said about what a server directive with mistakes may have
// meant.
func (b *packageBuilder) bindings(all []string) {
	unsure := b.Unparsed || slices.ContainsFunc(b.Pkg.Decls, func(d *load.Decl) bool {
		return d.Kind == directive.OnPackage && (d.Primary == nil || d.Primary.Bad)
	})
	for _, d := range b.Pkg.Decls {
		if d.Primary == nil || d.Primary.Bad {
			continue
		}
		spec, ok := d.Primary.Spec.(feature.ServerBinder)
		if !ok {
			continue
		}
		switch key := spec.Servers(); {
		case key.Set():
			b.boundNames(key, all, unsure)
		case len(all) > 1 && feature.RefsOf(d) == nil:
			b.unbound(d, all)
		}
	}
}

// unbound reports a feature that does not say which server offers it.
func (b *packageBuilder) unbound(d *load.Decl, all []string) {
	to := d.Primary.NameEnd()
	b.Report("MCP110", d.Primary.NamePos, to, fmt.Sprintf("`%s` needs a server: this package has several", d.Primary.Name),
		report.Hint("servers: "+strings.Join(all, ", ")), report.Fix("server="+all[0]))
}

// boundNames checks the names in one server=.
func (b *packageBuilder) boundNames(key *directive.List, all []string, unsure bool) {
	seen := map[string]bool{}
	for _, item := range key.V {
		from, to := item.Arg.At(item.From), item.Arg.At(item.To)
		switch near := directive.Nearest(item.V, all); {
		case seen[item.V]:
			b.Report("MCP106", from, to, fmt.Sprintf("server `%s` given twice", item.V), report.Fix("remove one"))
		case slices.Contains(all, item.V) || unsure:
		case near != "":
			b.Report("MCP501", from, to, fmt.Sprintf("`%s` names no server of this package", item.V),
				report.Fix("did you mean `"+near+"`?"))
		default:
			b.Report("MCP501", from, to, fmt.Sprintf("`%s` names no server of this package", item.V),
				report.Hint("servers: "+strings.Join(all, ", ")),
				report.Fix("name one of them, or declare it with //mcp:server name="+item.V))
		}
		seen[item.V] = true
	}
}

// mergeDiagnostics adds what the servers of a package have found. What holds for some of the servers of a declaration
// only says for which.
func (b *packageBuilder) mergeDiagnostics(servers []boundServer, found []diag.List) {
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
			if len(servers) > 1 && len(names) < len(b.serversAt(d.Pos, all)) {
				d.Message += " in server `" + strings.Join(names, "`, `") + "`"
			}
			b.Out.Add(d)
		}
	}
}

// boundServer is one server of a package: its name and a copy of the package with its declarations only.
type boundServer struct {
	name string
	pkg  *load.Package
}

func serverWords(servers []boundServer) []string {
	var out []string
	for _, s := range servers {
		out = append(out, s.name)
	}
	return out
}

// serversAt are the servers of the declaration at a place; none outside of declarations.
func (b *packageBuilder) serversAt(at diag.Pos, all []string) []string {
	for _, d := range b.Pkg.Decls {
		if d.Node == nil || d.File.Path != at.File {
			continue
		}
		line := func(p token.Pos) int { return b.Res.Fset.PositionFor(p, false).Line }
		if line(min(d.Directives[0].Pos, d.Node.Pos())) <= at.Line && at.Line <= line(d.Node.End()) {
			return b.servers.Of(d, all)
		}
	}
	return nil
}
