package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// generated is the name of the files that are changed.
const generated = "mcp_gen.go"

// pkg is a package with a generated file.
type pkg struct {
	dir   string // absolute
	src   []byte // the generated file
	lines []string
	fset  *token.FileSet
	file  *ast.File
	rest  []*ast.File // the files that are not generated
	// imports are by their paths.
	imports map[string]*types.Package
}

// openPackage loads a package.
func openPackage(ctx context.Context, folder string) (*pkg, error) {
	dir, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	list, err := packages.Load(&packages.Config{Context: ctx, Dir: dir, Mode: packages.NeedName | packages.NeedFiles |
		packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedSyntax | packages.NeedTypes}, ".")
	if err != nil {
		return nil, err
	}
	if packages.PrintErrors(list) > 0 || len(list) != 1 {
		return nil, fmt.Errorf("%s does not build", folder)
	}
	p := &pkg{dir: dir, fset: list[0].Fset, imports: map[string]*types.Package{}}
	if p.src, err = os.ReadFile(p.path(generated)); err != nil {
		return nil, err
	}
	p.lines = strings.Split(string(p.src), "\n")
	for _, f := range list[0].Syntax {
		if p.fset.Position(f.Package).Filename == p.path(generated) {
			p.file = f
		} else {
			p.rest = append(p.rest, f)
		}
	}
	for _, imported := range list[0].Types.Imports() {
		p.imports[imported.Path()] = imported
	}
	return p, nil
}

// Import implements types.Importer.
func (p *pkg) Import(path string) (*types.Package, error) {
	if imported := p.imports[path]; imported != nil {
		return imported, nil
	}
	return nil, fmt.Errorf("%s is not imported", path)
}

func (p *pkg) path(name string) string { return filepath.Join(p.dir, name) }

// line is a line of the generated file without the white space around it.
func (p *pkg) line(number int) string { return strings.TrimSpace(p.lines[number-1]) }

// changed is the generated file as a mutant has it.
func (p *pkg) changed(m *mutant) []byte { return apply(p.src, 0, len(p.src), m.edits) }

// compile returns what the compiler says about a mutant, "" if it has nothing against it. That an import is not used
// any more is not held against a mutant: it says nothing about the line.
func (p *pkg) compile(m *mutant) string {
	f, err := parser.ParseFile(p.fset, generated, p.changed(m), parser.SkipObjectResolution)
	if err != nil {
		return err.Error()
	}
	complaint := ""
	conf := types.Config{Importer: p, Error: func(err error) {
		var e types.Error
		if errors.As(err, &e) && !strings.Contains(e.Msg, "imported and not used") && complaint == "" {
			complaint = e.Msg
		}
	}}
	_, _ = conf.Check("p", p.fset, append([]*ast.File{f}, p.rest...), nil)
	return complaint
}
