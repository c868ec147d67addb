package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// tree is the folder of a checkout or a copy of one. File names in it have slashes.
type tree struct{ dir string }

func (t *tree) path(file string) string { return filepath.Join(t.dir, filepath.FromSlash(file)) }

// files lists what git would commit: tracked files that are there, and new ones.
func (t *tree) files(ctx context.Context) ([]string, error) {
	cmd := exec.CommandContext(ctx, "git", "ls-files", "-co", "--exclude-standard", "-z")
	cmd.Dir = t.dir
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var list []string
	for name := range bytes.SplitSeq(out, []byte{0}) {
		file := string(name)
		if info, err := os.Stat(t.path(file)); file != "" && err == nil && info.Mode().IsRegular() {
			list = append(list, file)
		}
	}
	return list, nil
}

func (t *tree) read(file string) (string, error) {
	data, err := os.ReadFile(t.path(file))
	return string(data), err
}

func (t *tree) write(file, text string) error {
	if err := os.MkdirAll(filepath.Dir(t.path(file)), 0o750); err != nil {
		return err
	}
	return os.WriteFile(t.path(file), []byte(text), 0o600)
}

// take copies files from another tree.
func (t *tree) take(from *tree, files []string) error {
	for _, file := range files {
		text, err := from.read(file)
		if err != nil {
			return err
		}
		if err := t.write(file, text); err != nil {
			return err
		}
	}
	return nil
}

// sources returns the Go files of a package without its tests, by base name.
func (t *tree) sources(dir string) (map[string]string, error) {
	names, err := filepath.Glob(filepath.Join(t.path(dir), "*.go"))
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, name := range names {
		base := filepath.Base(name)
		if strings.HasSuffix(base, "_test.go") {
			continue
		}
		if out[base], err = t.read(dir + "/" + base); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// differences lists the given files that differ between two trees, and the Go and JSON files that only t has.
func (t *tree) differences(other *tree, files []string) ([]string, error) {
	var out []string
	known := map[string]bool{}
	for _, file := range files {
		known[file] = true
		want, err := other.read(file)
		if err != nil {
			return nil, err
		}
		got, err := t.read(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err != nil || got != want {
			out = append(out, file)
		}
	}
	err := fs.WalkDir(os.DirFS(t.dir), ".", func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !known[file] {
			out = append(out, file)
		}
		return err
	})
	return out, err
}
