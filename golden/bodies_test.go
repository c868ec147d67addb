package golden

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"testing"
)

// maxBodyLines is for functions of an mcp_gen.go: what is longer belongs in the runtime.
const maxBodyLines = 10

// longBodies are generated functions whose length is that of what the user declares.
var longBodies = []struct {
	name   *regexp.Regexp
	reason string
}{
	{regexp.MustCompile(`^[a-z]\w*Features([A-Z]\w*)?$`), "a literal with one entry for each declaration"},
	{regexp.MustCompile(`^route[A-Z]\w*$`), "a switch with one case for each address or tool"},
	{regexp.MustCompile(`^decode[A-Z]\w*$`), "a switch with one case for each member of a struct"},
	{regexp.MustCompile(`^encode[A-Z]\w*$`), "a statement for each member of a struct"},
	{regexp.MustCompile(`^(append)?[A-Z]\w*URI$`), "a statement for each variable of an address"},
	{regexp.MustCompile(`^[a-z]\w*Vars$`), "a statement for each variable of an address"},
	{regexp.MustCompile(`^[a-z]\w*Args$`), "a statement for each argument of a prompt"},
	{regexp.MustCompile(`^[a-z]\w*Entry$`), "a literal with one line for each tagged field of a struct"},
	{regexp.MustCompile(`^[a-z]\w*Event$`), "a literal with the schemas of an event"},
	{regexp.MustCompile(`^MCPForm$`), "the schema of a form, one line for each keyword"},
	{regexp.MustCompile(`^New[A-Z]\w*Server$`), "a check for each field of the Impl struct"},
	{regexp.MustCompile(`^New[A-Z]\w*Store$`), "a literal that says what a key is, with a name for each variable"},
}

func TestGeneratedBodies(t *testing.T) {
	used := make([]bool, len(longBodies))
	files, err := filepath.Glob("*/*mcp_gen.go")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	fset := token.NewFileSet()
	for _, file := range files {
		tree, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range tree.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n := fset.Position(f.Body.End()).Line - fset.Position(f.Body.Pos()).Line - 1
			if n > maxBodyLines && !excused(f.Name.Name, used) {
				t.Errorf("%s: the body of %s has %d lines, more than %d", file, f.Name.Name, n, maxBodyLines)
			}
		}
	}
	for i, ok := range used {
		if !ok {
			t.Errorf("no body is long because it is %s: remove the exception", longBodies[i].reason)
		}
	}
}

// excused reports whether a function may be long, and marks what says so as used.
func excused(name string, used []bool) bool {
	for i, e := range longBodies {
		if e.name.MatchString(name) {
			used[i] = true
			return true
		}
	}
	return false
}
