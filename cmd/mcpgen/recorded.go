package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/mcpgen/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/internal/protocolgen"
)

const (
	// comparer reads and writes the recorded messages with the codecs that it is compiled with. It is a program of its
	// own: this one must run while they do not compile.
	comparer = "internal/recorded/compare"
	// nothingCompared is said where it cannot run.
	nothingCompared = "mcpgen protocol: nothing was compared with the recorded messages of older revisions: %s\n"
)

// compare lets the codecs of the given files treat the recorded messages, before the files are placed. They must do
// with each message what was recorded, else it returns errReported. With accept the record changes.
func (p *protocolTask) compare(s *streams, files []output.File) error {
	if len(p.Schemas)+len(p.Extensions) > 0 {
		fmt.Fprintf(s.stderr, nothingCompared, "they are those of the committed schemas")
		return nil
	}
	root, err := protocolgen.Checkout(p.Dir)
	if err != nil {
		return err
	}
	if root == "" || p.Package != "protocol" {
		fmt.Fprintf(s.stderr, nothingCompared, p.Dir+" is not generated/protocol of a checkout of mcpgen")
		return nil
	}
	dir, err := os.MkdirTemp("", "mcpgen-compare")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	overlay, err := overlayOf(dir, root, files)
	if err != nil {
		return err
	}
	args := []string{"run", "-overlay", overlay, "./" + comparer}
	if p.accept {
		args = append(args, "-accept")
	}
	cmd := exec.CommandContext(context.Background(), "go", args...)
	cmd.Dir = root
	var errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = s.stderr, &errs
	if err := cmd.Run(); err != nil {
		fmt.Fprintf(s.stderr, "%smcpgen protocol: nothing was written: %v\n", errs.Bytes(), err)
		return errReported
	}
	return nil
}

// overlayOf writes an overlay that has the table of codecs, and the files in place of those on the disk. It returns the
// name of the overlay.
func overlayOf(dir, root string, files []output.File) (string, error) {
	table, err := protocolgen.CodecTable()
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	put := func(path string, data []byte) error {
		path, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		replace[path] = filepath.Join(dir, fmt.Sprintf("%d.go", len(replace)))
		return os.WriteFile(replace[path], data, 0o600)
	}
	if err := put(filepath.Join(root, filepath.FromSlash(comparer), "table.go"), table); err != nil {
		return "", err
	}
	folders := map[string]bool{}
	for _, f := range files {
		folders[filepath.Dir(f.Path)] = true
		if err := put(f.Path, f.Data); err != nil {
			return "", err
		}
	}
	for folder := range folders {
		old, err := filepath.Glob(filepath.Join(folder, "*_gen.go"))
		if err != nil {
			return "", err
		}
		for _, name := range old {
			if name, err = filepath.Abs(name); err == nil && replace[name] == "" {
				replace[name] = "" // this one goes
			}
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, text, 0o600)
}
