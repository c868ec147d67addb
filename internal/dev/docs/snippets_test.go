package docs

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// imports are the packages that snippets use by their last name. What a snippet does not
// import itself is imported for it.
var imports = map[string]string{
	"context": "context", "errors": "errors", "flag": "flag", "fmt": "fmt", "fs": "io/fs", "http": "net/http",
	"exchange": "github.com/mcpgen/mcpgen/mcp/exchange",
	"httptest": "net/http/httptest", "io": "io", "rand": "crypto/rand",
	"iter": "iter", "log": "log", "maps": "maps", "net": "net", "os": "os", "slices": "slices", "slog": "log/slog",
	"strconv": "strconv", "strings": "strings",
	"subtle": "crypto/subtle", "sync": "sync", "testing": "testing", "time": "time", "tls": "crypto/tls", "url": "net/url",
	"mcp":      "github.com/mcpgen/mcpgen/mcp",
	"mcphttp":  "github.com/mcpgen/mcpgen/mcp/mcphttp",
	"mcptest":  "github.com/mcpgen/mcpgen/mcp/mcptest",
	"protocol": "github.com/mcpgen/mcpgen/generated/protocol",
	"stdio":    "github.com/mcpgen/mcpgen/mcp/stdio",
	"auth":     "github.com/modelcontextprotocol/go-sdk/auth",
}

// officialMCP is what mcp means in the package of the official SDK.
const officialMCP = "github.com/modelcontextprotocol/go-sdk/mcp"

// Go blocks of a page that name packages, as in "go +ours" or "go +sdk+ours", are files of these. Together they must
// generate and compile, and their tests pass.
func TestSnippets(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a module")
	}
	dir := newModule(t)
	packages := map[string]int{}
	for _, name := range []string{
		"docs/deploy.md", "docs/from-go-sdk.md", "docs/extensions.md", "docs/events.md", "docs/transports.md",
	} {
		for _, b := range blocks(t, name, "go") {
			list, ok := strings.CutPrefix(b.arg, "+")
			if !ok {
				continue
			}
			for pkg := range strings.SplitSeq(list, "+") {
				writeSnippet(t, dir, pkg, packages[pkg], b.text)
				packages[pkg]++
			}
		}
	}
	for want, least := range map[string]int{
		"deploy": 3, "ours": 3, "sdk": 3, "locks": 3, "lines": 3, "incidents": 3, "ledger": 1,
	} {
		if packages[want] < least {
			t.Errorf("package %s has %d snippets; the pattern or a page is wrong", want, packages[want])
		}
	}
	if packages["ours"] > 0 {
		run(t, dir, nil, program(t, "./cmd/mcpgen"), "./ours", "./locks", "./incidents", "./ledger")
	}
	for pkg, test := range map[string]string{"lines": "transport_test.go", "deploy": "deploy_test.go"} {
		drive, err := os.ReadFile(filepath.Join("testdata", test))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, pkg, test), drive, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	run(t, dir, nil, "go", "test", "-vet=all", "./...") // with all that go vet checks, in packages without tests too
}

// newModule makes a module that uses this checkout, and the versions that this checkout uses.
func newModule(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	mod := page(t, "internal/dev/interop/go.mod") // which requires the official SDK
	mod = strings.Replace(mod, "module github.com/mcpgen/mcpgen/internal/dev/interop", "module example.com/snippets", 1)
	mod = regexp.MustCompile(`=> \.\./\.\./\.\.(\S*)`).ReplaceAllStringFunc(mod, func(to string) string {
		return fmt.Sprintf("=> %q", here+strings.TrimPrefix(to, "=> ../../.."))
	})
	for name, text := range map[string]string{"go.mod": mod, "go.sum": page(t, "internal/dev/interop/go.sum")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var (
	qualified = regexp.MustCompile(`\b([a-z]\w*)\.[A-Z]`)
	isTest    = regexp.MustCompile(`(?m)^func Test\w*\(t \*testing\.T\)`)
)

// writeSnippet writes file number n of a package.
func writeSnippet(t *testing.T, dir, pkg string, n int, text string) {
	t.Helper()
	used := map[string]bool{}
	for _, m := range qualified.FindAllStringSubmatch(text, -1) {
		if path, ok := imports[m[1]]; ok && m[1] == "mcp" && pkg == "sdk" {
			used[officialMCP] = true
		} else if ok {
			used[path] = true
		}
	}
	if strings.Contains(text, "\nimport (") {
		clear(used)
	}
	var b strings.Builder
	if !strings.Contains(text, "\npackage ") {
		fmt.Fprintf(&b, "package %s\n\n", pkg)
	}
	head, rest, found := strings.Cut(text, "\npackage "+pkg+"\n")
	if found {
		b.WriteString(head + "\npackage " + pkg + "\n\n")
		text = rest
	}
	for _, path := range slices.Sorted(maps.Keys(used)) {
		fmt.Fprintf(&b, "import %q\n", path)
	}
	b.WriteString("\n" + text)
	name := fmt.Sprintf("part%02d.go", n)
	if isTest.MatchString(text) {
		name = fmt.Sprintf("part%02d_test.go", n)
	}
	if err := os.MkdirAll(filepath.Join(dir, pkg), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, pkg, name), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
