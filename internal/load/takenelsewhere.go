package load

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/types"
	"path/filepath"
	"slices"

	"github.com/mcpgen/mcpgen/internal/load/source"
)

// Elsewhere is what a name stands for in the files of p that this build leaves out and in its tests, as far as they
// belong to the same package: a declaration at the top, or an import of one file. Nil for nothing. They are parsed
// only, so that the object has no type. What is generated must get on with all of them on every system.
func (p *Package) Elsewhere(name string) types.Object { return p.takenElsewhere[name] }

// DeclaredElsewhere are the names that those files declare, in no order; names of imports are not among them.
func (p *Package) DeclaredElsewhere() []string {
	var out []string
	for name, obj := range p.takenElsewhere {
		if _, isImport := obj.(*types.PkgName); !isImport {
			out = append(out, name)
		}
	}
	return out
}

// takenIn fills takenElsewhere, from files in the order of their names.
func (l *loader) takenIn(p *node) error {
	names := slices.Concat(p.listed.TestGoFiles, p.listed.IgnoredGoFiles)
	slices.Sort(names)
	p.takenElsewhere = takenNames{}
	for _, name := range slices.Compact(names) {
		file := filepath.Join(p.Dir, name)
		src, err := source.Read(file)
		if err != nil {
			return err
		}
		if source.IsOutput(name, src) || name == source.TestName && source.IsOurs(name, src) {
			continue
		}
		// What cannot be parsed is for its compiler to report.
		f, _ := parser.ParseFile(l.fset, file, src, parser.ParseComments|parser.SkipObjectResolution)
		if f.Name.Name == p.Name && !neverBuilt(f) {
			p.takenElsewhere.addFile(p.Types, f)
		}
	}
	return nil
}

// neverBuilt reports whether a file has the constraint that by convention no build fulfills: //go:build ignore.
func neverBuilt(f *ast.File) bool {
	for _, g := range f.Comments {
		for _, c := range g.List {
			if c.Pos() < f.Package && constraint.IsGoBuild(c.Text) {
				expr, err := constraint.Parse(c.Text)
				tag, isTag := expr.(*constraint.TagExpr)
				return err == nil && isTag && tag.Tag == "ignore"
			}
		}
	}
	return false
}
