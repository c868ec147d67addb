package golist

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/load/source"
	"github.com/mcpgen/mcpgen/internal/scratch"
)

// unreadable reports whether broken output of ours kept the go command from
// seeing packages. It reports a file with a NUL byte as a missing package.
func unreadable(all []*Package) bool {
	return slices.ContainsFunc(all, func(p *Package) bool {
		return p.Error != nil && (strings.Contains(p.Error.Err, source.OutputName) ||
			strings.HasPrefix(p.Error.Err, "cannot find package"))
	})
}

// hideOutputs finds all output files of ours in the main modules and tells the
// go command, from now on, that they do not exist. It returns whether there are
// any. The walk is slow, so it is done only if the first listing went wrong.
func (c *Command) hideOutputs(ctx context.Context) (bool, error) {
	dirs, err := c.command(ctx, "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return false, nil // outside a module there is nothing to hide
	}
	c.hidden = map[string]string{}
	for dir := range strings.Lines(string(dirs)) {
		if err := c.findOutputs(strings.TrimSpace(dir)); err != nil {
			return false, err
		}
	}
	return len(c.hidden) > 0, nil
}

func (c *Command) findOutputs(root string) error {
	return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir
		}
		name := e.Name()
		if e.IsDir() && path != root && (name[0] == '.' || name[0] == '_' || name == "vendor" || name == "testdata") {
			return fs.SkipDir
		}
		if e.IsDir() || !source.MayBeOutput(name) {
			return nil
		}
		src, err := source.Read(path)
		if err != nil {
			return err
		}
		if source.IsOurs(name, src) {
			c.hidden[path] = ""
		}
		return nil
	})
}

// overlay writes the go command's overlay file and returns its flag and a
// function that removes the file; without hidden files the flag is "".
func (c *Command) overlay() (flag string, remove func(), err error) {
	if len(c.hidden) == 0 {
		return "", func() {}, nil
	}
	text, err := json.Marshal(map[string]any{"Replace": c.hidden})
	if err != nil {
		return "", nil, fmt.Errorf("load: %w", err)
	}
	scratch.Sweep("")
	dir, err := scratch.MkdirTemp("", "mcpgen-overlay")
	if err != nil {
		return "", nil, fmt.Errorf("load: %w", err)
	}
	remove = func() { _ = dir.Remove() }
	file := filepath.Join(dir.Path, "overlay.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		remove()
		return "", nil, fmt.Errorf("load: %w", err)
	}
	return "-overlay=" + file, remove, nil
}
