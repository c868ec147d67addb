package load

import (
	"bytes"
	"go/ast"
	"go/token"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
)

// place is the declaration to which a comment group belongs.
type place struct {
	on    directive.Target
	node  ast.Node
	ident *ast.Ident
	// trailing marks a comment behind its declaration on the same line.
	trailing bool
}

// attacher finds the directives of one file.
type attacher struct {
	l      *loader
	file   *File
	places map[*ast.CommentGroup]place
	decls  []*Decl
	// silent files belong to packages that nobody asked about.
	silent bool
}

// annotate attaches all directives, packages in order. A package with at least
// one directive is annotated.
func (l *loader) annotate() error {
	if err := l.annotateAll(l.order); err != nil {
		return err
	}
	return l.unlisted()
}

func (l *loader) annotateAll(list []*Package) error {
	for _, p := range list {
		for _, f := range p.Files {
			if f.AST == nil {
				continue
			}
			a := &attacher{l: l, file: f, places: placesOf(f.AST), silent: !p.Target}
			if a.leftOut() {
				continue
			}
			a.run()
			p.Decls = append(p.Decls, a.decls...)
		}
		p.annotated = len(p.Decls) > 0
		if p.Target {
			if err := l.elsewhere(p); err != nil {
				return err
			}
		}
		if p.annotated {
			out := &l.diags
			if !p.Target {
				out = new(diag.List)
			}
			l.checkDecls(p, out)
			l.readTexts(p, out)
		}
	}
	return nil
}

func (a *attacher) run() {
	for _, g := range a.file.AST.Comments {
		a.group(g)
	}
}

// group handles one comment group: it makes a Decl of its directives, or
// reports those that are attached to nothing.
func (a *attacher) group(g *ast.CommentGroup) {
	dirs := a.directives(g)
	if len(dirs) == 0 {
		return
	}
	pl, attached := a.places[g]
	if !attached && a.topLevel(g) && hasName(dirs, "server") {
		pl, attached = place{on: directive.OnPackage}, true
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
	d.Embed = embeds(g)
	for _, dir := range dirs {
		directive.Check(a.l.fset, dir, pl.on, a.out())
	}
	a.decls = append(a.decls, d)
}

func (a *attacher) out() *diag.List {
	if a.silent {
		return new(diag.List)
	}
	return &a.l.diags
}

// directives lexes the lines of g and reports near misses.
func (a *attacher) directives(g *ast.CommentGroup) []*directive.Directive {
	var out []*directive.Directive
	where := a.where(g)
	for _, c := range g.List {
		if c.Text[1] != '/' {
			directive.NearMissBlock(a.l.fset, c.Slash, c.Text, where, a.out())
			where.First, where.Begins = false, true
			continue
		}
		line := a.line(c.Slash)
		if d, ok := directive.Parse(c.Slash, line); ok {
			out = append(out, d)
			where.Begins = true
		} else {
			missed := directive.NearMiss(a.l.fset, c.Slash, line, where, a.out())
			where.Begins = missed || directive.EndsSentence(line)
		}
		where.First = false
	}
	return out
}

// where describes the place of the first line of g.
func (a *attacher) where(g *ast.CommentGroup) directive.Where {
	pl, attached := a.places[g]
	w := directive.Where{On: pl.on, First: true, Begins: true}
	w.Inside = attached && pl.trailing || pl.on == directive.OnField || pl.on == directive.OnMember
	if !attached {
		w.Inside = !a.topLevel(g) || a.before(g) != nil
		if !w.Inside {
			w.On = ^directive.Target(0)
		}
	}
	return w
}

// line returns the source from pos to the end of the line. The parser drops
// carriage returns from comments, which would shift columns.
func (a *attacher) line(pos token.Pos) string {
	src := a.file.Src[int(pos-a.file.AST.FileStart):]
	if i := bytes.IndexByte(src, '\n'); i >= 0 {
		src = src[:i]
	}
	return string(bytes.TrimSuffix(src, []byte("\r")))
}

func hasName(dirs []*directive.Directive, verb string) bool {
	for _, d := range dirs {
		if d.Name == verb {
			return true
		}
	}
	return false
}

// embeds returns the patterns of //go:embed lines.
func embeds(g *ast.CommentGroup) []string {
	var out []string
	for _, c := range g.List {
		d, ok := ast.ParseDirective(c.Slash, c.Text)
		if !ok || d.Tool != "go" || d.Name != "embed" {
			continue
		}
		args, err := d.ParseArgs()
		if err != nil {
			continue
		}
		for _, arg := range args {
			out = append(out, arg.Arg)
		}
	}
	return out
}

// receiver returns the name of the receiver's type.
func receiver(f *ast.FuncDecl) (name string, pointer bool) {
	if len(f.Recv.List) == 0 {
		return "", false
	}
	t := ast.Unparen(f.Recv.List[0].Type)
	if star, ok := t.(*ast.StarExpr); ok {
		pointer = true
		t = ast.Unparen(star.X)
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	if id, ok := t.(*ast.Ident); ok {
		name = id.Name
	}
	return name, pointer
}
