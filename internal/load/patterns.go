package load

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/load/golist"
	"github.com/mcpgen/mcpgen/internal/version"
)

// unmatched returns an error for each pattern that matches no package with files, even if others match: a misspelt
// pattern must not be ignored.
func unmatched(dir string, patterns []string, all []*golist.Package) error {
	var errs []error
	for _, pattern := range patterns {
		trouble, matched := "", false
		for _, li := range all {
			if strings.HasSuffix(pattern, ".go") || // the go command would take the file for a package of its own
				li.DepOnly || !slices.Contains(li.Match, cleanPattern(pattern)) {
				continue
			}
			matched = matched || len(li.Files()) > 0
			if li.Error != nil {
				trouble = cmp.Or(trouble, li.Error.Err)
			}
		}
		if !matched {
			errs = append(errs, fmt.Errorf("%s: %s", cmp.Or(pattern, `""`), whyUnmatched(dir, pattern, trouble)))
		}
	}
	return errors.Join(errs...)
}

// cleanPattern returns pattern as the go command repeats it.
func cleanPattern(pattern string) string {
	slashed := filepath.ToSlash(pattern)
	cleaned := path.Clean(slashed)
	if strings.HasPrefix(slashed, "./") && cleaned != "." && !strings.HasPrefix(cleaned, "../") && cleaned != ".." {
		return "./" + cleaned
	}
	if filepath.IsAbs(pattern) {
		return filepath.Clean(pattern)
	}
	return cleaned
}

// whyUnmatched says why a pattern matches nothing, and what to write. trouble is what the go command says of it; "" if
// it says nothing.
func whyUnmatched(dir, pattern, trouble string) string {
	dots := strings.Contains(pattern, "...")
	isPath := filepath.IsAbs(pattern) || strings.HasPrefix(pattern, ".")
	at := filepath.FromSlash(strings.TrimSuffix(pattern, "..."))
	if !filepath.IsAbs(at) {
		at = filepath.Join(dir, at)
	}
	info, err := os.Stat(at)
	switch {
	case pattern == "":
		return "an empty pattern; the package in this folder is ."
	case moduleOf(dir).root == "":
		return golist.NoModule
	case err == nil && !info.IsDir():
		return "this is a file; name its folder, " + folderPattern(path.Dir(filepath.ToSlash(pattern)))
	case err == nil && !isPath && dots:
		return "no package matches this pattern; packages below the folder of this name are ./" + filepath.ToSlash(pattern)
	case err == nil && !isPath:
		return "no package has this path; the folder of this name is ./" + filepath.ToSlash(pattern)
	case err == nil:
		return whyFolderUnmatched(dir, at, trouble, dots)
	case isPath:
		return "there is no such folder"
	case dots:
		return "no package matches this pattern"
	}
	return whyPathUnmatched(dir, pattern, trouble)
}

// whyFolderUnmatched is whyUnmatched for a folder that exists.
func whyFolderUnmatched(dir, at, trouble string, dots bool) string {
	module, other := moduleOf(dir), moduleOf(at)
	switch {
	case strings.HasPrefix(trouble, "malformed import path"):
		return "the folder cannot be a package: " + trouble
	case strings.HasPrefix(trouble, "no Go files in"):
	case other.root == "":
		return "the folder is in no module; " + golist.NoModule
	case other.root != module.root:
		return fmt.Sprintf("the folder is in another module, %s; run mcpgen in %s, or use both in a go.work", other.path,
			diag.RelPath(dir, other.root))
	case dots:
		return "no package matches this pattern"
	}
	return "the folder has no Go files"
}

// whyPathUnmatched is whyUnmatched for a pattern that can only be an import path.
func whyPathUnmatched(dir, pattern, trouble string) string {
	module := moduleOf(dir)
	name, version, versioned := strings.Cut(pattern, "@")
	rel, own := strings.CutPrefix(pattern+"/", module.path+"/")
	switch {
	case versioned && name != "":
		return "go.mod decides about the version of a package; leave out @" + version
	case own && rel == "":
		return "the folder of the module has no Go files"
	case own:
		return "this module has no such package; its folder would be " + diag.RelPath(dir, filepath.Join(module.root, rel))
	case isMissingModule(trouble):
		return "no module in go.mod has this package; go get adds one"
	case strings.Contains(trouble, "is not in std") || trouble == "":
		return "no package has this path; patterns of folders begin with ./"
	}
	return trouble
}

// mainModule is a module by its folder and its path; both are empty for no module.
type mainModule struct{ root, path string }

// moduleOf returns the module that a folder is in.
func moduleOf(dir string) mainModule {
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil {
			return mainModule{root: dir, path: modfile.ModulePath(text)}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return mainModule{}
		}
		dir = up
	}
}

func folderPattern(dir string) string {
	if dir == "." || strings.HasPrefix(dir, ".") || strings.HasPrefix(dir, "/") {
		return dir
	}
	return "./" + dir
}

// isMissingModule reports whether the go command says that no module of go.mod has a package.
func isMissingModule(trouble string) bool {
	return strings.Contains(trouble, "no required module provides package") ||
		strings.Contains(trouble, "cannot find module providing package")
}

// remedy says what to do about an import that the go command cannot find. message is that of the go command.
func (g *graph) remedy(importPath, message string) string {
	module := moduleOf(g.command.Dir)
	rel, own := strings.CutPrefix(importPath, module.path+"/")
	switch {
	case strings.Contains(message, "replacement directory"), strings.Contains(message, "(replaced by"):
		return "correct the replace line in go.mod; it names the folder of a module"
	case own && module.path != "":
		return fmt.Sprintf("correct the path, or make the package in the folder %s of the module", rel)
	case strings.HasPrefix(importPath+"/", version.Module+"/") && isMissingModule(message):
		return MissingRuntime
	}
	return "go get " + importPath
}

// MissingRuntime says what to do if go.mod lacks mcpgen.
const MissingRuntime = "add mcpgen to go.mod by `go get " + version.Module + "`, or by `go mod edit -replace " +
	version.Module + "=FOLDER -require " + version.Module + "@v0.0.0` with the folder of a checkout, and go mod tidy"
