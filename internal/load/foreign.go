package load

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"

	"github.com/mcpgen/mcpgen/internal/directive"
)

// IsEnum reports whether an enum directive limits the named type tn to its constants.
func (r *Result) IsEnum(tn *types.TypeName) bool {
	p := r.PackageOf(tn)
	if p == nil {
		doc := r.foreignDoc(tn).doc
		return doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool { return c.Text == "//mcp:enum" })
	}
	if p.enums == nil {
		p.enums = map[types.Object]bool{}
		for _, d := range p.Decls {
			if d.Primary != nil && !d.Primary.Bad {
				_, enum := d.Primary.Spec.(*directive.EnumOf)
				p.enums[d.Obj] = p.enums[d.Obj] || enum
			}
		}
	}
	return p.enums[tn]
}

// place of a name in the files of a package that was not loaded from source. Export data has no columns.
type foreignName struct {
	file string
	line int
	name string
}

// foreignDocs are the comments of a declaration: above it, or else behind it, and only behind it.
type foreignDocs struct{ doc, label *ast.CommentGroup }

// foreignDoc returns the comments of a declaration or a field of another module. They are looked for in its source
// when they are first asked for; what cannot be read has none.
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
func (p *Package) readForeign() {
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

// firstOf returns the first comment that there is.
func firstOf(docs ...*ast.CommentGroup) *ast.CommentGroup {
	for _, d := range docs {
		if d != nil {
			return d
		}
	}
	return nil
}

// eachFieldName calls f for the names of a field; an embedded one is called like its type.
func eachFieldName(field *ast.Field, f func(*ast.Ident)) {
	if len(field.Names) == 0 {
		f(embeddedName(field.Type))
	}
	for _, id := range field.Names {
		f(id)
	}
}

// eachSpecName calls f for the names of a declaration with their comments.
func eachSpecName(gen *ast.GenDecl, f func(id *ast.Ident, doc, label *ast.CommentGroup)) {
	for _, spec := range gen.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			doc := s.Doc
			if doc == nil && len(gen.Specs) == 1 {
				doc = gen.Doc
			}
			f(s.Name, doc, s.Comment)
		case *ast.ValueSpec:
			for _, id := range s.Names {
				f(id, valueDoc(gen, s), s.Comment)
			}
		}
	}
}
