package importrules

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// modules returns the folders of the other modules of this repository.
func modules(t *testing.T) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"node_modules", ".git", "testdata"}, d.Name()):
			return fs.SkipDir
		case d.Name() != "go.mod" || filepath.Dir(name) == root:
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(name))
		out = append(out, filepath.ToSlash(dir))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"bus/nats", "bus/redis", "events/sqlite", "tasks/sqlite", "otel"} {
		if !slices.Contains(out, want) {
			t.Fatalf("there is no module %s: %q", want, out)
		}
	}
	return out
}

func goMod(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// requirements are the modules that go.mod of this module names as direct ones. Who uses this module gets what they
// need into go.sum, so a new one wants a reason; adapters to other systems are modules of their own.
var requirements = []string{
	"github.com/dave/jennifer",
	"github.com/invopop/jsonschema",
	"github.com/rogpeppe/go-internal",
	"github.com/spf13/cobra",
	"go.uber.org/goleak",
	"go.yaml.in/yaml/v4", // which invopop/jsonschema needs anyway
	"golang.org/x/mod",
	"golang.org/x/tools",
}

// This module requires nothing new, and nothing of what adapters need.
func TestRequirements(t *testing.T) {
	text := goMod(t, ".")
	var direct []string
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(text, -1) {
		direct = append(direct, m[1])
	}
	if !slices.Equal(direct, requirements) {
		t.Errorf("go.mod requires %q, want %q", direct, requirements)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for _, foreign := range []string{"nats-io", "redis", "go-jose", "opentelemetry"} {
		if strings.Contains(text+string(sums), foreign) {
			t.Errorf("go.mod or go.sum names %s, which belongs into the module of its adapter", foreign)
		}
	}
}

// adapters are the modules that connect this one to other systems, and what they may import besides the standard
// library.
var adapters = map[string][]string{
	"bus/nats":      {"mcp/event", "mcp/replica", "mcp/task", "github.com/nats-io/nats.go"},
	"bus/redis":     {"mcp/event", "mcp/replica", "mcp/task", "github.com/redis/go-redis/v9"},
	"events/sqlite": {"mcp/event", "modernc.org/sqlite"},
	"tasks/sqlite":  {"mcp/task", "modernc.org/sqlite"},
	"auth":          {"mcp", "mcp/mcphttp", "github.com/go-jose/go-jose/v4"},

	// To come: who does not import it links nothing of it.
	"otel": {"mcp", "mcp/mcphttp", "mcp/stats", "go.opentelemetry.io/otel"},
}

// Adapters are built on public packages only, as those of others are, and on one client library. Their tests may use
// more of ours, and nothing else from outside.
func TestAdapterImports(t *testing.T) {
	for _, dir := range modules(t) {
		allowed := adapters[dir]
		if allowed == nil && path.Dir(dir) != "bus" && path.Dir(dir) != "tasks" {
			continue
		}
		if allowed == nil {
			t.Errorf("adapters has no entry for %s", dir)
		}
		for file, imports := range importsIn(t, dir) {
			test := strings.HasSuffix(file, "_test.go")
			for _, imp := range imports {
				ours, isOurs := strings.CutPrefix(imp, module+"/")
				if ours == failpoint { // of which a build without its tag has nothing
					continue
				}
				known := slices.ContainsFunc(allowed, func(ok string) bool { return within(imp, ok) || ours == ok })
				if !known && (thirdParty(imp) || isOurs && !test) {
					t.Errorf("%s imports %s", file, imp)
				}
			}
		}
	}
}

// importsIn returns the imports of the Go files of a module, by file.
func importsIn(t *testing.T, dir string) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s: %v", dir, err)
	}
	out := make(map[string][]string)
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			out[file] = append(out[file], imp)
		}
	}
	return out
}
