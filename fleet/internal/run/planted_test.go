package run

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/fleet/internal/fleet"
)

// TestMain runs the tests in the folder of the module, as its programs run.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	m.Run()
}

// The text of each change that a build makes stands in the sources exactly once, and what it makes of them is Go.
// Whether the harness finds a planted bug is seen by make fleet.
func TestChangesFitTheSources(t *testing.T) {
	variants := []fleet.Variant{{Name: "replica", Changes: slices.Concat(fleet.Skewed(), fleet.Hurried())}}
	for _, bug := range Bugs(3) {
		variants = append(variants, bug.Variant)
	}
	for _, v := range variants {
		dir := t.TempDir()
		if _, err := fleet.Overlay(dir, v); err != nil {
			t.Errorf("%s: %v", v.Name, err)
			continue
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 && len(v.Changes) > 0 {
			t.Errorf("%s: no files, %v", v.Name, err)
		}
		for _, file := range files {
			if _, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.AllErrors); err != nil {
				t.Errorf("%s: %v", v.Name, err)
			}
		}
	}
}
