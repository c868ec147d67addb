package load

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/load/golist"
	"github.com/mcpgen/mcpgen/internal/version"
)

// unmatched returns an error for each pattern that matches no package with files. A pattern that was mistyped must not
// be left out in silence beside one that matches.
func unmatched(dir string, patterns []string, all []*golist.Package) error {
	var errs []error
	for _, pattern := range patterns {
		trouble, matched := "", false
		for _, li := range all {
			if strings.HasSuffix(pattern, ".go") || // the go command would take the file for a package of its own
				li.DepOnly || !slices.Contains(li.Match, cleanPattern(pattern)) {
				continue
			}
			if hasFiles(li) {
				matched = true
				break
			}
			if li.Error != nil && trouble == "" {
				trouble = li.Error.Err
			}
		}
		if !matched {
			errs = append(errs, fmt.Errorf("%s: %s", pattern, whyUnmatched(dir, pattern, trouble)))
		}
	}
	return errors.Join(errs...)
}

func hasFiles(li *golist.Package) bool {
	return len(li.GoFiles)+len(li.CgoFiles)+len(li.IgnoredGoFiles)+len(li.TestGoFiles)+len(li.XTestGoFiles) > 0
}

// cleanPattern is pattern as the go command repeats it.
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

// whyUnmatched says in words of ours why a pattern matches nothing, and what to write. trouble is what the go command
// says of it, if it says anything.
func whyUnmatched(dir, pattern, trouble string) string {
	isPath := filepath.IsAbs(pattern) || strings.HasPrefix(pattern, ".")
	at := pattern
	if !filepath.IsAbs(pattern) {
		at = filepath.Join(dir, filepath.FromSlash(strings.TrimSuffix(pattern, "...")))
	}
	info, err := os.Stat(at)
	switch {
	case strings.Contains(trouble, "does not contain main module"):
		return noModule
	case err == nil && !info.IsDir():
		return "this is a file; name its folder, " + folderPattern(path.Dir(filepath.ToSlash(pattern)))
	case err == nil && !isPath && !strings.Contains(pattern, "..."):
		return "no package has this path; the folder of this name is ./" + filepath.ToSlash(pattern)
	case err == nil && isPath && !strings.Contains(pattern, "..."):
		return "the folder has no Go files"
	case err != nil && isPath:
		return "there is no such folder"
	case strings.Contains(pattern, "..."):
		return "no package matches this pattern"
	case isMissingModule(trouble):
		return "no module in go.mod has this package; go get adds one"
	case strings.Contains(trouble, "is not in std") || trouble == "":
		return "no package has this path; patterns of folders begin with ./"
	}
	return trouble
}

func folderPattern(dir string) string {
	if dir == "." || strings.HasPrefix(dir, ".") || strings.HasPrefix(dir, "/") {
		return dir
	}
	return "./" + dir
}

// noModule is what to do without a go.mod.
const noModule = "there is no go.mod here or above: run go mod init PATH first, or mcpgen init DIR for a new server"

// inOurWords says what the go command means when it gives no answer at all.
func inOurWords(err error) error {
	if strings.Contains(err.Error(), "go.mod file not found") {
		return errors.New(noModule)
	}
	return err
}

// isMissingModule reports whether the go command says that no module of go.mod has a package.
func isMissingModule(trouble string) bool {
	return strings.Contains(trouble, "no required module provides package") ||
		strings.Contains(trouble, "cannot find module providing package")
}

// missingRuntime is the remedy for an import of mcpgen's own packages that go.mod does not know; "" for other imports.
func missingRuntime(importPath, message string) string {
	if !strings.HasPrefix(importPath+"/", version.Module+"/") || !isMissingModule(message) {
		return ""
	}
	return "go.mod lacks mcpgen; add it by `go get " + version.Module + "`, or by `go mod edit -replace " +
		version.Module + "=FOLDER -require " + version.Module + "@v0.0.0` with the folder of a checkout"
}
