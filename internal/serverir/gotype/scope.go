package gotype

import (
	"go/types"
	"path/filepath"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
)

// Scope is the package that code is generated into: the names that it can use, and what is generated once for all
// servers.
type Scope struct {
	*report.Reporter
	Output *ir.GoPackage
	Once   *Once
	// hidden are the declarations that generated code could not refer to, which has been said.
	hidden map[types.Object]bool
}

// NewScope returns the package of r with nothing generated yet.
func NewScope(r *report.Reporter) *Scope {
	return &Scope{Reporter: r, hidden: map[types.Object]bool{}, Once: newOnce(),
		Output: &ir.GoPackage{Path: r.Pkg.Path, Name: r.Pkg.Name, Dir: r.Pkg.Dir}}
}

// To returns the same package with another reporter, for a reader of some of its declarations.
func (b *Scope) To(r *report.Reporter) *Scope {
	other := *b
	other.Reporter = r
	return &other
}

// SourceOf returns the base name of the file that declares t; "" if another package does.
func (b *Scope) SourceOf(t types.Type) string {
	obj := TypeName(t)
	if obj == nil || obj.Pkg() != b.Pkg.Types {
		return ""
	}
	return filepath.Base(b.Res.Fset.PositionFor(obj.Pos(), false).Filename)
}
