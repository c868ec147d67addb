package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mcpgen/mcpgen/internal/dev/overlay"
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
	folder, err := filepath.Abs(filepath.Join(t.root, "generated", "protocol"))
	if err != nil {
		return []string{err.Error()}
	}
	committed, err := filepath.Glob(filepath.Join(folder, "*_gen.go"))
	if err != nil {
		return []string{err.Error()}
	}
	texts := map[string][]byte{}
	for _, name := range committed {
		texts[name] = nil // gone, unless it is among the files
	}
	for _, f := range files {
		texts[filepath.Join(folder, f.Path)] = f.Data
	}
	flag, err := overlay.Write(dir, texts)
	if err != nil {
		return []string{err.Error()}
	}
	r, err := gen.Packages(ctx, gen.Options{Dir: t.root, Patterns: []string{"./golden/..."},
		Env: []string{"GOWORK=off", "GOFLAGS=-trimpath " + flag}})
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
