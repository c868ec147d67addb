package golden

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/diag"
)

// TestEveryCodeIsReported requires of each row of the table of diagnostics a place in the source that reports it,
// and a case in errors or in a script of the command that shows it.
func TestEveryCodeIsReported(t *testing.T) {
	reported, shown := reportedCodes(t), shownCodes(t)
	for _, c := range diag.Codes() {
		if reported[c.ID] == "" {
			t.Errorf("nothing reports %s, which the documentation explains", c.ID)
		}
		if !shown[c.ID] {
			t.Errorf("%s, which %s reports, has no case in errors and no script", c.ID, reported[c.ID])
		}
		delete(reported, c.ID)
	}
	for code, file := range reported {
		t.Errorf("%s, which %s reports, is not in the table", code, file)
	}
}

// A comparison with a code is not a report of it, nor is prose that names one.
func TestReportsAreFound(t *testing.T) {
	got := map[string]string{}
	addReports(t, got, "x.go", "package x\n\n// MCP901 is prose.\nfunc f(code string) {\n"+
		"\tswitch code {\n\tcase \"MCP902\":\n\t}\n\tif code == \"MCP903\" || \"MCP904\" != code {\n"+
		"\t\treport(\"MCP905\", \"see MCP906\")\n\t}\n}\n\ntype T struct {\n\tF int `option:\"f,code=MCP907\"`\n}\n")
	if len(got) != 2 || got["MCP905"] == "" || got["MCP907"] == "" {
		t.Errorf("found %v", got)
	}
}

// reportedCodes maps each code that the source of the generator reports to a file that does.
func reportedCodes(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, top := range []string{"internal", "cmd"} {
		for _, file := range filesBelow(t, filepath.Join("..", top), ".go") {
			if !strings.HasSuffix(file, "_test.go") && filepath.Dir(file) != filepath.Join("..", "internal", "diag") {
				addReports(t, out, file, nil)
			}
		}
	}
	return out
}

var (
	codeText = regexp.MustCompile(`^"(MCP\d{3})"$`)
	codeTag  = regexp.MustCompile(`^` + "`" + `.*code=(MCP\d{3})`)
)

// addReports adds the codes that one file hands to something; it does not count those that it compares with.
func addReports(t *testing.T, to map[string]string, file string, src any) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	compared := map[ast.Expr]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CaseClause:
			for _, e := range n.List {
				compared[e] = true
			}
		case *ast.BinaryExpr:
			compared[n.X], compared[n.Y] = true, true
		case *ast.BasicLit:
			for _, form := range []*regexp.Regexp{codeText, codeTag} {
				if m := form.FindStringSubmatch(n.Value); m != nil && !compared[n] {
					to[m[1]] = file
				}
			}
		}
		return true
	})
}

// shownCodes are the codes of the diagnostics that the cases and the scripts expect.
func shownCodes(t *testing.T) map[string]bool {
	t.Helper()
	files := slices.Concat(errorCases(t),
		filesBelow(t, filepath.Join("..", "cmd", "mcpgen", "testdata", "script"), ".txtar"))
	out := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?:error|warning|note) (MCP\d{3}): `).FindAllSubmatch(text, -1) {
			out[string(m[1])] = true
		}
	}
	return out
}

// filesBelow are the files with that end of the name, in dir and its subfolders, without test data.
func filesBelow(t *testing.T, dir, end string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "testdata" {
			return fs.SkipDir
		}
		if err == nil && !d.IsDir() && strings.HasSuffix(path, end) {
			out = append(out, path)
		}
		return err
	})
	if err != nil || len(out) == 0 {
		t.Fatalf("no files below %s: %v", dir, err)
	}
	return out
}
