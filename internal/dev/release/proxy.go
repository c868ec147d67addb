package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path"
	"path/filepath"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/mcpgen/mcpgen/internal/version"
)

// serve puts the modules into a folder that the go command takes for a proxy. Those that require the first get its sums
// from there.
func (r *release) serve(ctx context.Context) error {
	for _, folder := range published {
		dir := filepath.Join(r.dir, folder)
		if folder != "." {
			if err := command(ctx, dir, r.env, "go", "mod", "tidy"); err != nil {
				return err
			}
		}
		if err := r.add(path.Join(version.Module, folder), dir); err != nil {
			return err
		}
	}
	return nil
}

// add writes the four files of a version of a module.
func (r *release) add(name, dir string) error {
	at := filepath.Join(r.proxy(), filepath.FromSlash(name), "@v")
	if err := os.MkdirAll(at, 0o700); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	info, err := json.Marshal(map[string]any{"Version": r.version, "Time": time.Now().UTC()})
	if err != nil {
		return err
	}
	for file, text := range map[string][]byte{
		"list": []byte(r.version + "\n"), r.version + ".mod": mod, r.version + ".info": info,
	} {
		if err := os.WriteFile(filepath.Join(at, file), text, 0o600); err != nil {
			return err
		}
	}
	f, err := os.Create(filepath.Join(at, r.version+".zip"))
	if err != nil {
		return err
	}
	return errors.Join(zip.CreateFromDir(f, module.Version{Path: name, Version: r.version}, dir), f.Close())
}
