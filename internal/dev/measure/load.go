package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// listed is a package as go list describes it.
type listed struct {
	ImportPath, Name, Dir, Export string
	GoFiles, CgoFiles             []string
	IgnoredGoFiles                []string
	TestGoFiles, XTestGoFiles     []string
	DepOnly                       bool
	Module                        *struct {
		Path string
		Main bool
	}
	relative string // import path within the module
}

// fields are those of listed that go list prints.
const fields = "ImportPath,Name,Dir,Export,GoFiles,CgoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles,DepOnly,Module"

// list runs go list for the packages of the module in dir, their dependencies included.
func list(dir string, patterns []string) ([]listed, error) {
	args := append([]string{"list", "-e", "-export", "-deps",
		"-json=" + fields, "--"}, patterns...)
	cmd := exec.CommandContext(context.Background(), "go", args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	var pkgs []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return pkgs, nil
		case err != nil:
			return nil, err
		}
		p.relative = p.ImportPath
		if p.Module != nil && p.Module.Main {
			p.relative = strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, p.Module.Path), "/")
		}
		if p.relative == "" {
			p.relative = "."
		}
		pkgs = append(pkgs, p)
	}
}

// file is a Go file written by hand that is no test.
type file struct {
	name string
	text []byte
	tree *ast.File
}

// pkg is a package whose files are parsed.
type pkg struct {
	listed
	fset    *token.FileSet
	files   []file // by hand, files for other systems included
	built   []*ast.File
	byHand  map[*ast.File]int // of built, what a person wrote: place in names
	names   []string
	lines   []int             // of the files in names
	exports map[string]string // import path → file of export data
	types   *types.Package    // these two are of check
	info    *types.Info
}

func (p *pkg) parse() error {
	p.fset = token.NewFileSet()
	p.byHand = make(map[*ast.File]int)
	for i, group := range [][]string{p.GoFiles, p.CgoFiles, p.IgnoredGoFiles} {
		for _, name := range group {
			if strings.HasSuffix(name, "_test.go") { // for another system
				continue
			}
			if err := p.add(name, i < 2); err != nil {
				return err
			}
		}
	}
	return nil
}

// add parses one file; built says whether the go command compiles it into the package on this system.
func (p *pkg) add(name string, built bool) error {
	text, err := os.ReadFile(filepath.Join(p.Dir, name))
	if err != nil {
		return err
	}
	tree, err := parser.ParseFile(p.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if built {
		p.built = append(p.built, tree)
	}
	if ast.IsGenerated(tree) {
		return nil
	}
	if built {
		p.byHand[tree] = len(p.names)
		p.names = append(p.names, name)
		p.lines = append(p.lines, bytes.Count(text, []byte("\n")))
	}
	p.files = append(p.files, file{name: name, text: text, tree: tree})
	return nil
}

// check resolves the identifiers of the files that are built. Errors of the type checker leave identifiers unresolved.
func (p *pkg) check() {
	p.info = &types.Info{
		Uses: make(map[*ast.Ident]types.Object), Defs: make(map[*ast.Ident]types.Object),
		Selections: make(map[*ast.SelectorExpr]*types.Selection),
	}
	conf := types.Config{
		Error: func(error) {},
		Importer: importer.ForCompiler(p.fset, "gc", func(path string) (io.ReadCloser, error) {
			if p.exports[path] == "" {
				return nil, fmt.Errorf("no export data of %s", path)
			}
			return os.Open(p.exports[path])
		}),
	}
	p.types, _ = conf.Check(p.ImportPath, p.fset, p.built, p.info) // conf.Error has seen the error
}
