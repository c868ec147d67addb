package protocolgen

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"

	"github.com/mcpgen/mcpgen/internal/version"
)

var moduleLine = regexp.MustCompile(`(?m)^module[ \t]+"?([^\s"]+)`)

// importPath returns the import path of the package: what the options say, else its folder in the module around it. The
// committed schemas outside of any module give the package that everybody imports.
func importPath(opts Options) (string, error) {
	if opts.Import != "" {
		return opts.Import, nil
	}
	root, path, err := moduleAround(opts.Dir)
	switch {
	case err != nil || root != "":
		return path, err
	case len(opts.Schemas) == 0:
		return corePath, nil
	}
	return "", fmt.Errorf("packages of extensions import the package of the core, whose import path is unknown: "+
		"%s is in no module; write -import PATH", opts.Dir)
}

// corePath is the import path of the package that everybody imports.
const corePath = version.Module + "/generated/protocol"

// Checkout returns the root of the checkout of mcpgen that has this folder as generated/protocol, or "" if it is
// another folder.
func Checkout(dir string) (string, error) {
	root, path, err := moduleAround(dir)
	if err != nil || path != corePath {
		return "", err
	}
	return root, nil
}

// moduleAround returns the folder of the module around a folder, and the import path of the package there. Outside of
// any module both are empty.
func moduleAround(dir string) (root, importPath string, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return "", "", err
	}
	for root = dir; ; root = filepath.Dir(root) {
		if data, err := os.ReadFile(filepath.Join(root, "go.mod")); err == nil {
			m := moduleLine.FindSubmatch(data)
			rel, errRel := filepath.Rel(root, dir)
			if m == nil || errRel != nil {
				return "", "", fmt.Errorf("%s has no module line", filepath.Join(root, "go.mod"))
			}
			return root, path.Join(string(m[1]), filepath.ToSlash(rel)), nil
		}
		if root == filepath.Dir(root) {
			return "", "", nil
		}
	}
}
