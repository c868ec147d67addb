package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// The limits of the house style.
const (
	maxFileLines = 400
	maxFuncLines = 60
	maxColumns   = 120
)

// figures are what is measured of one package. Tests count only in the last three.
type figures struct {
	path     string // within the module
	name     string // of the package, if that of the folder is another
	files    int
	lines    int
	graph    *graph
	methods  int // of the type that has the most
	exported int // package-level names

	longFiles, longFuncs, longLines int
	long                            []string // file:line of each of these
}

// measure returns the figures of the packages that match the patterns in the module at dir, by path.
func measure(dir string, patterns ...string) ([]figures, error) {
	pkgs, err := list(dir, patterns)
	if err != nil {
		return nil, err
	}
	exports := make(map[string]string)
	for _, p := range pkgs {
		exports[p.ImportPath] = p.Export
	}
	var all []figures
	for _, l := range pkgs {
		if l.DepOnly {
			continue
		}
		p := &pkg{listed: l, exports: exports}
		if err := p.parse(); err != nil {
			return nil, err
		}
		if len(p.files) > 0 {
			all = append(all, p.figures())
		}
	}
	byPath(all)
	return all, nil
}

func (p *pkg) figures() figures {
	f := figures{path: p.relative, graph: newGraph(p)}
	if p.Name != "main" && p.Name != "" && p.Name != folderName(p) {
		f.name = p.Name
	}
	methods := make(map[string]int)
	for _, file := range p.files {
		n := bytes.Count(file.text, []byte("\n"))
		if n > maxFileLines {
			f.longFiles++
			f.long = append(f.long, p.at(file, n))
		}
		f.long, f.longLines = p.longLines(f.long, f.longLines, file)
		f.long, f.longFuncs = p.longFuncs(f.long, f.longFuncs, file)
		if file.test {
			continue
		}
		f.files++
		f.lines += n
		f.exported += exportedNames(file.tree, methods)
	}
	for _, n := range methods {
		f.methods = max(f.methods, n)
	}
	return f
}

// at returns the place of a line of f.
func (p *pkg) at(f file, line int) string {
	name := filepath.Base(p.fset.Position(f.tree.Package).Filename)
	return fmt.Sprintf("%s:%d", name, line)
}

// folderName is the last element of the package's import path that is no major version.
func folderName(p *pkg) string {
	base := path.Base(p.ImportPath)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		base = path.Base(path.Dir(p.ImportPath))
	}
	return base
}

// longLines adds to n, and to the places, the lines of more than maxColumns characters; a tab counts as one. Lines of
// tests most of which is one string do not count: messages stand on one line, as on the wire.
func (p *pkg) longLines(places []string, n int, f file) ([]string, int) {
	messages := make(map[int]bool)
	if f.test {
		messages = p.messages(f.tree)
	}
	line := 0
	for text := range bytes.Lines(f.text) {
		line++
		if utf8.RuneCount(bytes.TrimRight(text, "\r\n")) > maxColumns && !messages[line] {
			n++
			places = append(places, p.at(f, line))
		}
	}
	return places, n
}

// messages returns the lines on which a string takes at least half of maxColumns.
func (p *pkg) messages(f *ast.File) map[int]bool {
	lines := make(map[int]bool)
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			first := p.fset.Position(lit.Pos()).Line
			for i, part := range strings.Split(lit.Value, "\n") {
				if utf8.RuneCountInString(part) >= maxColumns/2 {
					lines[first+i] = true
				}
			}
		}
		return true
	})
	return lines
}

// longFuncs adds to n, and to the places, the functions of more than maxFuncLines lines.
func (p *pkg) longFuncs(places []string, n int, f file) ([]string, int) {
	for _, d := range f.tree.Decls {
		if d, ok := d.(*ast.FuncDecl); ok {
			first := p.fset.Position(d.Pos()).Line
			if p.fset.Position(d.End()).Line-first+1 > maxFuncLines {
				n++
				places = append(places, p.at(f, first))
			}
		}
	}
	return places, n
}

// exportedNames counts the exported package-level names of a file, and adds its methods to those of their types.
func exportedNames(f *ast.File, methods map[string]int) int {
	n := 0
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				methods[receiver(d.Recv.List[0].Type)]++
				continue
			}
			n += bit(d.Name.IsExported())
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				n += exportedIn(spec)
			}
		}
	}
	return n
}

func exportedIn(spec ast.Spec) int {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		return bit(spec.Name.IsExported())
	case *ast.ValueSpec:
		n := 0
		for _, id := range spec.Names {
			n += bit(id.IsExported())
		}
		return n
	}
	return 0
}

// receiver returns the name of the type of a method.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.ParenExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
