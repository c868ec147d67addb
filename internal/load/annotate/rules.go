package annotate

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
)

// rules checks the directives on one declaration together.
type rules struct {
	fset *token.FileSet
	out  *diag.List
}

// Check checks the directives on each declaration of a package together, and sets Decl.Primary.
func Check(fset *token.FileSet, decls []*Decl, out *diag.List) {
	r := &rules{fset, out}
	receivers := map[string]bool{}
	for _, d := range decls {
		if d.Recv != "" {
			receivers[d.Recv] = true
		}
	}
	for _, d := range decls {
		r.onePrimary(d)
		r.repeated(d)
		if d.Primary == nil {
			r.refinementsOnly(d, receivers[d.Name])
		}
	}
}

func (r *rules) onePrimary(d *Decl) {
	for _, dir := range d.Directives {
		if dir.Def == nil || !dir.Def.Primary {
			continue
		}
		if d.Primary == nil {
			d.Primary = dir
			continue
		}
		dir.Bad = true
		g := diag.New("MCP111", diag.PosOf(r.fset, dir.NamePos, dir.NameEnd()),
			"`%s` makes a second feature of `%s`; one declaration makes one", dir.Name, d)
		g.Related = []diag.Related{{Pos: diag.PosOf(r.fset, d.Primary.NamePos, d.Primary.NameEnd()), Message: "first"}}
		g.Fix = "remove one, or declare a second function that calls the first"
		switch {
		case dir.Name == "resource" && d.Primary.Name == "resource" && d.Kind == directive.OnStruct:
			g.Fix = "for a second URI write a method that returns the struct"
		case dir.Name == "resource" && d.Primary.Name == "resource":
			g.Fix = "for a second URI write `//mcp:alias uri=…`"
		case dir.Name == "server" && d.Primary.Name == "server":
			g.Message = "`server` is already in this comment; a second server of the package stands in a comment of its own"
			g.Fix = "move it to a comment of its own, with an empty line around"
		}
		r.out.Add(g)
	}
}

// repeated finds a second line of a refining directive that may stand only once, and a
// second line about the same variable.
func (r *rules) repeated(d *Decl) {
	first := map[string]*directive.Directive{}
	for _, dir := range d.Directives {
		if dir.Def == nil || dir.Def.Primary {
			continue
		}
		what := dir.Name
		if dir.Def.Repeat {
			v, ok := dir.Spec.(*directive.Var)
			if !ok || v.Name.V == "" {
				continue
			}
			what += " " + v.Name.V
		}
		f := first[what]
		if f == nil {
			first[what] = dir
			continue
		}
		dir.Bad = true
		g := diag.New("MCP106", diag.PosOf(r.fset, dir.NamePos, dir.NameEnd()), "`%s` given twice", what)
		g.Related = []diag.Related{{Pos: diag.PosOf(r.fset, f.NamePos, f.NameEnd()), Message: "first"}}
		g.Fix = "join the two lines"
		r.out.Add(g)
	}
}

// refinementsOnly reports directives that refine nothing. An unknown or misplaced
// directive was probably the feature, so then nothing more is said.
func (r *rules) refinementsOnly(d *Decl, isReceiver bool) {
	if slices.ContainsFunc(d.Directives, func(dir *directive.Directive) bool { return dir.Def == nil }) {
		return
	}
	for _, dir := range d.Directives {
		onType := d.Kind == directive.OnStruct || d.Kind == directive.OnNamed
		if dir.Bad || onType && (isReceiver && dir.Def.Default || dir.Name == "allow") {
			continue
		}
		g := diag.New("MCP111", diag.PosOf(r.fset, dir.NamePos, dir.NameEnd()),
			"`%s` refines nothing: `%s` has no feature directive", dir.Name, d)
		g.Hint = "feature directives: " + strings.Join(featureNames(d.Kind), " ")
		g.Fix = "add the feature directive, or remove the line"
		if d.Kind == directive.OnPackage {
			g.Message = fmt.Sprintf("`%s` in a package comment needs a `server` directive in the same comment", dir.Name)
			g.Fix = "add `//mcp:server name=…`, or move the line to one declaration"
		}
		dir.Bad = true
		r.out.Add(g)
	}
}

func featureNames(on directive.Target) []string {
	var out []string
	for _, v := range directive.Definitions() {
		if v.Primary && v.On&on != 0 {
			out = append(out, v.Name)
		}
	}
	return out
}
