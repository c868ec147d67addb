package load

import (
	"go/ast"
	"go/token"
)

// FieldAt returns the field of a struct that the types package says is at pos: where its name is, or that of the type
// that it embeds. The first call walks the package. It is not safe for concurrent use.
func (p *Package) FieldAt(pos token.Pos) *ast.Field {
	if p.fields == nil {
		p.fields = map[token.Pos]*ast.Field{}
		for _, file := range p.Files {
			ast.Inspect(file.AST, func(n ast.Node) bool {
				if s, ok := n.(*ast.StructType); ok {
					p.addFields(s)
				}
				return true
			})
		}
	}
	return p.fields[pos]
}

func (p *Package) addFields(s *ast.StructType) {
	for _, f := range s.Fields.List {
		for _, name := range fieldNames(f) {
			p.fields[name.Pos()] = f
		}
	}
}
