package serverir

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// Stub returns a file that declares every exported name which the output for pkg will have, made
// from directives alone: signatures of the user may mention them before they exist.
func Stub(pkg *load.Package) []byte {
	var types, funcs, middleware []string
	for _, name := range names.ServerNamesOf(pkg) {
		s := names.Server(name)
		types = append(types, s.Type, s.Impl)
		funcs = append(funcs, s.New)
	}
	if slices.ContainsFunc(pkg.Decls, func(d *load.Decl) bool { return load.Refinements[*directive.Use](d) != nil }) {
		for _, name := range names.ServerNamesOf(pkg) {
			middleware = append(middleware, names.Server(name).Middleware)
		}
	}
	for _, base := range templatesOf(pkg) {
		n := names.Template(base)
		types = append(types, n.Ref, n.Vars)
		funcs = append(funcs, n.URI, n.Parse)
	}
	more, interfaces, makers := stubNames(pkg)
	types, funcs = append(types, more...), append(funcs, makers...)
	interfaces = append(interfaces, middleware...)
	for _, d := range pkg.Decls {
		for n := range load.Refinements[*directive.Alias](d) {
			a := names.Alias(names.Base(pkg, d), n)
			types, funcs = append(types, a.Vars), append(funcs, a.URI, a.Parse)
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\n", pkg.Name)
	for _, name := range unique(types) {
		fmt.Fprintf(&b, "type %s struct{}\n", name)
	}
	for _, name := range unique(interfaces) {
		fmt.Fprintf(&b, "type %s interface{}\n", name)
	}
	for _, name := range unique(funcs) {
		fmt.Fprintf(&b, "func %s(...any)\n", name)
	}
	return b.Bytes()
}

// unique drops repeated names and what is not an identifier.
func unique(names []string) []string {
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(s string) bool { return !token.IsIdentifier(s) })
}

// stubNames are the types and functions that the output for structs will declare; source types are
// interfaces.
func stubNames(pkg *load.Package) (types, interfaces, funcs []string) {
	source.EachSpec(pkg, func(d *load.Decl, spec *directive.Resource) {
		if d.Kind != directive.OnStruct {
			return
		}
		kind, vars := ir.StructHolder, 0
		if t, list, problems := uritemplate.Parse(spec.URI.V); t != nil && len(problems) == 0 {
			kind, vars = ir.StructStore, len(list)
		}
		if spec.Source.V && vars > 0 {
			kind = ir.StructSource
		}
		n := names.Struct(d.Name, kind, vars)
		types, funcs = append(types, n.Key), append(funcs, n.New)
		if kind == ir.StructSource {
			interfaces = append(interfaces, n.Keeper, n.Watcher)
		} else {
			types = append(types, n.Keeper)
		}
	})
	return types, interfaces, funcs
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
				out = append(out, names.Base(pkg, d))
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
