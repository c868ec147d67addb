package load

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
)

// place of a name in the files of a package that was not loaded from source. Export data has no columns.
type foreignName struct {
	file string
	line int
	name string
}

// foreignComments returns the comments of a declaration or a field of another module. It reads the source when it is
// first asked; if that cannot be read there are none.
func (r *Result) foreignComments(obj types.Object) comments {
	if obj.Pkg() == nil {
		return comments{}
	}
	p := r.all[obj.Pkg().Path()]
	if p == nil || p.listed.Standard || !obj.Pos().IsValid() {
		return comments{}
	}
	if p.foreign == nil {
		p.foreign = map[foreignName]comments{}
		p.readForeign()
	}
	pos := r.Fset.PositionFor(obj.Pos(), false)
	return p.foreign[foreignName{filepath.Base(pos.Filename), pos.Line, obj.Name()}]
}

// readForeign collects the comments of all declarations and fields of p.
func (p *node) readForeign() {
	for _, name := range p.listed.Built() {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		eachComment(file, func(id *ast.Ident, c comments) {
			at := fset.PositionFor(id.Pos(), false)
			p.foreign[foreignName{filepath.Base(at.Filename), at.Line, id.Name}] = c
		})
	}
}
