package load

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/marker"
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
			l.modifiersOnly(d, receivers[d.Name], out)
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
		g := diag.New("MCP111", diag.PosOf(l.fset, dir.VerbPos, dir.VerbEnd()),
			"`%s` makes a second feature of `%s`; one declaration makes one", dir.Verb, d)
		g.Related = []diag.Related{{Pos: diag.PosOf(l.fset, d.Primary.VerbPos, d.Primary.VerbEnd()), Message: "first"}}
		g.Fix = "remove one, or declare a second function that calls the first"
		switch {
		case dir.Verb == "resource" && d.Primary.Verb == "resource":
			g.Fix = "for a second address write `//mcp:alias uri=…`"
		case dir.Verb == "server" && d.Primary.Verb == "server":
			g.Message = "`server` is already in this comment; a second server of the package stands in a comment of its own"
			g.Fix = "move it to a comment of its own, with an empty line around"
		}
		out.Add(g)
	}
}

// repeated finds a second line of a modifier that may stand only once, and a
// second line about the same variable.
func (l *loader) repeated(d *Decl, out *diag.List) {
	first := map[string]*marker.Directive{}
	for _, dir := range d.Directives {
		if dir.Def == nil || dir.Def.Primary {
			continue
		}
		id, what := dir.Verb, dir.Verb
		if dir.Def.Repeat {
			v, ok := dir.Spec.(*marker.Var)
			if !ok || v.Name.V == "" {
				continue
			}
			id, what = dir.Verb+" "+v.Name.V, dir.Verb+" "+v.Name.V
		}
		f := first[id]
		if f == nil {
			first[id] = dir
			continue
		}
		dir.Bad = true
		g := diag.New("MCP106", diag.PosOf(l.fset, dir.VerbPos, dir.VerbEnd()), "`%s` given twice", what)
		g.Related = []diag.Related{{Pos: diag.PosOf(l.fset, f.VerbPos, f.VerbEnd()), Message: "first"}}
		g.Fix = "join the two lines"
		out.Add(g)
	}
}

// modifiersOnly reports modifiers that refine nothing. An unknown or misplaced
// verb was probably the feature, so then nothing more is said.
func (l *loader) modifiersOnly(d *Decl, isReceiver bool, out *diag.List) {
	for _, dir := range d.Directives {
		if dir.Def == nil {
			return
		}
	}
	for _, dir := range d.Directives {
		onType := d.Kind == marker.OnStruct || d.Kind == marker.OnNamed
		if dir.Bad || onType && (isReceiver && dir.Def.Default || dir.Verb == "allow") {
			continue
		}
		g := diag.New("MCP111", diag.PosOf(l.fset, dir.VerbPos, dir.VerbEnd()), "`%s` refines nothing: `%s` has no feature verb", dir.Verb, d)
		g.Hint = "feature verbs: " + strings.Join(primaryVerbs(d.Kind), " ")
		g.Fix = "add the feature verb, or remove the line"
		if d.Kind == marker.OnPackage {
			g.Message = fmt.Sprintf("`%s` in a package comment needs a `server` directive in the same comment", dir.Verb)
			g.Fix = "add `//mcp:server name=…`, or move the line to one declaration"
		}
		dir.Bad = true
		out.Add(g)
	}
}

func primaryVerbs(on marker.Target) []string {
	var out []string
	for _, v := range marker.Verbs() {
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
