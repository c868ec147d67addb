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
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return "", err
	}
	for root := dir; ; root = filepath.Dir(root) {
		if data, err := os.ReadFile(filepath.Join(root, "go.mod")); err == nil {
			m := moduleLine.FindSubmatch(data)
			rel, errRel := filepath.Rel(root, dir)
			if m == nil || errRel != nil {
				return "", fmt.Errorf("%s has no module line", filepath.Join(root, "go.mod"))
			}
			return path.Join(string(m[1]), filepath.ToSlash(rel)), nil
		}
		if root == filepath.Dir(root) {
			break
		}
	}
	if len(opts.Schemas) == 0 {
		return version.Module + "/generated/protocol", nil
	}
	return "", fmt.Errorf("packages of extensions import the package of the core, whose import path is unknown: "+
		"%s is in no module; write -import PATH", dir)
}
