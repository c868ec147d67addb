package gen

import (
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/load/source"
	"github.com/mcpgen/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/internal/serverir"
	"github.com/mcpgen/mcpgen/templates"
)

// builtPackage is a package between build and emit.
type builtPackage struct {
	*load.Package
	ir *ir.GoPackage
}

// buildAll turns each package into IR, dependencies first.
func buildAll(loaded *load.Result, diags *diag.List) []builtPackage {
	var out []builtPackage
	for _, pkg := range loaded.Packages {
		p := serverir.Features(loaded, pkg, diags)
		if !pkg.Vocabulary() {
			out = append(out, builtPackage{pkg, p})
		}
	}
	return out
}

// emitAll renders packages in parallel and returns their files in order.
func emitAll(built []builtPackage, tests bool) ([]output.File, error) {
	files, faults := make([][]output.File, len(built)), make([]error, len(built))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for i, p := range built {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			parts, err := templates.EmitPackage(p.ir)
			for _, part := range parts {
				files[i] = append(files[i], outputFile(p.Output(part.Source), part.Data))
			}
			faults[i] = err
		})
	}
	group.Wait()
	checks, err := emitTests(built, tests)
	return slices.Concat(slices.Concat(files...), checks), errors.Join(errors.Join(faults...), err)
}

// emitTests renders the tests of packages that have one, or of all.
func emitTests(built []builtPackage, all bool) (files []output.File, err error) {
	for _, p := range built {
		if !all && !p.HasTest() {
			continue
		}
		data, fault := templates.EmitPackageTest(p.ir)
		files = append(files, outputFile(p.Test(), data))
		err = errors.Join(err, fault)
	}
	return files, err
}

// outputFile returns a file to write. It may replace a file that was one of our outputs and has a damaged header.
func outputFile(path string, data []byte) output.File {
	old, err := os.ReadFile(path)
	ours := errors.Is(err, fs.ErrNotExist) || err == nil && source.IsOurs(filepath.Base(path), old)
	return output.File{Path: path, Data: data, Plain: ours}
}

// orphans returns outputs of ours on disk that are not among files.
func orphans(outputs []string, files []output.File) []string {
	return slices.DeleteFunc(outputs, func(path string) bool {
		return slices.ContainsFunc(files, func(f output.File) bool { return f.Path == path })
	})
}

// foreign reports MCP812 for each of files in whose place the user has a file, which is not overwritten.
func foreign(files []output.File, diags *diag.List) {
	for _, f := range files {
		if f.Plain {
			continue
		}
		fset := token.NewFileSet()
		pos := diag.Pos{File: f.Path, Line: 1, Col: 1}
		if tree, _ := parser.ParseFile(fset, f.Path, nil, parser.PackageClauseOnly); tree != nil && tree.Name != nil {
			pos = diag.PosOf(fset, tree.Name.Pos(), tree.Name.End())
		}
		d := diag.New("MCP812", pos, "`%s` exists and was not written by mcpgen", filepath.Base(f.Path))
		d.Fix = "rename it, because generated code goes to a file of this name"
		diags.Add(d)
	}
}
