package scaffold

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// nothing generates nothing.
func nothing(string) ([]string, error) { return nil, nil }

func TestName(t *testing.T) {
	for importPath, want := range map[string]string{
		"example.com/hello":     "hello",
		"example.com/My-Server": "myserver",
		"example.com/x/v2":      "x",
		"example.com/srv":       "srvserver",
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
		if got := (Options{Import: importPath}).Name(); got != want {
			t.Errorf("%q gives %q, want %q", importPath, got, want)
		}
	}
}

// No package gets a name that the files use for something else.
func TestTakenNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	written, err := Write(Options{Dir: dir, Import: "example.com/zzz"}, nothing)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range written {
		if !strings.HasSuffix(file, ".go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name.Name == "zzz" {
			continue // in its own files the name of a package means nothing
		}
		names := map[string]bool{}
		for _, s := range f.Imports {
			names[path.Base(strings.Trim(s.Path.Value, `"`))] = true
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Obj != nil && id.Obj.Kind == ast.Var {
				names[id.Name] = true
			}
			return true
		})
		for name := range names {
			if got := (Options{Import: "example.com/" + name}).Name(); name != "zzz" && got == name {
				t.Errorf("%s uses %s, which a package may be called", filepath.Base(file), name)
			}
		}
	}
}

// Every name gives Go files that parse, with no placeholder left.
func TestWrite(t *testing.T) {
	for _, name := range []string{"example.com/hello", "example.com/größe", "example.com/t", "example.com/42",
		"example.com/api"} {
		dir := filepath.Join(t.TempDir(), "new", "folder")
		files, err := Write(Options{Dir: dir, Import: name, NewModule: true}, nothing)
		if err != nil || len(files) != 5 {
			t.Fatalf("%s: %v, %v", name, files, err)
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
	if files, err := Write(Options{Dir: dir, Import: "example.com/hello"}, nothing); err == nil || len(files) > 0 {
		t.Errorf("wrote %v into a folder that is not empty, error %v", files, err)
	}
	if files, err := Write(Options{Dir: kept, Import: "example.com/hello"}, nothing); err == nil || len(files) > 0 {
		t.Errorf("wrote %v into a file, error %v", files, err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("folder holds %v", entries)
	}
}

func TestGoMod(t *testing.T) {
	got := Options{Import: "example.com/hello", Checkout: "/elsewhere"}.goMod("/somewhere else/mcpgen")
	for _, want := range []string{
		"module example.com/hello\n", "go 1.26.0\n", "tool github.com/mcpgen/mcpgen/cmd/mcpgen\n",
		"require github.com/mcpgen/mcpgen v0.0.0\n", "replace github.com/mcpgen/mcpgen => \"/somewhere else/mcpgen\"\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("go.mod lacks %q:\n%s", want, got)
		}
	}
}

// TestAllOrNothing: whatever goes wrong, nothing is left, neither files nor folders.
func TestAllOrNothing(t *testing.T) {
	failing := errors.New("no more room")
	tests := map[string]struct {
		exists   string // folder that is there before
		dir      string
		generate func(root, dir string) error
	}{
		"generate fails":               {"", "new/deep/hello", func(string, string) error { return failing }},
		"generate fails, empty folder": {"hello", "hello", func(string, string) error { return failing }},
		"folder comes meanwhile": {"", "hello", func(root, _ string) error {
			return os.MkdirAll(filepath.Join(root, "hello", "other"), 0o700)
		}},
		"file comes meanwhile": {"hello", "hello", func(root, _ string) error {
			return os.WriteFile(filepath.Join(root, "hello", "go.mod"), nil, 0o600)
		}},
		"below a file": {"", "file/hello", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			if err := os.WriteFile(filepath.Join(root, "file"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Join(root, tt.exists), 0o700); err != nil {
				t.Fatal(err)
			}
			var want []string
			files, err := Write(Options{Dir: filepath.Join(root, tt.dir), Import: "example.com/hello", NewModule: true},
				func(dir string) ([]string, error) {
					err := tt.generate(root, dir)
					want = tree(t, root, dir)
					return nil, err
				})
			if err == nil || len(files) > 0 {
				t.Errorf("wrote %q, error %v", files, err)
			}
			if want == nil {
				want = []string{"file"}
			}
			if name == "generate fails" {
				want = []string{"file"} // the folders above are gone too
			}
			if got := tree(t, root, ""); !slices.Equal(got, want) {
				t.Errorf("left %q, want %q", got, want)
			}
		})
	}
}

// tree lists what is below root but not in skip nor in the folder that skip is in.
func tree(t *testing.T, root, skip string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if skip != "" && path == filepath.Dir(skip) {
			return fs.SkipDir
		}
		if path != root {
			rel, _ := filepath.Rel(root, path)
			list = append(list, rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
