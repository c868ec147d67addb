package server

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// serverFile is an mcp_gen.go, or a part of it, while it is emitted.
type serverFile struct {
	*jen.File
	*shared
}

// shared is what the files of a package have in common.
type shared struct {
	pkg *ir.GoPackage
	// parts are the files of the sources of a package whose output is split; nil for others.
	parts map[string]*serverFile
	// names are what the imported packages are called, and imports are the same by path.
	names   []importName
	imports map[string]string
	// done holds the names of declarations that servers share and that have been emitted.
	done map[string]bool
	// appends has the functions that append URIs, by the name of their builder; nil before one is asked.
	appends map[string]string
}

// of is the file for what belongs to a source: f itself, unless the output is split and the source has directives.
func (f *serverFile) of(source string) *serverFile {
	if part := f.parts[source]; part != nil {
		return part
	}
	return f
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
