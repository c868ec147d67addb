package serverir

import (
	"path/filepath"
	"slices"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/load"
)

// One mistake in a resource directive must not bring a dozen complaints about what refers to that
// resource. So the stages below remember what was meant, even if it could not be read.

// lostDirectives reports whether the loader found lines in pkg that were meant as directives, or files
// that it could not read: some declaration may be missing.
func lostDirectives(pkg *load.Package, out *diag.List) bool {
	return slices.ContainsFunc(out.Sorted(), func(d diag.Diagnostic) bool {
		return load.Hides(d) && filepath.Dir(d.Pos.File) == pkg.Dir
	})
}
