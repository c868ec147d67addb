package serverir

import (
	"cmp"
	"go/ast"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
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

// brokenResources are the names of declarations that were meant as resources but have mistakes.
func brokenResources(pkg *load.Package) map[string]bool {
	out := map[string]bool{}
	for _, d := range pkg.Decls {
		p := d.Primary
		if p != nil && !p.Bad {
			continue
		}
		if p == nil && !slices.ContainsFunc(d.Directives, func(x *directive.Directive) bool { return x.Def == nil }) {
			continue
		}
		out[d.Name] = true
		if p != nil {
			if spec, ok := p.Spec.(*directive.Resource); ok {
				out[cmp.Or(spec.Name.V, joinLower(d.Name, "-"))] = true
			}
		}
	}
	return out
}

// meant matches comments that look like a resource directive of a template, whether they are one or not.
var meant = regexp.MustCompile(`(?i)^//\s*mcp\s*:\s*res\S*\s.*\{`)

// templatesOf are the Go names of declarations that have a template, or were meant to have one.
func templatesOf(pkg *load.Package) []string {
	var out []string
	for _, f := range pkg.Files {
		for _, g := range f.AST.Comments {
			if slices.ContainsFunc(g.List, func(c *ast.Comment) bool { return meant.MatchString(c.Text) }) {
				out = append(out, funcAfter(f.AST, g.End()))
			}
		}
	}
	for _, d := range pkg.Decls {
		for _, x := range d.Directives {
			if spec, ok := x.Spec.(*directive.Resource); ok && strings.Contains(spec.URI.V, "{") {
				out = append(out, baseName(pkg, d))
			}
		}
	}
	return unique(out)
}

// funcAfter is the name of the first function that begins behind pos.
func funcAfter(f *ast.File, pos token.Pos) string {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Type.Pos() > pos {
			return fn.Name.Name
		}
	}
	return ""
}

// funcNamed is the function or method of the package with that name, or nil.
func (b *serverBuilder) funcNamed(name string) *ast.Ident {
	for _, f := range b.pkg.Files {
		for _, d := range f.AST.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == name {
				return fn.Name
			}
		}
	}
	return nil
}

// listMeant reports whether some list directive, perhaps one with mistakes, is about r.
func (b *serverBuilder) listMeant(r *resource) bool {
	return b.unparsed || slices.ContainsFunc(b.pkg.Decls, func(d *load.Decl) bool {
		return slices.ContainsFunc(d.Directives, func(x *directive.Directive) bool {
			spec, ok := x.Spec.(*directive.ListOf)
			return ok && (x.Bad || b.byName[spec.Of.V] == nil) && (spec.Of.V == r.decl.Name || spec.Of.V == r.Name || directive.Nearest(spec.Of.V, []string{r.decl.Name, r.Name}) != "")
		})
	})
}
