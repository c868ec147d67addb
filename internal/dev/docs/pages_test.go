package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// page returns the text of a page of this repository.
func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// pages returns the names of all pages.
func pages(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, pattern := range []string{"*.md", "docs/*.md", "golden/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("no pages %s: %v", pattern, err)
		}
		for _, path := range found {
			name, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, name)
		}
	}
	return names
}

// block is a code block of a page: what stands behind its opening fence, and its lines.
type block struct{ lang, arg, text string }

var fence = regexp.MustCompile("(?ms)^```(\\w+)(?: (\\S+))?\n(.*?)^```$")

// blocks returns the code blocks of a page that are in a language.
func blocks(t *testing.T, name, lang string) []block {
	t.Helper()
	var out []block
	for _, m := range fence.FindAllStringSubmatch(page(t, name), -1) {
		if m[1] == lang {
			out = append(out, block{m[1], m[2], m[3]})
		}
	}
	if len(out) == 0 {
		t.Fatalf("%s has no %s block", name, lang)
	}
	return out
}

// run runs a command and returns what it prints on both streams.
func run(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
