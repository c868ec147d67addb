package requirements

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// ours are the codes from the range of JSON-RPC that the runtime returns, and the file that says so for those that
// only some revisions have.
var ours = map[int]string{
	-32700: "", -32600: "", -32601: "", -32602: "", -32603: "",
	-32020: "", -32021: "", -32022: "",
	-32002: "mcp/internal/content/errors.go", // up to 2025-11-25
	-32023: ofEvents, -32024: ofEvents, -32025: ofEvents, -32026: ofEvents, -32027: ofEvents,
	-32011: ofEvents, -32012: ofEvents, -32013: ofEvents, -32014: ofEvents, -32015: ofEvents, // by an option only
}

// ofEvents has the codes of the extension of events: those of its text, and those of clients that came before.
const ofEvents = "mcp/internal/events/profile.go"

// The runtime returns no code from the range of JSON-RPC but those that the specification defines, and each where the
// specification has it.
func TestEveryCodeOfRuntime(t *testing.T) {
	t.Attr("requirements", "code-legacy code-reserved ask-required-error")
	seen := map[int]bool{}
	for _, dir := range []string{"mcp", "auth"} {
		eachLiteral(t, dir, token.INT, func(file, text string) {
			code, err := strconv.Atoi(text)
			if err != nil || code < 32000 || code > 32768 || code == 32768 {
				return
			}
			only, ok := ours[-code]
			if seen[-code] = true; !ok || only != "" && only != file {
				t.Errorf("%s has the code -%d", file, code)
			}
		})
	}
	if !seen[-32602] || !seen[-32002] {
		t.Error("the codes were not found")
	}
}

// The name that a client gives itself decides nothing: no text of the runtime is compared with it.
func TestNamesOfClientsAreNotCompared(t *testing.T) {
	t.Attr("requirements", "meta-client-info ask-user")
	found := 0
	eachFile(t, "mcp", func(file string, parsed *ast.File) {
		ast.Inspect(parsed, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "ClientInfo" {
				found++
			}
			b, ok := n.(*ast.BinaryExpr)
			if ok && (b.Op == token.EQL || b.Op == token.NEQ) && (isClientName(b.X) || isClientName(b.Y)) {
				t.Errorf("%s compares the name of a client", file)
			}
			return true
		})
	})
	if found == 0 {
		t.Error("nothing reads clientInfo: this test looks for the wrong name")
	}
}

// isClientName reports whether x is ClientInfo.Name or ClientInfo.Version.
func isClientName(x ast.Expr) bool {
	s, ok := x.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "Name" && s.Sel.Name != "Version" {
		return false
	}
	inner, ok := s.X.(*ast.SelectorExpr)
	return ok && inner.Sel.Name == "ClientInfo"
}

// Pages say what the specification wants to be documented.
func TestPagesSay(t *testing.T) {
	for _, x := range []struct{ row, page, want string }{
		{"schema-dialects-documented", "docs/values.md", `JSON Schema 2020-12`},
		{"task-bounds-documented", "docs/tasks.md", `(?i)ttl`},
		{"version-extension-document", "docs/extensions.md", `declared`},
		{"stdio-custom-document", "mcp/transport/transport.go", `type Conn interface`},
	} {
		t.Run(x.row, func(t *testing.T) {
			t.Attr("requirements", x.row)
			if !regexp.MustCompile(x.want).MatchString(text(t, x.page)) {
				t.Errorf("%s does not say %q", x.page, x.want)
			}
		})
	}
}

func eachLiteral(t *testing.T, dir string, kind token.Token, f func(file, text string)) {
	t.Helper()
	eachFile(t, dir, func(file string, parsed *ast.File) {
		ast.Inspect(parsed, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == kind {
				f(file, lit.Value)
			}
			return true
		})
	})
}

// eachFile parses the files of a folder that are not tests.
func eachFile(t *testing.T, dir string, f func(file string, parsed *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(root, dir), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		file, err := filepath.Rel(root, name)
		f(filepath.ToSlash(file), parsed)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The record of pages is that of a checkout of the specification: the folder of its revisions is named by the variable
// MCPGEN_SPECIFICATION.
func TestPagesOfSpecification(t *testing.T) {
	dir := os.Getenv("MCPGEN_SPECIFICATION")
	if dir == "" {
		t.Skip("MCPGEN_SPECIFICATION names no folder, such as docs/specification of the specification")
	}
	for _, s := range readTable(t).Sources {
		if s.Founding {
			continue
		}
		known := map[string]bool{}
		for _, p := range s.Pages {
			known[p.Path] = true
		}
		base := filepath.Join(dir, s.Name)
		err := filepath.WalkDir(base, func(name string, d fs.DirEntry, err error) error {
			page, ok := strings.CutSuffix(name, ".mdx")
			if err != nil || !ok {
				return err
			}
			if page, err = filepath.Rel(base, page); err == nil && !known[filepath.ToSlash(page)] {
				t.Errorf("revision %s has the page %s, which the record lacks", s.Name, page)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
