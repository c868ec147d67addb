package check

import (
	"fmt"
	"go/token"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/directive/nearmiss"
)

// Directive compares d with the table of directives, given the kind of declaration it stands
// on. It sets d.Def, d.Spec and d.Bad and adds what is wrong to out. Everything
// that could be read is in Spec even if something else is wrong.
func Directive(fset *token.FileSet, d *directive.Directive, on directive.Target, out *diag.List) {
	c := &checker{fset: fset, d: d, out: out, seen: map[*directive.Option]*directive.Arg{}}
	d.Def = directive.Lookup(d.Name)
	known := d.Def != nil
	if !known && !c.tail() {
		c.lexical()
		c.unknownName()
		return
	}
	d.Spec = d.Def.NewSpec()
	if !known || c.bracketed() {
		return
	}
	c.lexical()
	c.standsOn(on)
	c.args(len(d.Args) - len(c.positional()))
	c.required()
}

func (c *checker) unknownName() {
	if nearmiss.UpperName(c.fset, c.d.Pos, c.d.Source(), c.out) {
		c.d.Bad = true
		return
	}
	g := c.report("MCP103", c.d.NamePos, c.d.NameEnd(), "unknown directive `%s`", c.d.Name)
	nearmiss.WithChoices(g, c.d.Name)
	if meant := nearmiss.MeantName(c.d.Name); meant != "" && len(c.d.Faults) == 0 {
		g.Edits = []diag.Edit{diag.EditOf(c.fset, c.d.NamePos, c.d.NameEnd(), meant)}
		g.Becomes = []string{(&directive.Directive{Name: meant, Args: c.d.Args}).String()}
	}
	if of := optionOf(c.d.Name); g.Fix == "" && of != "" {
		g.Fix = "remove the line" + of
	}
	c.add(g)
}

// standsOn reports a directive on a declaration of another kind.
func (c *checker) standsOn(on directive.Target) {
	if c.d.Def.On&on == 0 {
		c.add(c.misplaced(on))
	}
}

func (c *checker) misplaced(on directive.Target) *diag.Diagnostic {
	name := c.d.Def.Name
	article := "a"
	if on == directive.OnImport || on == directive.OnMember {
		article = "an"
	}
	d := c.report("MCP108", c.d.Pos, c.d.End, "`%s` cannot stand on %s %s; it goes on a %s", name, article, on, c.d.Def.On)
	switch on {
	case directive.OnGroup:
		d.Fix = "put it above one declaration of the group, each name on a line of its own"
	case directive.OnMember:
		d.Fix = "move it to the method of a type that implements the interface"
	case directive.OnPackage:
		d.Fix = "move it into the doc comment of the declaration"
	default:
		d.Fix = fmt.Sprintf("move it to a %s", c.d.Def.On)
	}
	return d
}
