package load

import (
	"context"
	"go/token"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/load/golist"
)

// Config says what to load. Only Patterns is required.
type Config struct {
	// Dir is where the go command runs; empty means the current directory.
	Dir string
	// Patterns are package patterns as the go command has them; none means ".".
	Patterns []string
	// Env is added to the environment of the go command, as in GOOS=windows.
	Env []string
	// Stub returns the source of a file that declares the names which generated
	// code of p will have, or nil. It is called once per annotated package before
	// type-checking: Decls and their directives are filled, Types, Info and Obj
	// are nil. Bodies may be missing. Nil means no stubs.
	Stub func(p *Package) []byte
}

// loader is the state of one Load.
type loader struct {
	cfg     Config
	ctx     context.Context
	command golist.Command
	fset    *token.FileSet

	// order has every package of the import graph after its imports, and pkgs has them by their paths.
	order []*node
	pkgs  map[string]*node
	// missing has the go command's words on imports that it could not find.
	missing map[string]string
	// exports maps import paths to files with export data.
	exports map[string]string

	diags diag.List
}
