package gen

import (
	"errors"
	"io/fs"
	"os"
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
	output, test string
	hasTest      bool
	ir           *ir.GoPackage
}

// buildAll turns each package into IR, dependencies first.
func buildAll(loaded *load.Result, diags *diag.List) []builtPackage {
	var out []builtPackage
	for _, pkg := range loaded.Packages {
		p := serverir.Features(loaded, pkg, diags)
		if !pkg.Vocabulary() {
			out = append(out, builtPackage{pkg.Output(), pkg.Test(), pkg.HasTest(), p})
		}
	}
	return out
}

// emitAll renders packages in parallel and returns their files in order.
func emitAll(built []builtPackage, tests bool) ([]output.File, error) {
	files, faults := make([]output.File, len(built)), make([]error, len(built))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for i, p := range built {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			data, err := templates.EmitPackage(p.ir)
			files[i], faults[i] = output.File{Path: p.output, Data: data, Plain: replaceable(p.output)}, err
		})
	}
	group.Wait()
	checks, err := emitTests(built, tests)
	return slices.Concat(files, checks), errors.Join(errors.Join(faults...), err)
}

// emitTests renders the tests of packages that have one, or of all.
func emitTests(built []builtPackage, all bool) (files []output.File, err error) {
	for _, p := range built {
		if !all && !p.hasTest {
			continue
		}
		data, fault := templates.EmitPackageTest(p.ir)
		files = append(files, output.File{Path: p.test, Data: data, Plain: replaceable(p.test)})
		err = errors.Join(err, fault)
	}
	return files, err
}

// replaceable reports whether a file is an output of ours whose header is damaged, so that it may be
// written over although it does not look like ours.
func replaceable(path string) bool {
	old, err := os.ReadFile(path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && source.IsOurs(old)
}
