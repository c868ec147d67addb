package fleet

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Change replaces a text that must occur exactly once in a file of this project. Without an old text it is a new
// file.
type Change struct {
	// File is relative to the root of the repository.
	File string
	Old  string
	New  string
}

// root is the root of the repository: programs of this module run in its folder.
const root = ".."

// Overlay writes changed copies of files and the list for go build -overlay, and returns its name. The source itself
// stays as it is, so that what is planted for a test is never part of a release. It fails if an old text is not there
// exactly once.
func Overlay(dir string, v Variant) (string, error) {
	replace := map[string]string{}
	for _, c := range v.Changes {
		name, err := filepath.Abs(filepath.Join(root, filepath.FromSlash(c.File)))
		if err != nil {
			return "", err
		}
		to := filepath.Join(dir, v.Name+"_"+strings.ReplaceAll(c.File, "/", "_"))
		if c.Old == "" {
			if err := os.WriteFile(to, []byte(c.New), 0o600); err != nil {
				return "", err
			}
			replace[name] = to
			continue
		}
		from := name
		if replace[name] != "" {
			from = replace[name]
		}
		text, err := os.ReadFile(from)
		if err != nil {
			return "", err
		}
		if n := strings.Count(string(text), c.Old); n != 1 {
			return "", fmt.Errorf("%s has %d times %q: the source has changed, so write the change anew", c.File, n, c.Old)
		}
		if err := os.WriteFile(to, []byte(strings.Replace(string(text), c.Old, c.New, 1)), 0o600); err != nil {
			return "", err
		}
		replace[name] = to
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, v.Name+".overlay.json")
	return file, os.WriteFile(file, text, 0o600)
}
