package scaffold

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	for path, want := range map[string]string{
		"example.com/hello":     "hello",
		"example.com/My-Server": "myserver",
		"example.com/x/v2":      "x",
		"example.com/time":      "timeserver",
		"example.com/nil":       "nilserver",
		"example.com/3d-print":  "dprint",
		"example.com/größe":     "gre",
		"example.com/42":        "server",
		"example.com/func":      "server",
		"example.com/main":      "server",
		"example.com/-":         "server",
		"":                      "server",
	} {
		if got := (Options{Import: path}).Name(); got != want {
			t.Errorf("%q gives %q, want %q", path, got, want)
		}
	}
}

// Every name gives Go files that parse, with no placeholder left.
func TestWrite(t *testing.T) {
	for _, path := range []string{"example.com/hello", "example.com/größe", "example.com/t", "example.com/42", "example.com/api"} {
		dir := filepath.Join(t.TempDir(), "new", "folder")
		files, err := Write(Options{Dir: dir, Import: path, NewModule: true})
		if err != nil || len(files) != 4 {
			t.Fatalf("%s: %v, %v", path, files, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, placeholder := range []string{"PKG", "NAME", "TYPE", "IMPORT"} {
				if strings.Contains(string(text), placeholder) {
					t.Errorf("%s holds %s", file, placeholder)
				}
			}
			if strings.HasSuffix(file, ".go") {
				if _, err := parser.ParseFile(token.NewFileSet(), file, text, 0); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

func TestNothingIsOverwritten(t *testing.T) {
	dir := t.TempDir()
	kept := filepath.Join(dir, "kept")
	if err := os.WriteFile(kept, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if files, err := Write(Options{Dir: dir, Import: "example.com/hello"}); err == nil || len(files) > 0 {
		t.Errorf("wrote %v into a folder that is not empty, error %v", files, err)
	}
	if files, err := Write(Options{Dir: kept, Import: "example.com/hello"}); err == nil || len(files) > 0 {
		t.Errorf("wrote %v into a file, error %v", files, err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("folder holds %v", entries)
	}
}

func TestGoMod(t *testing.T) {
	got := Options{Import: "example.com/hello", Checkout: "/somewhere else/mcpgen"}.goMod()
	for _, want := range []string{
		"module example.com/hello\n", "go 1.26.0\n", "tool github.com/mcpgen/mcpgen/cmd/mcpgen\n",
		"require github.com/mcpgen/mcpgen v0.0.0\n", "replace github.com/mcpgen/mcpgen => \"/somewhere else/mcpgen\"\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("go.mod lacks %q:\n%s", want, got)
		}
	}
}
