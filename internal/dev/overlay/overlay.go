// Package overlay generates servers for tests without writing into the checkout. Their packages lie below testdata,
// where "./..." does not find them.
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
	// Flag is the flag of the go command, and Files says for each name in the checkout where the text is.
	Flag  string
	Files map[string]string
}

// ReadFile returns the text of a file of the checkout, or what was generated in its place.
func (o *Overlay) ReadFile(name string) ([]byte, error) {
	if generated, ok := o.Files[name]; ok {
		name = generated
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
	temp := t.TempDir()
	o := &Overlay{Flag: "-overlay=" + filepath.Join(temp, "overlay.json"), Files: map[string]string{}}
	for i, f := range r.Files {
		name := filepath.Join(temp, strconv.Itoa(i)+".go")
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		o.Files[f.Path] = name
	}
	text, err := json.Marshal(map[string]any{"Replace": o.Files})
	if err == nil {
		err = os.WriteFile(filepath.Join(temp, "overlay.json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}
