package server

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEmittersCheckIdentifiers insists that names from the representation become code through
// jenutil.Ident and jenutil.Name only: what jennifer writes unquoted is a constant of the emitter.
func TestEmittersCheckIdentifiers(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 10 {
		t.Fatalf("files %v, %v", files, err)
	}
	fset := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				checkCall(t, fset, call)
			}
			return true
		})
	}
}

// TestLocalWords insists that imports avoid every name that emitters give to a variable.
func TestLocalWords(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?:jen\.|\.)Id\("([a-z]\w*)"\)|(?:numbered|jenutil\.Ident)\("([a-z]\w*)"`).FindAllStringSubmatch(string(text), -1) {
			if word := m[1] + m[2]; !strings.HasSuffix(name, "_test.go") && !isLocal(word) {
				t.Errorf("%s: `%s` is not in localWords", name, word)
			}
		}
	}
}

// checkCall looks at one call of an emitter.
func checkCall(t *testing.T, fset *token.FileSet, call *ast.CallExpr) {
	t.Helper()
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != "Id" && f.Sel.Name != "Dot" && f.Sel.Name != "Op" && f.Sel.Name != "Comment" {
		return
	}
	for _, arg := range call.Args {
		if _, constant := arg.(*ast.BasicLit); constant || isCallOf(arg, "jenutil", "Name") {
			continue
		}
		t.Errorf("%s: %s takes text that is not checked", fset.Position(call.Pos()), f.Sel.Name)
	}
}

func isCallOf(e ast.Expr, pkg, name string) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != name {
		return false
	}
	x, ok := f.X.(*ast.Ident)
	return ok && x.Name == pkg
}
