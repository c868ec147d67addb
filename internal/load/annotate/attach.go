package annotate

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/directive/check"
	"github.com/mcpgen/mcpgen/internal/load/source"
)

// Decls returns the declarations of a parsed file that have directives. It adds to out mistakes in them, and comments
// that were probably meant as directives. A file that is not part of every build has no such declarations.
func Decls(fset *token.FileSet, file *source.File, out *diag.List) []*Decl {
	a := newAttacher(fset, file, out)
	if a.leftOut() {
		return nil
	}
	for _, g := range file.AST.Comments {
		a.group(g)
	}
	return a.decls
}

// Excluded reports directives in a parsed file that the build leaves out.
func Excluded(fset *token.FileSet, file *source.File, out *diag.List) {
	newAttacher(fset, file, out).leftOut()
}

// group handles one comment group: it makes a Decl of its directives, or
// reports those that are attached to nothing.
func (a *attacher) group(g *ast.CommentGroup) {
	dirs := a.directives(g)
	if len(dirs) == 0 {
		return
	}
	pl, attached := a.owners[g]
	isServer := func(d *directive.Directive) bool { return d.Name == "server" }
	if !attached && a.enclosing(g) == nil && slices.ContainsFunc(dirs, isServer) {
		pl, attached = owner{on: directive.OnPackage}, true
	}
	if !attached || pl.trailing {
		a.detached(g, dirs, pl)
		return
	}
	d := &Decl{Kind: pl.on, Doc: g.Text(), Directives: dirs, Node: pl.node, Ident: pl.ident, File: a.file}
	if pl.ident != nil {
		d.Name = pl.ident.Name
	}
	if f, ok := pl.node.(*ast.FuncDecl); ok && f.Recv != nil {
		d.Recv, d.RecvPointer = receiver(f)
	}
	if pl.on == directive.OnVar {
		d.Embed = a.embeds(pl)
	}
	for _, dir := range dirs {
		check.Directive(a.fset, dir, pl.on, a.out)
	}
	a.decls = append(a.decls, d)
}
