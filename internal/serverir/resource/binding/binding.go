// Package binding gives the variables of templates to the parameters and fields of Go functions.
package binding

import (
	"fmt"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/mimetype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/serverir/variable"
)

// Resource is a resource and where it was declared.
type Resource struct {
	*ir.Resource
	Decl *load.Decl
	Spec *directive.Resource
	// Alias is the resource that this one is a further address of; nil for most.
	Alias *Resource
}

// Set returns the variables of r.
func (r *Resource) Set() *variable.Set { return &variable.Set{Decl: r.Decl, Vars: r.Vars} }

// FillMIME sets the MIME type if the directive does not, and checks it against the type of the result.
func (b *Binder) FillMIME(r *Resource, fallback string) {
	if r.MIME == "" {
		r.MIME = fallback
	}
	switch r.Result {
	case ir.ResultText, ir.ResultMarshaler:
		if r.MIME == "" {
			r.MIME = "text/plain"
		} else if mimetype.IsBinary(r.MIME) && r.Spec.Mime.Set() {
			from, to := source.ValueOf(r.Spec.Mime.Arg)
			b.Report("MCP402", from, to, fmt.Sprintf("string result with `mime=%s`: text would be sent for a binary type",
				r.MIME), report.Fix("return []byte"))
		}
	case ir.ResultBlob, ir.ResultStream:
		if r.MIME == "" && r.Root == nil { // each file has its own
			r.MIME = "application/octet-stream"
		}
	case ir.ResultJSON:
		if r.MIME == "" {
			r.MIME = "application/json"
		}
	}
}

// Misfit reports an option that does not fit the resource.
func (b *Binder) Misfit(arg *directive.Arg, message, better string) {
	b.Report("MCP405", arg.Pos, arg.End, message, report.Fix(better))
}
