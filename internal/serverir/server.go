package serverir

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// serverOf reads the server directive. Without one, decl is nil and the package name is the server's name.
func serverOf(b *gotype.Scope) (s *ir.Server, decl *load.Decl) {
	s = &ir.Server{Name: b.Pkg.Name, Version: "0.0.0"}
	source.EachSpec(b.Pkg, func(d *load.Decl, spec *directive.Server) {
		decl = d
		s.Pos = b.Res.Pos(d.Primary.Pos, d.Primary.End)
		s.Name, s.Title, s.WebsiteURL = spec.Name.V, spec.Title.V, spec.URL.V
		s.Description, s.Instructions, s.PageSize = spec.Desc.V, spec.Instructions.V, int(spec.Page.V)
		s.ResourceTools = spec.Astools.V == "typed" || spec.Astools.V == "generic"
		if spec.Version.V != "" {
			s.Version = spec.Version.V
		}
	})
	if decl == nil && !b.Unparsed && !b.Pkg.Vocabulary() &&
		!slices.ContainsFunc(b.Pkg.Decls, func(d *load.Decl) bool { return d.Kind == directive.OnPackage }) {
		from, to := b.PackageName()
		b.Report("MCP807", from, to, fmt.Sprintf("no server directive: the server is called `%s`, like the package", s.Name),
			report.Fix(fmt.Sprintf("//mcp:server name=%s above the package clause", s.Name)))
	}
	s.Names = names.Server(s.Name)
	return s, decl
}
