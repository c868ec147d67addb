package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mcpgen/mcpgen/internal/gen"
	"github.com/mcpgen/mcpgen/internal/output"
)

// servers generates the golden servers with these files in the place of the committed protocol package, which the go
// command compiles by way of an overlay. It lists the outputs that are not as committed, byte for byte.
func (t *tree) servers(ctx context.Context, files []output.File) (problems []string) {
	dir, err := os.MkdirTemp(t.tmp, "servers")
	if err != nil {
		return []string{err.Error()}
	}
	defer os.RemoveAll(dir)
	overlay, err := t.overlay(dir, files)
	if err != nil {
		return []string{err.Error()}
	}
	r, err := gen.Packages(ctx, gen.Options{Dir: t.root, Patterns: []string{"./golden/..."},
		Env: []string{"GOWORK=off", "GOFLAGS=-trimpath -overlay=" + overlay}})
	if err != nil {
		return []string{err.Error()}
	}
	for _, d := range r.Diags.Sorted() {
		problems = append(problems, fmt.Sprintf("%v: %s", d.Pos, d.Message))
	}
	for _, f := range r.Files {
		have, err := os.ReadFile(f.Path)
		if err != nil || !bytes.Equal(have, f.Data) {
			problems = append(problems, f.Path+" changes")
		}
	}
	if len(r.Files) == 0 {
		problems = append(problems, "no server was generated")
	}
	return problems
}

// overlay writes files and the overlay that has them in the place of the committed package. It returns the name of the
// overlay.
func (t *tree) overlay(dir string, files []output.File) (string, error) {
	folder, err := filepath.Abs(filepath.Join(t.root, "generated", "protocol"))
	if err != nil {
		return "", err
	}
	committed, err := filepath.Glob(filepath.Join(folder, "*_gen.go"))
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for _, name := range committed {
		replace[name] = "" // gone, unless it is among the files
	}
	for _, f := range files {
		name := filepath.Join(dir, f.Path)
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(folder, f.Path)] = name
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, text, 0o600)
}
