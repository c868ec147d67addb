package serverir

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// middlewareField is the field of the Impl struct that holds the middleware.
const middlewareField = "Middleware"

// middleware gives the Impl struct a field for the middleware. It reports another use of that name.
func (b *serverBuilder) middleware() {
	if b.Server.Middleware == nil {
		return
	}
	slices.Sort(b.Server.Middleware)
	if i := slices.IndexFunc(b.Server.Receivers, func(r ir.Receiver) bool { return r.Field == middlewareField }); i >= 0 {
		i = slices.IndexFunc(b.Pkg.Decls, func(d *load.Decl) bool {
			return d.Recv == middlewareField ||
				d.Name == middlewareField
		})
		from, to := b.PackageName()
		if i >= 0 {
			from, to = source.NameOf(b.Pkg.Decls[i])
		}
		b.Report("MCP803", from, to, fmt.Sprintf("field `%s` of `%s` is needed twice: `use` needs it too", middlewareField,
			b.Server.Names.Impl), report.Fix("rename the type"))
		return
	}
	b.Server.Receivers = append(b.Server.Receivers, ir.Receiver{
		Field: middlewareField, Pointer: true, Doc: "runs around the features that say use.",
		Type: &ir.GoType{Kind: ir.GoNamed, Path: b.Pkg.Path, PkgName: b.Pkg.Name, Name: b.Server.Names.Middleware},
	})
}
