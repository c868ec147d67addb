package contract

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/internal/dev/modcache"

	// What old output is compiled with. Importing it makes go test run again when it changes.
	_ "github.com/mcpgen/mcpgen/generated/protocol"
	_ "github.com/mcpgen/mcpgen/mcp"
	_ "github.com/mcpgen/mcpgen/mcp/wire"
)

const root = "../../.."

// filled fills the module cache, once.
var filled = sync.OnceValue(func() error { return modcache.Fill(root) })

// compile writes files into a package of a module outside of the checkout that uses the checkout, and returns what go
// build says.
func compile(t *testing.T, files map[string]string) string {
	t.Helper()
	checkout, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := filled(); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(checkout, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	const module = "github.com/mcpgen/mcpgen"
	dir := t.TempDir()
	all := map[string]string{
		"go.mod": fmt.Sprintf("module example.com/old\n\ngo 1.26.0\n\nrequire %[1]s v0.0.0\n\nreplace %[1]s => %[2]q\n",
			module, checkout),
		"go.sum": string(sums),
	}
	for name, text := range files {
		all["p/"+name] = text
	}
	for name, text := range all {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "build", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -ldflags=-w", "GOPROXY=off", "GOWORK=off", "GOTOOLCHAIN=local")
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// told matches what the compiler says where old output meets these packages.
var told = regexp.MustCompile(`mcp_gen\.go:\d+:\d+: wire\.\w+ \(variable of struct type wire\.this_mcp_gen_go_is_older_than_package_mcp__run_go_generate\) is not (a type|constant)$`)

// positions returns the lines of a build that name a position.
func positions(out string) []string {
	return regexp.MustCompile(`(?m)^\S+\.go:\d+:\d+: .*$`).FindAllString(out, -1)
}

// TestOldOutput compiles output of older versions with today's packages. It compiles, or the first error says what to
// do.
func TestOldOutput(t *testing.T) {
	files, err := filepath.Glob("testdata/old_*.txtar")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sources := map[string]string{}
			for _, f := range archive.Files {
				sources[f.Name] = string(f.Data)
			}
			out := compile(t, sources)
			if list := positions(out); len(list) == 0 && out != "" || len(list) > 0 && !told.MatchString(list[0]) {
				t.Errorf("the compiler does not say first what to do:\n%s", out)
			}
		})
	}
}

// TestReasonIsNotHidden: what the compiler says of the handshake survives many errors in the user's own files, of which
// it prints ten in all.
func TestReasonIsNotHidden(t *testing.T) {
	var user strings.Builder
	user.WriteString("package p\n\nimport \"github.com/mcpgen/mcpgen/mcp\"\n")
	for i := range 20 {
		fmt.Fprintf(&user, "\nfunc Use%d(s mcp.Gone%d) { mcp.Missing%d() }\n", i, i, i)
	}
	files := map[string]string{
		"a.go":       user.String(),
		"mcp_gen.go": "package p\n\nimport \"github.com/mcpgen/mcpgen/mcp/wire\"\n\ntype _ wire.Contract1\n",
	}
	if out := compile(t, files); !strings.Contains(out, "this_mcp_gen_go_is_older_than_package_mcp__run_go_generate") {
		t.Errorf("the reason is hidden:\n%s", out)
	}
}
