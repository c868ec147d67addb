package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/mcpgen/mcpgen/internal/load/golist"
)

// site is the module and the workspace that a folder is in, which need not exist yet.
type site struct {
	modPath, modDir string // empty outside of modules
	work            string // the go.work file; empty outside of workspaces
	member          bool   // whether the workspace uses the module
}

// siteOf asks the go command. The module is the one of the nearest go.mod, whatever a workspace says.
func siteOf(dir string) (at site, err error) {
	there, err := nearest(dir, "")
	if err != nil {
		return at, err
	}
	if mod, err := nearest(dir, "go.mod"); err == nil {
		at.modDir = filepath.Dir(mod)
		var file struct{ Module struct{ Path string } }
		if err := goJSON(at.modDir, &file, "mod", "edit", "-json"); err != nil {
			return at, err
		}
		at.modPath = file.Module.Path
	}
	out, err := goOutput(there, "env", "GOWORK")
	if at.work = strings.TrimSpace(out); err != nil || at.work == "" || at.work == "off" {
		at.work = ""
		return at, err
	}
	var work struct{ Use []struct{ DiskPath string } }
	if err := goJSON(there, &work, "work", "edit", "-json", at.work); err != nil {
		return at, err
	}
	for _, use := range work.Use {
		used := use.DiskPath
		if !filepath.IsAbs(used) {
			used = filepath.Join(filepath.Dir(at.work), used)
		}
		at.member = at.member || at.modDir != "" && sameFile(used, at.modDir)
	}
	return at, nil
}

// nearest returns the path of name in dir or in the nearest folder above that has it; the nearest folder itself if name
// is empty.
func nearest(dir, name string) (string, error) {
	for {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && (name == "" || info.Mode().IsRegular()) {
			return path, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("%s: %w", path, fs.ErrNotExist)
		}
		dir = up
	}
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func goJSON(dir string, to any, args ...string) error {
	out, err := goOutput(dir, args...)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(out), to)
}

// goOutput runs the go command and returns what it prints. What it complains of is in the error.
func goOutput(dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(context.Background(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN=local")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", golist.Trouble(err, stderr.String())
	}
	return string(out), nil
}
