package load

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
)

// checkDecls applies the rules about several directives on one declaration and
// sets Decl.Primary.
func (l *loader) checkDecls(p *Package, out *diag.List) {
	receivers := map[string]bool{}
	for _, d := range p.Decls {
		if d.Recv != "" {
			receivers[d.Recv] = true
		}
	}
	for _, d := range p.Decls {
		l.onePrimary(d, out)
		l.repeated(d, out)
		if d.Primary == nil {
			l.refinementsOnly(d, receivers[d.Name], out)
		}
	}
}

func (l *loader) onePrimary(d *Decl, out *diag.List) {
	for _, dir := range d.Directives {
		if dir.Def == nil || !dir.Def.Primary {
			continue
		}
		if d.Primary == nil {
			d.Primary = dir
			continue
		}
		dir.Bad = true
		g := diag.New("MCP111", diag.PosOf(l.fset, dir.NamePos, dir.NameEnd()),
			"`%s` makes a second feature of `%s`; one declaration makes one", dir.Name, d)
		g.Related = []diag.Related{{Pos: diag.PosOf(l.fset, d.Primary.NamePos, d.Primary.NameEnd()), Message: "first"}}
		g.Fix = "remove one, or declare a second function that calls the first"
		switch {
		case dir.Name == "resource" && d.Primary.Name == "resource":
			g.Fix = "for a second address write `//mcp:alias uri=…`"
		case dir.Name == "server" && d.Primary.Name == "server":
			g.Message = "`server` is already in this comment; a second server of the package stands in a comment of its own"
			g.Fix = "move it to a comment of its own, with an empty line around"
		}
		out.Add(g)
	}
}

// repeated finds a second line of a refining directive that may stand only once, and a
// second line about the same variable.
func (l *loader) repeated(d *Decl, out *diag.List) {
	first := map[string]*directive.Directive{}
	for _, dir := range d.Directives {
		if dir.Def == nil || dir.Def.Primary {
			continue
		}
		id, what := dir.Name, dir.Name
		if dir.Def.Repeat {
			v, ok := dir.Spec.(*directive.Var)
			if !ok || v.Name.V == "" {
				continue
			}
			id, what = dir.Name+" "+v.Name.V, dir.Name+" "+v.Name.V
		}
		f := first[id]
		if f == nil {
			first[id] = dir
			continue
		}
		dir.Bad = true
		g := diag.New("MCP106", diag.PosOf(l.fset, dir.NamePos, dir.NameEnd()), "`%s` given twice", what)
		g.Related = []diag.Related{{Pos: diag.PosOf(l.fset, f.NamePos, f.NameEnd()), Message: "first"}}
		g.Fix = "join the two lines"
		out.Add(g)
	}
}

// refinementsOnly reports directives that refine nothing. An unknown or misplaced
// directive was probably the feature, so then nothing more is said.
func (l *loader) refinementsOnly(d *Decl, isReceiver bool, out *diag.List) {
	for _, dir := range d.Directives {
		if dir.Def == nil {
			return
		}
	}
	for _, dir := range d.Directives {
		onType := d.Kind == directive.OnStruct || d.Kind == directive.OnNamed
		if dir.Bad || onType && (isReceiver && dir.Def.Default || dir.Name == "allow") {
			continue
		}
		g := diag.New("MCP111", diag.PosOf(l.fset, dir.NamePos, dir.NameEnd()), "`%s` refines nothing: `%s` has no feature directive", dir.Name, d)
		g.Hint = "feature directives: " + strings.Join(featureNames(d.Kind), " ")
		g.Fix = "add the feature directive, or remove the line"
		if d.Kind == directive.OnPackage {
			g.Message = fmt.Sprintf("`%s` in a package comment needs a `server` directive in the same comment", dir.Name)
			g.Fix = "add `//mcp:server name=…`, or move the line to one declaration"
		}
		dir.Bad = true
		out.Add(g)
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

// readTexts fills texts written as @path. The directory is opened as a root, so
// that not even a symbolic link can lead outside.
func (l *loader) readTexts(p *Package, out *diag.List) {
	for _, d := range p.Decls {
		for _, dir := range d.Directives {
			for _, t := range dir.Texts() {
				text, err := readText(p.Dir, t.File)
				if err == nil {
					t.V = text
					continue
				}
				dir.Bad = true
				g := diag.New("MCP112", diag.PosOf(l.fset, t.Arg.ValuePos(), t.Arg.ValueEnd()), "cannot use `@%s`: %v", t.File, err)
				g.Fix = "name a text file inside the package"
				out.Add(g)
			}
		}
	}
}

// readText returns the file with line ends as on Unix and without the last one,
// so that a checkout on another system gives the same output.
func readText(dir, file string) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", plain(err)
	}
	defer root.Close()
	raw, err := root.ReadFile(file)
	if err != nil {
		return "", plain(err)
	}
	if !utf8.Valid(raw) {
		return "", errors.New("it is not UTF-8 text")
	}
	return strings.TrimRight(strings.ReplaceAll(string(raw), "\r\n", "\n"), "\n"), nil
}

// plain drops from an error what differs between machines.
func plain(err error) error {
	var pe *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such file in the package")
	case errors.As(err, &pe):
		return pe.Err
	}
	return err
}
