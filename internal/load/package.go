package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/load/annotate"
	"github.com/mcpgen/mcpgen/internal/load/source"
)

// Package is one Go package that was loaded from source.
type Package struct {
	// Path is the import path, Name the name in the package clauses, Dir the
	// absolute directory and Module the path of the module, if there is one.
	Path, Name, Dir, Module string
	// Target says that the package was matched by a pattern. Other packages are
	// here because an annotated one refers to them.
	Target bool
	// Files are sorted by name; our own output and tests are not among them.
	Files []*File
	// Decls are the annotated declarations: files by name, then by position.
	Decls []*Decl
	// Types and Info are the result of type-checking without function bodies.
	// They are present even if there were errors.
	Types *types.Package
	Info  *types.Info

	moduleDir string // "" without a module, or if the go command names no folder of it
	stub      *ast.File
	// comments, FieldAt and Selects fill these when they are first asked.
	comments map[types.Object]comments
	fields   map[token.Pos]*ast.Field
	selected selections
	// takenElsewhere are the names that files outside of this build have; see Elsewhere.
	takenElsewhere takenNames
}

// Output is the absolute path of a generated file: of mcp_gen.go, or of what belongs to the source with the base
// name of.
func (p *Package) Output(of string) string {
	if of == "" {
		return filepath.Join(p.Dir, OutputName)
	}
	return filepath.Join(p.Dir, source.PartName(of))
}

// Test is the absolute path of the generated test.
func (p *Package) Test() string { return filepath.Join(p.Dir, source.TestName) }

// HasTest reports whether that file exists and is one of ours.
func (p *Package) HasTest() bool {
	text, err := os.ReadFile(p.Test())
	return err == nil && source.IsOurs(source.TestName, text)
}

// annotated reports whether p has a directive.
func (p *Package) annotated() bool { return len(p.Decls) > 0 }

// Vocabulary reports whether the directives of p only describe its types, so that nothing is generated for it.
func (p *Package) Vocabulary() bool {
	return p.annotated() && !slices.ContainsFunc(p.Decls, func(d *Decl) bool {
		if d.Primary != nil {
			return d.Primary.Name != "enum" && d.Primary.Name != "type"
		}
		return d.Kind == directive.OnPackage || slices.ContainsFunc(d.Directives,
			func(dir *directive.Directive) bool { return dir.Name != "allow" })
	})
}

// Generated reports whether obj is declared by the stub, which means that it
// will be declared by the generated file. A name that the stub declares and for
// which Generated is false is taken by the user.
func (p *Package) Generated(obj types.Object) bool {
	return p.stub != nil && obj != nil && p.stub.FileStart <= obj.Pos() && obj.Pos() <= p.stub.FileEnd
}

// Decl is one declaration with at least one directive; see package annotate.
type Decl = annotate.Decl

// File is one parsed source file; see package source.
type File = source.File

// Refinements returns the specs of the directives of type T, in order: for
// example Refinements[*directive.Icon](d). Directives with mistakes are left out.
func Refinements[T any](d *Decl) []T {
	var out []T
	for _, dir := range d.Directives {
		if s, ok := dir.Spec.(T); ok && !dir.Bad {
			out = append(out, s)
		}
	}
	return out
}

// OutputName is the name of the file that the generator writes beside the user's code.
const OutputName = source.OutputName
