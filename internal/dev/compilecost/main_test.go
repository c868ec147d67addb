package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/dev/modcache"
	"github.com/mcpgen/mcpgen/internal/gen"
)

// generated generates a package of n declarations and returns its files, and what was allocated for each declaration
// in this process, to which the go command does not belong.
func generated(t *testing.T, n int) (files map[string][]byte, perDecl float64) {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if err := modcache.Fill(root); err != nil {
		t.Fatal(err)
	}
	dir, name := t.TempDir(), "mix"+strconv.Itoa(n)
	if err := writeModule(dir, root); err != nil {
		t.Fatal(err)
	}
	if err := writeMix(filepath.Join(dir, name), name, n); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := gen.Packages(t.Context(), gen.Options{
		Dir: dir, Patterns: []string{"./" + name},
		Env: []string{"GOFLAGS=-mod=mod -ldflags=-w", "GOWORK=off", "GOPROXY=off"}})
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if r.Diags.HasErrors() || len(r.Files) == 0 {
		t.Fatalf("nothing generated: %v", r.Diags.Sorted())
	}
	files = map[string][]byte{}
	for _, f := range r.Files {
		files[filepath.Base(f.Path)] = f.Data
	}
	return files, float64(after.Mallocs-before.Mallocs) / float64(n)
}

// longest are the statements in the largest function of each name, without the numbers in names.
func longest(t *testing.T, files map[string][]byte) map[string]int {
	t.Helper()
	out := map[string]int{}
	for file, src := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range tree.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n := 0
			ast.Inspect(fn, func(x ast.Node) bool {
				if _, ok := x.(ast.Stmt); ok {
					n++
				}
				return true
			})
			name := strings.Trim(digits.ReplaceAllString(fn.Name.Name, "0"), "0")
			out[name] = max(out[name], n)
		}
	}
	return out
}

var digits = regexp.MustCompile(`[0-9]+`)

// TestNoFunctionGrows: what the compiler needs for a function grows faster than the function, so no function of the
// output may grow with the package, except by a call of another one for each 150 declarations.
func TestNoFunctionGrows(t *testing.T) {
	small, _ := generated(t, 1000)
	large, _ := generated(t, 3000)
	before := longest(t, small)
	for fn, n := range longest(t, large) {
		if n > before[fn]+(3000-1000)/150 {
			t.Errorf("%s has %d statements of 1,000 declarations, %d of 3,000", fn, before[fn], n)
		}
	}
	if len(before) < 10 {
		t.Errorf("only %d kinds of functions", len(before))
	}
}

// TestAllocationsAreLinear: what the generator allocates for one declaration does not grow with the package. Unlike
// times, allocations do not depend on what else the machine does.
func TestAllocationsAreLinear(t *testing.T) {
	_, small := generated(t, 1000)
	_, large := generated(t, 4000)
	if large > 1.1*small {
		t.Errorf("%.0f allocations for each of 1,000 declarations, %.0f for each of 4,000", small, large)
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	if err := writeMix(dir, "p", 2*perFile); err != nil {
		t.Fatal(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 2 {
		t.Errorf("%d declarations are in %d files, want 2 (%v)", 2*perFile, len(files), err)
	}
}
