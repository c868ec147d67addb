// Package overlay lets the go command compile other texts in place of files of the checkout, and generates servers for
// tests so. Their packages lie below testdata, where "./..." does not find them.
package overlay

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/mcpgen/mcpgen/internal/gen"
)

// An Overlay has generated files in place of files that are not there.
type Overlay struct {
	Flag  string            // of the go command
	Files map[string][]byte // by their names in the checkout
}

// ReadFile returns the text of a file of the checkout, or what was generated in its place.
func (o *Overlay) ReadFile(name string) ([]byte, error) {
	if generated, ok := o.Files[name]; ok {
		return generated, nil
	}
	return os.ReadFile(name)
}

// Generate runs mcpgen over packages. Patterns are resolved in dir. What it makes is removed at the end of the test.
func Generate(t testing.TB, dir string, patterns ...string) *Overlay {
	t.Helper()
	r, err := gen.Packages(t.Context(), gen.Options{Dir: dir, Patterns: patterns, Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range r.Diags.Sorted() {
		t.Errorf("%v: %s", d.Pos, d.Message)
	}
	o := &Overlay{Files: map[string][]byte{}}
	for _, f := range r.Files {
		o.Files[f.Path] = f.Data
	}
	if o.Flag, err = Write(t.TempDir(), o.Files); err != nil {
		t.Fatal(err)
	}
	return o
}

// Write writes texts into a folder, with the list that puts each in the place of a file, and returns the flag of the go
// command. Names are absolute. A file without a text is not there.
func Write(dir string, files map[string][]byte) (flag string, err error) {
	replace := map[string]string{}
	for name, text := range files {
		if replace[name] = ""; text == nil {
			continue
		}
		replace[name] = filepath.Join(dir, strconv.Itoa(len(replace))+".go")
		if err := os.WriteFile(replace[name], text, 0o600); err != nil {
			return "", err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return "-overlay=" + name, os.WriteFile(name, list, 0o600)
}
