package main

import (
	"go/ast"
	"path"
	"strings"

	"golang.org/x/tools/go/packages"
)

// figures are what is measured of one package, without its tests.
type figures struct {
	path     string // within the module
	name     string // of the package, if that of the folder is another
	files    int
	lines    int
	knot     int // lines of the largest set of files that need each other
	graph    *graph
	owners   []owner // the types, by the number of functions that belong to them
	exported int     // package-level names
}

// measure returns the figures of the packages that match the patterns in the module at dir, by path.
func measure(dir string, patterns ...string) ([]figures, error) {
	list, err := packages.Load(&packages.Config{Mode: loaded, Dir: dir}, patterns...)
	if err != nil {
		return nil, err
	}
	var all []figures
	for _, l := range list {
		p, err := newPkg(l)
		if err != nil {
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
	f := figures{path: p.relative, graph: newGraph(p), owners: p.owners()}
	if p.Name != "main" && p.Name != "" && p.Name != folderName(p) {
		f.name = p.Name
	}
	for _, file := range p.files {
		f.files++
		f.lines += p.source(file).LineCount()
		f.exported += exportedNames(file)
	}
	f.knot = f.graph.knot(p.lines)
	return f
}

// functions is how many functions belong to the type that has the most.
func (f figures) functions() int {
	if len(f.owners) == 0 {
		return 0
	}
	return f.owners[0].functions
}

// folderName is the last element of the package's import path that is no major version.
func folderName(p *pkg) string {
	base := path.Base(p.PkgPath)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		base = path.Base(path.Dir(p.PkgPath))
	}
	return base
}

// exportedNames counts the exported package-level names of a file.
func exportedNames(f *ast.File) int {
	n := 0
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			n += bit(d.Recv == nil && d.Name.IsExported())
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
