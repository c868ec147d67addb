package load

import (
	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/load/annotate"
)

// annotate attaches all directives, packages in order. A package with at least
// one directive is annotated.
func (l *loader) annotate() error {
	if err := l.annotateAll(l.order); err != nil {
		return err
	}
	return l.unlisted()
}

func (l *loader) annotateAll(list []*node) error {
	for _, p := range list {
		out := &l.diags
		if !p.Target {
			out = new(diag.List) // nobody asked about it
		}
		for _, f := range p.Files {
			if f.AST == nil {
				continue
			}
			p.Decls = append(p.Decls, annotate.Decls(l.fset, f, out)...)
		}
		if p.Target {
			if err := l.elsewhere(p); err != nil {
				return err
			}
		}
		if p.annotated() {
			annotate.Check(l.fset, p.Decls, out)
			annotate.ReadTexts(l.fset, p.Dir, p.Decls, out)
		}
	}
	return nil
}
