package load

import (
	"context"
	"go/token"

	"github.com/mcpgen/mcpgen/internal/diag"
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

// loader is the state of one Load. The steps run in the order of the fields
// that they fill.
type loader struct {
	cfg  Config
	ctx  context.Context
	fset *token.FileSet

	*graph

	// cycles are the import cycles that are reported.
	cycles *cycles

	diags diag.List
}
