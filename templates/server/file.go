package server

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// serverFile is an mcp_gen.go while it is emitted.
type serverFile struct {
	*jen.File
	pkg *ir.GoPackage
	// imports are the names of imported packages by path.
	imports map[string]string
	// done holds the names of declarations that servers share and that have been emitted.
	done map[string]bool
	// appends has the functions that append URIs, by the name of their builder; nil before one is asked.
	appends map[string]string
}

// note starts a declaration: an empty line and its comment.
func (f *serverFile) note(paragraphs ...string) {
	f.Line()
	f.Add(jenutil.Note(paragraphs...))
}

// first reports whether name is to be declared, and not yet: servers of one package share the
// helpers of a resource that both serve.
func (f *serverFile) first(name string) bool {
	if name == "" || f.done[name] {
		return false
	}
	f.done[name] = true
	return true
}
