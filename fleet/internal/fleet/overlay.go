package fleet

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// Change replaces a text that must occur exactly once in the files of a folder. Without an old text it is a new file.
type Change struct {
	// Folder is relative to the root of the repository, or that of a package of the standard library after "std:".
	Folder string
	// Old finds the text.
	Old *regexp.Regexp
	New string
	// File is the name of a new file.
	File string
}

// root is the root of the repository: programs of this module run in its folder.
const root = ".."

// folder returns the full name of the folder.
func (c Change) folder() (string, error) {
	if name, ok := strings.CutPrefix(c.Folder, "std:"); ok {
		out, err := exec.Command("go", "env", "GOROOT").Output() //nolint:noctx // it asks for a name
		return filepath.Join(strings.TrimSpace(string(out)), "src", filepath.FromSlash(name)), err
	}
	return filepath.Abs(filepath.Join(root, filepath.FromSlash(c.Folder)))
}

// Overlay writes changed copies of files and the list for go build -overlay, and returns its name. The source itself
// stays as it is. It fails if an old text is not there exactly once.
func Overlay(dir string, v Variant) (string, error) {
	replace := map[string]string{}
	for _, c := range v.Changes {
		if err := c.apply(filepath.Join(dir, v.Name), replace); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, v.Name+".overlay.json")
	return file, os.WriteFile(file, text, 0o600)
}

// apply writes one changed file, whose name begins with prefix, and notes it.
func (c Change) apply(prefix string, replace map[string]string) error {
	folder, err := c.folder()
	if err != nil {
		return err
	}
	write := func(name, text string) error {
		to := prefix + "_" + strings.NewReplacer("/", "_", ":", "_").Replace(c.Folder) + "_" + filepath.Base(name)
		replace[name] = to
		return os.WriteFile(to, []byte(text), 0o600)
	}
	if c.Old == nil {
		return write(filepath.Join(folder, c.File), c.New)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return err
	}
	found := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		from := name
		if replace[name] != "" {
			from = replace[name]
		}
		text, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		n := len(c.Old.FindAllIndex(text, -1))
		if found += n; n == 1 {
			if err := write(name, c.Old.ReplaceAllString(string(text), c.New)); err != nil {
				return err
			}
		}
	}
	if found != 1 {
		return fmt.Errorf("%s has %d times %s: the source has changed, so write the change anew", c.Folder, found, c.Old)
	}
	return nil
}

// constant is a change of a constant.
func constant(folder, name, value string) Change {
	old := regexp.MustCompile(`(?m)^(\s*(?:const )?` + name + `\s+= )[^/\n]+`)
	return Change{Folder: folder, Old: old, New: "${1}" + value + " "}
}
