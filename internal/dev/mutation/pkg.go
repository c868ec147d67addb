package main

import (
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
	imp   types.Importer
}

// openPackage reads a package and the export data of what it imports.
func openPackage(ctx context.Context, folder string) (*pkg, error) {
	dir, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	p := &pkg{dir: dir, fset: token.NewFileSet()}
	if p.src, err = os.ReadFile(p.path(generated)); err != nil {
		return nil, err
	}
	p.lines = strings.Split(string(p.src), "\n")
	if p.file, err = parser.ParseFile(p.fset, p.path(generated), p.src, parser.SkipObjectResolution); err != nil {
		return nil, err
	}
	return p, p.load(ctx)
}

func (p *pkg) path(name string) string { return filepath.Join(p.dir, name) }

// line is a line of the generated file without the white space around it.
func (p *pkg) line(number int) string { return strings.TrimSpace(p.lines[number-1]) }

// load asks the go command for the other files and for export data.
func (p *pkg) load(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "go", "list", "-export", "-deps", "-json=Dir,Export,ImportPath,GoFiles", ".")
	cmd.Dir, cmd.Stderr = p.dir, os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	exports := map[string]string{}
	for d := json.NewDecoder(strings.NewReader(string(text))); d.More(); {
		var item struct {
			Dir, Export, ImportPath string
			GoFiles                 []string
		}
		if err := d.Decode(&item); err != nil {
			return err
		}
		exports[item.ImportPath] = item.Export
		if item.Dir != p.dir {
			continue
		}
		for _, name := range item.GoFiles {
			if name == generated {
				continue
			}
			f, err := parser.ParseFile(p.fset, p.path(name), nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			p.rest = append(p.rest, f)
		}
	}
	p.imp = importer.ForCompiler(p.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	return nil
}

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
	conf := types.Config{Importer: p.imp, Error: func(err error) {
		var e types.Error
		if errors.As(err, &e) && !strings.Contains(e.Msg, "imported and not used") && complaint == "" {
			complaint = e.Msg
		}
	}}
	_, _ = conf.Check("p", p.fset, append([]*ast.File{f}, p.rest...), nil)
	return complaint
}
