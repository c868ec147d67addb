package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The pictures of docs/ways.md name methods that are there.
func TestWays(t *testing.T) {
	const name = "docs/ways.md"
	known := methodsBelow(t, filepath.Join(root, "mcp"))
	count := 0
	for _, m := range regexp.MustCompile(`\b[A-Za-z]+\.[A-Za-z]+\b`).FindAllString(page(t, name), -1) {
		if strings.HasSuffix(m, ".md") {
			continue
		}
		count++
		if !known[m] {
			t.Errorf("%s names %s, which is no method in mcp", name, m)
		}
	}
	if count < 30 {
		t.Errorf("%s names %d methods: the pattern or the page is wrong", name, count)
	}
}

// methodsBelow returns the methods of the types and interfaces in a folder, as Type.method.
func methodsBelow(t *testing.T, dir string) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv != nil {
					known[receiverName(n.Recv.List[0].Type)+"."+n.Name.Name] = true
				}
			case *ast.TypeSpec:
				if i, ok := n.Type.(*ast.InterfaceType); ok {
					for _, m := range i.Methods.List {
						for _, id := range m.Names {
							known[n.Name.Name+"."+id.Name] = true
						}
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return known
}

// receiverName is the name of the type of a method.
func receiverName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiverName(e.X)
	case *ast.IndexExpr:
		return receiverName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
