package importrules

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const (
	root   = "../../.."
	module = "github.com/mcpgen/mcpgen"
)

// pkg is a package of this module as go list describes it; path is relative to the module.
type pkg struct {
	path                               string
	ImportPath                         string
	Imports, TestImports, XTestImports []string
	Deps                               []string
}

// list runs go list once. Packages that do not compile are listed too.
var list = sync.OnceValues(func() ([]pkg, error) {
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports,Deps", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var pkgs []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return pkgs, nil
		}
		if err != nil {
			return nil, err
		}
		p.path = strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		pkgs = append(pkgs, p)
	}
})

// load returns the packages of this module.
func load(t *testing.T) []pkg {
	t.Helper()
	// Looking at every folder tells go test to run this again after any change in them.
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	pkgs, err := list()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	return pkgs
}

// within reports whether an import path is root or below it.
func within(path, root string) bool {
	return path == root || strings.HasPrefix(path, root+"/")
}

// under reports whether a path is one of the folders or below one.
func under(path string, folders ...string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return within(path, f) })
}

// matches compares a path with a pattern, which may end in /... .
func matches(path, pattern string) bool {
	folder, all := strings.CutSuffix(pattern, "/...")
	return path == folder || all && within(path, folder)
}

// thirdParty reports whether an import is neither of the standard library nor ours.
func thirdParty(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return strings.Contains(first, ".") && !within(path, module)
}
