package contract

import (
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// shownAliases are the names of package mcp for types of its internal packages, with the reason.
var shownAliases = map[string]string{
	"AnswerError":            "errors cross the program's code on their way between parts of the server, and must be of one type",
	"ArgumentsError":         "as AnswerError",
	"ClientError":            "as AnswerError",
	"MissingCapabilityError": "as AnswerError",
	"VarError":               "as AnswerError",
	"ClientCapability":       "the type of a field of MissingCapabilityError",
}

// TestUserNames: package mcp is for users. Its types are declared in it, and none of its names is there
// for output alone.
func TestUserNames(t *testing.T) {
	packages := checkGolden(t)
	mcp := packages[0].imports[module+"mcp"]
	inOutput := map[string]bool{}
	for _, p := range packages {
		for id, obj := range p.info.Uses {
			if p.generated(id.Pos()) && obj.Pkg() == mcp {
				inOutput[obj.Name()] = true
			}
		}
	}
	text := userText(t)
	seen := map[string]bool{}
	for _, name := range mcp.Scope().Names() {
		if !ast.IsExported(name) {
			continue
		}
		if inOutput[name] && !regexp.MustCompile(`\bmcp\.`+name+`\b`).MatchString(text) {
			t.Errorf("mcp.%s is for output alone: it belongs in package mcprt", name)
		}
		obj, ok := mcp.Scope().Lookup(name).(*types.TypeName)
		if !ok || !obj.IsAlias() {
			continue
		}
		if to, ok := types.Unalias(obj.Type()).(*types.Named); ok && !strings.Contains(to.Obj().Pkg().Path(), "/internal/") {
			continue // a type of another package that users import
		}
		seen[name] = true
		if shownAliases[name] == "" {
			t.Errorf("mcp.%s is an alias of an internal type: its documentation has no methods", name)
		}
	}
	for name := range shownAliases {
		if !seen[name] {
			t.Errorf("mcp.%s is no alias any more: remove it from the exceptions", name)
		}
	}
}

// userText is the hand-written code and documentation that uses package mcp as users do.
func userText(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, dir := range []string{"golden", "docs", "mcp/mcptest", "mcp/mcphttp", "internal/dev/interop",
		"internal/dev/robustness"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() == "node_modules" {
				return errOr(err, filepath.SkipDir)
			}
			if ext := filepath.Ext(path); d.IsDir() || strings.HasSuffix(path, "mcp_gen.go") || ext != ".go" && ext != ".md" {
				return nil
			}
			data, err := os.ReadFile(path)
			b.Write(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(root, "mcp/*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, filepath.Join(root, "README.md")) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(data)
	}
	return b.String()
}

func errOr(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}
