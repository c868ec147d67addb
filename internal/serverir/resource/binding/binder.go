package binding

import (
	"go/token"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/serverir/feature"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// Binder binds the variables of templates to the parameters or fields that get their values.
type Binder struct {
	*feature.Context
	// Misnamed are the variables whose param= names no parameter, which has been reported.
	Misnamed map[*ir.Var]bool
}

// VarRange returns where the name of a variable stands in the template.
func (b *Binder) VarRange(r *Resource, v *ir.Var) (from, to token.Pos) {
	arg := r.Spec.URI.Arg
	_, vars, _ := uritemplate.Parse(r.URI)
	for _, o := range vars {
		if o.Name == v.Name {
			return arg.At(o.Start), arg.At(o.End)
		}
	}
	return source.ValueOf(arg)
}
