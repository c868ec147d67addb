package load

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
)

// place of a name in the files of a package that was not loaded from source. Export data has no columns.
type foreignName struct {
	file string
	line int
	name string
}

// foreignDocs are the comments of a declaration: above it, or else behind it, and only behind it.
type foreignDocs struct{ doc, label *ast.CommentGroup }

// foreignDoc returns the comments of a declaration or a field of another module. It reads the source when it is first
// asked; if that cannot be read there are none.
func (r *Result) foreignDoc(obj types.Object) foreignDocs {
	if obj.Pkg() == nil {
		return foreignDocs{}
	}
	p := r.all[obj.Pkg().Path()]
	if p == nil || p.listed.Standard || !obj.Pos().IsValid() {
		return foreignDocs{}
	}
	if p.foreign == nil {
		p.foreign = map[foreignName]foreignDocs{}
		p.readForeign()
	}
	pos := r.Fset.PositionFor(obj.Pos(), false)
	return p.foreign[foreignName{filepath.Base(pos.Filename), pos.Line, obj.Name()}]
}

// readForeign collects the comments of all declarations and fields of p.
func (p *node) readForeign() {
	for _, name := range slices.Concat(p.listed.GoFiles, p.listed.CgoFiles) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if file == nil || err != nil {
			continue
		}
		note := func(id *ast.Ident, doc, label *ast.CommentGroup) {
			if id != nil {
				at := fset.PositionFor(id.Pos(), false)
				p.foreign[foreignName{filepath.Base(at.Filename), at.Line, id.Name}] = foreignDocs{doc, label}
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BlockStmt:
				return false
			case *ast.Field:
				eachFieldName(n, func(id *ast.Ident) { note(id, firstOf(n.Doc, n.Comment), n.Comment) })
			case *ast.GenDecl:
				eachSpecName(n, note)
			}
			return true
		})
	}
}
