package embedfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// write makes the files that the patterns of the test are about, below a directory.
func write(t *testing.T, dir, embed string) {
	t.Helper()
	for name, text := range map[string]string{
		"e.go":  "package e\n\nimport \"embed\"\n\n//go:embed " + embed + "\nvar A embed.FS\n",
		"a.txt": "x", "sub/a.txt": "x", "sub/_b": "x", "sub/.c": "x", "dot/.x/y": "x", "mod/go.mod": "module x",
		"mod/a.txt":      "x",
		"sub/deep/d.txt": "x", "sub/mod/go.mod": "module y", "sub/mod/e.txt": "x", "we:ird.txt": "x", "two words.txt": "x",
		"sub/.git/config": "x", "vendor.txt/modules": "x",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	err := errors.Join(os.Mkdir(filepath.Join(dir, "empty"), 0o777), os.Symlink("a.txt", filepath.Join(dir, "link.txt")),
		os.Symlink("sub", filepath.Join(dir, "linked")))
	if err != nil {
		t.Skip(err) // a system without links, or names with colons
	}
}

// patterns are those whose verdicts are compared.
var patterns = []string{
	"a.txt", "missing.html", "miss*", "../x", "/etc/passwd", ".", "*.txt", "*", "sub", "all:sub", "empty", "dot",
	"all:dot", "mod", "mod/a.txt", "link.txt", "linked", "linked/a.txt", "we:ird.txt", `"two words.txt"`, "`a.txt`", "[",
	"sub/", "./a.txt", "all:", `sub\a.txt`, `sub/\a.txt`, ".git", "sub/.git", "sub/_b", "sub/*", "sub/mod", "all:sub/*",
	"?.txt", "vendor.txt", "a.txt\t sub", "//", "a//b", "sub/deep",
}

// What is embedded, and what is refused, is what the go command says.
func TestAgainstGo(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module e\n\ngo 1.26.0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for i, p := range patterns {
		write(t, filepath.Join(dir, fmt.Sprintf("p%02d", i)), p)
	}
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=Name,Dir,EmbedFiles,Error", "./...")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var pkg struct {
			Name, Dir  string
			EmbedFiles []string
			Error      *struct{ Err string }
		}
		if err := dec.Decode(&pkg); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		var i int
		if n, _ := fmt.Sscanf(filepath.Base(pkg.Dir), "p%d", &i); n != 1 || filepath.Dir(pkg.Dir) != dir {
			continue // a module below
		}
		seen++
		files, wrong := embedded(t, pkg.Dir, patterns[i])
		refused := pkg.Error != nil
		missing := refused && (strings.Contains(pkg.Error.Err, "no matching files") ||
			strings.Contains(pkg.Error.Err, "no embeddable files"))
		switch {
		case (wrong != nil) != refused, refused && wrong.Missing != missing:
			t.Errorf("%s: %v; the go command says %+v", patterns[i], wrong, pkg.Error)
		case !refused && !slices.Equal(files, pkg.EmbedFiles):
			t.Errorf("%s: %q; the go command embeds %q", patterns[i], files, pkg.EmbedFiles)
		}
	}
	if seen != len(patterns) {
		t.Errorf("%d packages were listed of %d", seen, len(patterns))
	}
}

// embedded are the files of a line, or what is wrong with it first.
func embedded(t *testing.T, dir, line string) (files []string, wrong *Error) {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	found := Parse(100, "//go:embed "+line)
	for _, p := range found {
		if p.Wrong != "" {
			t.Fatalf("%s: %s", line, p.Wrong)
		}
		more, err := Files(root.FS(), p.Text)
		if err != nil && wrong == nil {
			wrong = err
		}
		files = append(files, more...)
	}
	slices.Sort(files)
	return slices.Compact(files), wrong
}

// The places of patterns are those of the source.
func TestParse(t *testing.T) {
	for line, want := range map[string]string{
		"//go:embed a b":            "a b",
		"//go:embed \t\"a b\"  `c`": "\"a b\" `c`",
		"//go:embed":                "!//go:embed",
		`//go:embed "a`:             `!"a`,
		`//go:embed "a"b`:           `!"a"b`,
		"//go:embedded a":           "",
		"//go:generate a":           "",
		"// go:embed a":             "!// go:embed a",
		"//\tgo:embed\ta ":          "!//\tgo:embed\ta",
		"// go:embed":               "!// go:embed",
		"// text":                   "",
	} {
		found := Parse(100, line)
		found = append(found, Spaced(100, line)...)
		var got []string
		for _, p := range found {
			text := line[p.From-100 : p.To-100]
			if p.Wrong != "" {
				text = "!" + text
			}
			got = append(got, text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", line, strings.Join(got, " "), want)
		}
	}
}
