package requirements

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// tests are the test functions of all modules of the repository.
type tests struct {
	// folders has the folders that have a function of a name.
	folders map[string][]string
	// texts has the string literals of the test files of a folder: names of subtests stand among them.
	texts map[string]map[string]bool
}

func findTests(t *testing.T) *tests {
	t.Helper()
	all := &tests{map[string][]string{}, map[string]map[string]bool{}}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git"):
			return fs.SkipDir
		case !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		return all.add(name)
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all.folders) < 500 {
		t.Fatalf("only %d tests were found", len(all.folders))
	}
	return all
}

// add takes the functions and the texts of one file.
func (all *tests) add(name string) error {
	parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	dir, err := filepath.Rel(root, filepath.Dir(name))
	if err != nil {
		return err
	}
	dir = filepath.ToSlash(dir)
	if all.texts[dir] == nil {
		all.texts[dir] = map[string]bool{}
	}
	for _, decl := range parsed.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
			all.folders[f.Name.Name] = append(all.folders[f.Name.Name], dir)
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				all.texts[dir][text] = true
			}
		}
		return true
	})
	return nil
}

// find says what is wrong with a test as the table names it: [FOLDER ]TestName[/SUBTEST]. A folder may be given by its
// last elements.
func (all *tests) find(named string) string {
	folder, name, ok := strings.Cut(named, " ")
	if !ok {
		folder, name = "", named
	}
	name, sub, _ := strings.Cut(name, "/")
	var in []string
	for _, dir := range all.folders[name] {
		if dir == folder || folder == "" || strings.HasSuffix(dir, "/"+folder) {
			in = append(in, dir)
		}
	}
	switch {
	case len(in) == 0:
		return "there is no such test"
	case len(in) > 1:
		return "several folders have such a test: " + strings.Join(in, ", ")
	case sub != "" && !all.texts[in[0]][sub] && !exists(filepath.Join(in[0], "errors", sub+".txtar")):
		return "it has no such subtest"
	}
	return ""
}

func exists(name string) bool {
	_, err := os.Stat(filepath.Join(root, name))
	return err == nil
}
