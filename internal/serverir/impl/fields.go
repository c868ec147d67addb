package impl

import (
	"go/types"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
)

// Fields makes the fields of the Impl struct of a server, through which methods are called.
type Fields struct {
	*gotype.Scope
	Server *ir.Server
	// routes are the results of route, and builds that of buildsImpl once it was asked.
	routes map[*types.TypeName]routed
	builds *bool
}

// New returns what makes the fields for a server that is generated into the package s.
func New(s *gotype.Scope, server *ir.Server) *Fields {
	return &Fields{Scope: s, Server: server, routes: map[*types.TypeName]routed{}}
}

// recvType is the type that d is a method of, or nil. An alias in the source is followed.
func (b *Fields) recvType(d *load.Decl) *types.TypeName {
	if d.Recv == "" || b.Pkg.Types == nil {
		return nil
	}
	if obj, ok := b.Pkg.Types.Scope().Lookup(d.Recv).(*types.TypeName); ok {
		return gotype.TypeName(obj.Type())
	}
	return nil
}

// routed is a result of route.
type routed struct {
	outer *types.TypeName
	path  []*types.Var
}
