package serverir

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// order sorts guards by their positions, and notes the files with directives.
func (b *packageBuilder) order() {
	place := map[string]int{}
	for i, d := range b.Pkg.Decls {
		place[d.Recv+"."+d.Name] = i
	}
	at := func(g ir.Guard) int {
		recv := ""
		if g.Recv != nil {
			recv = cmp.Or(g.Recv.Name, nameOfElem(g.Recv))
		}
		return place[recv+"."+g.Func]
	}
	slices.SortStableFunc(b.Output.Guards, func(x, y ir.Guard) int { return cmp.Compare(at(x), at(y)) })
	for _, d := range b.Pkg.Decls {
		b.Output.Sources = append(b.Output.Sources, filepath.Base(d.File.Path))
	}
	slices.Sort(b.Output.Sources)
	b.Output.Sources = slices.Compact(b.Output.Sources)
	b.declared()
}

// declared notes the names that the user's files declare, also files that only other builds and tests have. Imports of
// the output must not use them.
func (b *packageBuilder) declared() {
	if b.Pkg.Types == nil {
		return
	}
	scope := b.Pkg.Types.Scope()
	for _, name := range scope.Names() {
		if !b.Pkg.Generated(scope.Lookup(name)) {
			b.Output.Declared = append(b.Output.Declared, name)
		}
	}
	b.Output.Declared = append(b.Output.Declared, b.Pkg.DeclaredElsewhere()...)
	slices.Sort(b.Output.Declared)
	b.Output.Declared = slices.Compact(b.Output.Declared)
}

func nameOfElem(t *ir.GoType) string {
	if t.Elem != nil {
		return t.Elem.Name
	}
	return ""
}
