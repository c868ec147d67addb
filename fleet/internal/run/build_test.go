package run

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
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
func TestChangesFitTheSources(t *testing.T) {
	dir := t.TempDir()
	for name, changes := range map[string][]fleet.Change{"quick": fleet.Quick(), "brief": fleet.Brief()} {
		if _, err := fleet.Overlay(dir, fleet.Variant{Name: name, Changes: changes}); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Errorf("no files, %v", err)
	}
	for _, file := range files {
		if _, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.AllErrors); err != nil {
			t.Error(err)
		}
	}
}
