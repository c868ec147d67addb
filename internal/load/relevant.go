package load

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
)

// relevant finds the declarations that an annotated one refers to, through all
// packages that are read from source.
type relevant struct {
	l *loader
	// why maps each node reached to the annotated declaration it was reached from.
	why map[ast.Node]*Decl
	// imports has the paths of imports mentioned on the way, by package.
	imports map[*node]map[string]*Decl
}

// relevantErrors reports those type errors that lie in what annotated
// declarations need.
func (l *loader) relevantErrors() {
	r := &relevant{l: l, why: map[ast.Node]*Decl{}, imports: map[*node]map[string]*Decl{}}
	for _, p := range l.order {
		if !p.fromSource || !p.Target {
			continue
		}
		for _, d := range p.Decls {
			if d.Primary != nil && d.Ident != nil {
				r.visit(p, d.Node, d)
			}
		}
	}
	for _, p := range l.order {
		for _, te := range p.errs {
			if d := r.reason(p, te.Pos); d != nil {
				l.typeError(p, te, d)
			}
		}
	}
}

// parts returns the nodes of a declaration whose types matter: no function
// body, and no fields of the receiver.
func parts(n ast.Node) []ast.Node {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return []ast.Node{n.Type}
	case *ast.ValueSpec:
		if n.Type != nil {
			return []ast.Node{n.Type}
		}
		var out []ast.Node
		for _, v := range n.Values {
			out = append(out, v)
		}
		return out
	}
	return []ast.Node{n}
}

func (r *relevant) visit(p *node, n ast.Node, d *Decl) {
	if r.why[n] != nil {
		return
	}
	r.why[n] = d
	for _, part := range parts(n) {
		ast.Inspect(part, func(x ast.Node) bool {
			if id, ok := x.(*ast.Ident); ok {
				r.use(p, p.Info.Uses[id], d)
			}
			_, body := x.(*ast.BlockStmt)
			return !body
		})
	}
}

func (r *relevant) use(p *node, obj types.Object, d *Decl) {
	if name, ok := obj.(*types.PkgName); ok {
		if r.imports[p] == nil {
			r.imports[p] = map[string]*Decl{}
		}
		if path := name.Imported().Path(); r.imports[p][path] == nil {
			r.imports[p][path] = d
		}
		return
	}
	if obj == nil || obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
		return
	}
	q := r.l.pkgs[obj.Pkg().Path()]
	if q == nil || q.Types != obj.Pkg() {
		return
	}
	if n := q.declOf(obj); n != nil {
		r.visit(q, n, d)
	}
}

// declOf returns the spec or function that declares a package-level object of
// the user's files.
func (p *node) declOf(obj types.Object) ast.Node {
	if p.declared == nil {
		p.declared = map[types.Object]ast.Node{}
		for _, f := range p.Files {
			eachDeclared(f.AST, func(id *ast.Ident, n ast.Node) { p.declared[p.Info.Defs[id]] = n })
		}
	}
	return p.declared[obj]
}

// eachDeclared calls f for what a file declares at the top, methods and imports apart, with its spec or function.
func eachDeclared(file *ast.File, f func(*ast.Ident, ast.Node)) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				f(d.Name, d)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					f(s.Name, s)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						f(id, s)
					}
				}
			}
		}
	}
}

// reason returns the annotated declaration that needs what is at pos, or nil.
func (r *relevant) reason(p *node, pos token.Pos) *Decl {
	if spec := p.importAt(pos); spec != nil {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil
		}
		return r.imports[p][path]
	}
	for n, d := range r.why {
		for _, part := range parts(n) {
			if part.Pos() <= pos && pos < part.End() {
				return d
			}
		}
		if f, ok := n.(*ast.FuncDecl); ok && f.Recv != nil && f.Recv.Pos() <= pos && pos < f.Recv.End() {
			return d
		}
	}
	return nil
}

func (p *Package) importAt(pos token.Pos) *ast.ImportSpec {
	for _, f := range p.trees() {
		i := slices.IndexFunc(f.Imports, func(s *ast.ImportSpec) bool { return s.Pos() <= pos && pos < s.End() })
		if i >= 0 {
			return f.Imports[i]
		}
	}
	return nil
}

func (l *loader) typeError(p *node, te types.Error, d *Decl) {
	end, ours := p.wordEnd(te.Pos)
	// The type checker finds one cycle, and only if nothing else is wrong. Those who walk types report each.
	if !ours || strings.HasPrefix(te.Msg, "instantiation cycle") {
		return
	}
	g := diag.New("MCP805", diag.PosOf(l.fset, te.Pos, end), "%s", te.Msg)
	if name, ok := strings.CutPrefix(te.Msg, "undefined: "); ok && p.Types != nil {
		if near := directive.Nearest(name, p.Types.Scope().Names()); near != "" {
			g.Fix = fmt.Sprintf("did you mean `%s`?", near)
			hidden := slices.ContainsFunc(l.diags.Sorted(), Hides) // the name may be one that will be generated
			if near == directive.Meant(name, p.Types.Scope().Names()) && !hidden {
				g.Edits = []diag.Edit{diag.EditOf(l.fset, te.Pos, te.Pos+token.Pos(len(name)), near)}
			}
		}
	}
	if path, msg, ok := importFault(te.Msg); ok {
		if l.cycles.leadsInto(path) {
			return // the cycle is the fault
		}
		g.Message = fmt.Sprintf("import %q: %s", path, msg)
		g.Fix = l.remedy(path, msg)
	}
	if te.Pos < d.Pos() || d.Node.End() <= te.Pos {
		g.Related = []diag.Related{{Pos: diag.PosOf(l.fset, d.Ident.Pos(), d.Ident.End()),
			Message: fmt.Sprintf("needed by `%s`", d)}}
	}
	l.diags.Add(g)
}

// importFault takes apart the message of go/types about a failed import.
func importFault(msg string) (path, why string, ok bool) {
	rest, ok := strings.CutPrefix(msg, "could not import ")
	if !ok {
		return "", "", false
	}
	path, why, ok = strings.Cut(rest, " (")
	why, _, _ = strings.Cut(strings.TrimSuffix(why, ")"), "; to add it")
	return path, why, ok
}

// wordEnd returns where the identifier or string at pos ends; false if pos is in no file of the user.
func (p *Package) wordEnd(pos token.Pos) (token.Pos, bool) {
	for _, f := range p.Files {
		if end, ok := f.WordEnd(pos); ok {
			return end, true
		}
	}
	return token.NoPos, false
}
