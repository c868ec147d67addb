package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// loaded are the fields of a package that are needed.
const loaded = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
	packages.NeedModule | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo

// pkg is a package and what people wrote of it: no tests, no generated files. Errors of the type checker leave
// identifiers unresolved.
type pkg struct {
	*packages.Package
	relative string      // import path within the module
	files    []*ast.File // files for other systems included
	// byHand has the place in names of files that are built on this system.
	byHand map[*ast.File]int
	names  []string
	lines  []int // of the files in names
}

func newPkg(l *packages.Package) (*pkg, error) {
	p := &pkg{Package: l, relative: l.PkgPath, byHand: make(map[*ast.File]int)}
	if l.Module != nil && l.Module.Main {
		p.relative = strings.TrimPrefix(strings.TrimPrefix(l.PkgPath, l.Module.Path), "/")
	}
	if p.relative == "" {
		p.relative = "."
	}
	for _, file := range l.Syntax {
		if ast.IsGenerated(file) {
			continue
		}
		p.files = append(p.files, file)
		p.byHand[file] = len(p.names)
		p.names = append(p.names, filepath.Base(p.source(file).Name()))
		p.lines = append(p.lines, p.source(file).LineCount())
	}
	for _, name := range l.IgnoredFiles {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(p.Fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		if !ast.IsGenerated(file) {
			p.files = append(p.files, file)
		}
	}
	return p, nil
}

func (p *pkg) source(f *ast.File) *token.File { return p.Fset.File(f.FileStart) }
