package load

import (
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"

	"github.com/mcpgen/mcpgen/internal/diag"
)

// Result is what was loaded. It is not changed after Load returns; its methods
// are not safe for concurrent use.
type Result struct {
	// Fset has the positions of all packages.
	Fset *token.FileSet
	// Packages are the packages matched by the patterns that have at least one
	// directive, each after those that it imports.
	Packages []*Package
	// Outputs are the output files of ours in matched packages, with absolute
	// paths, as they are on the disk.
	Outputs []string
	// Diags has all mistakes found in matched packages, and type errors that
	// matter to them.
	Diags diag.List

	all map[string]*node
}

// Folder returns the folder of a package that was loaded, or that one of these imports, directly or not; "" for others.
func (r *Result) Folder(path string) string {
	if n := r.all[path]; n != nil {
		return n.Dir
	}
	return ""
}

// Source returns the text of a file as it was parsed; it serves diag.Printer.
func (r *Result) Source(file string) ([]byte, error) {
	for _, p := range r.all {
		for _, f := range p.Files {
			if f.Path == file {
				return f.Src, nil
			}
		}
	}
	return os.ReadFile(file)
}

// Inputs are what the result was made of: the folders of the packages that were matched or read from source,
// and the texts that directives name. They are sorted.
func (r *Result) Inputs() []string {
	var out []string
	for _, p := range r.all {
		if p.isLocal() && (p.Target || p.fromSource) {
			out = append(out, p.Dir)
		}
		for _, d := range p.Decls {
			for _, dir := range d.Directives {
				for _, t := range dir.Texts() {
					out = append(out, filepath.Join(p.Dir, filepath.FromSlash(t.File)))
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// PackageOf returns the package in which obj is declared if it was loaded from
// source, else nil.
func (r *Result) PackageOf(obj types.Object) *Package {
	if obj == nil || obj.Pkg() == nil {
		return nil
	}
	if p := r.all[obj.Pkg().Path()]; p != nil && p.Types == obj.Pkg() {
		return p.Package
	}
	return nil
}

// Pos converts a token range for a diagnostic.
func (r *Result) Pos(from, to token.Pos) diag.Pos { return diag.PosOf(r.Fset, from, to) }

// Mounted returns the package of that import path if a server mounts it, and why there is none otherwise.
func (r *Result) Mounted(importPath string) (p *Package, why string) {
	n := r.all[importPath]
	switch {
	case n == nil:
		return nil, "it cannot be found"
	case !n.annotated():
		return nil, "it has no directives"
	}
	return n.Package, ""
}

// Hides reports whether a diagnostic means that a directive, or a declaration, could not be read: what seems to be
// missing elsewhere may be its consequence.
func Hides(d diag.Diagnostic) bool {
	switch d.Code {
	case "MCP101", "MCP102", "MCP103", "MCP107", "MCP113", "MCP114", "MCP806", "MCP808":
		return true
	}
	return false
}
