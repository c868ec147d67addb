package importrules

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The generator must be able to repair the runtime's generated code while that does not compile.
func TestGeneratorDoesNotReachTheRuntime(t *testing.T) {
	for _, p := range load(t) {
		if !under(p.path, "cmd/mcpgen", "schema", "templates", "internal/serverir", "internal/protocolir",
			"internal/goname",
			"internal/diag", "internal/gen", "internal/protocolgen", "internal/overview",
			"internal/clientconfig",
			"internal/ir", "internal/load", "internal/directive", "internal/output", "internal/scaffold",
			"internal/schemadiff", "internal/version") && !under(p.path, leaves...) {
			continue
		}
		for _, dep := range p.Deps {
			if path, ours := strings.CutPrefix(dep, module+"/"); ours && under(path, "mcp", "generated", "golden") {
				t.Errorf("%s reaches %s", p.path, path)
			}
		}
	}
}

// What only tests and maintainers use is below internal/dev, and nothing that users run needs it, except the points at
// which bugs are planted.
func TestDevIsForMaintainers(t *testing.T) {
	for _, p := range load(t) {
		if under(p.path, "internal/dev", "golden", "bench") {
			continue
		}
		for _, imp := range p.Imports {
			if path, ours := strings.CutPrefix(imp, module+"/"); ours && under(path, "internal/dev") && path != failpoint {
				t.Errorf("%s imports %s", p.path, path)
			}
		}
	}
}

// The two halves of the templates have only jenutil in common.
func TestTemplateHalves(t *testing.T) {
	halves := []string{"templates/protocol", "templates/server"}
	for _, p := range load(t) {
		if !under(p.path, "templates/protocol", "templates/server", "templates/jenutil") {
			continue
		}
		for _, imp := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if path, ours := strings.CutPrefix(imp, module+"/"); ours && path != p.path && under(path, halves...) {
				t.Errorf("%s imports %s", p.path, path)
			}
		}
	}
}

// leaves are the rules that the generator and the runtime share, each written once.
var leaves = []string{"internal/mimetype", "internal/uritemplate"}

// failpoint is where bugs are planted: every package of the runtime may have some, and without the build tag of it
// nothing is left of them. It imports the standard library only.
const failpoint = "internal/dev/failpoint"

// A leaf imports the standard library only, as the runtime does.
func TestLeaves(t *testing.T) {
	leaves := append(slices.Clip(leaves), failpoint)
	for _, leaf := range leaves {
		if !slices.ContainsFunc(load(t), func(p pkg) bool { return p.path == leaf }) {
			t.Errorf("there is no package %s", leaf)
		}
	}
	for _, p := range load(t) {
		if !under(p.path, leaves...) {
			continue
		}
		for _, dep := range p.Deps {
			if strings.Contains(dep, ".") || dep == "net/http" {
				t.Errorf("%s reaches %s", p.path, dep)
			}
		}
	}
}

// confined names packages that only some of ours may import.
var confined = []struct {
	path string   // with all below it
	in   []string // folders of ours, tests included
}{
	{"github.com/dave/jennifer", []string{"templates"}},
	{"golang.org/x/tools/go/packages", []string{"internal/dev"}},
	{"github.com/invopop/jsonschema", []string{"internal/serverir/jsonschema"}},
	{"github.com/rogpeppe/go-internal/diff", []string{"internal/output"}},
	{"go.yaml.in/yaml/v4", []string{"internal/frontmatter"}},
}

func TestConfinedPackages(t *testing.T) {
	for _, p := range load(t) {
		for _, imp := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			for _, c := range confined {
				if within(imp, c.path) && !under(p.path, c.in...) {
					t.Errorf("%s imports %s, which belongs in %s", p.path, imp, c.in)
				}
			}
		}
	}
}

// The intermediate representation is plain data: emitters and builders can be tested without each other.
func TestIRIsPlain(t *testing.T) {
	for _, p := range load(t) {
		if !under(p.path, "internal/ir") {
			continue
		}
		for _, imp := range p.Imports {
			if within(imp, "go/types") || within(imp, "go/ast") || strings.Contains(imp, "json") ||
				strings.Contains(imp, "jennifer") {
				t.Errorf("%s imports %s", p.path, imp)
			}
		}
	}
}

// allowed says which packages of this module a package of the runtime may import; folders end in /... .
var allowed = []struct {
	path    string
	imports []string
}{
	{"mcp/wire", nil},
	{"mcp/internal/labels", nil},
	{"mcp/stats", []string{"mcp/internal/labels"}},
	{"mcp/internal/server", []string{"mcp/transport", "generated/protocol", "mcp/wire",
		"mcp/stats", "mcp/replica", "mcp/task", "mcp/event",
		"mcp/internal/...", "internal/mimetype", "internal/uritemplate"}},
	{"mcp/event", []string{"mcp/stats"}},
	{"mcp/event/...", []string{"mcp/event"}},
	{"mcp/internal/events", []string{"mcp/event", "mcp/internal/canonical", "mcp/internal/fair", "mcp/internal/safelog",
		"mcp/internal/seal", "mcp/wire"}},
	{"mcp/internal/taskrun", []string{"mcp/internal/fair", "mcp/internal/labels", "mcp/task", "mcp/wire"}},
	{"mcp/task", []string{"mcp/internal/fair", "mcp/wire"}},
	{"mcp/task/...", []string{"mcp/task"}},
	{"mcp/internal/era", []string{"mcp/internal/engine", "generated/protocol"}},
	{"mcp/internal/uri", []string{"internal/uritemplate", "mcp/wire"}},
	{"mcp/internal/content", []string{"mcp/internal/uri", "generated/protocol", "mcp/wire"}},
	{"mcp/internal/counters", []string{"mcp/internal/content", "mcp/internal/labels",
		"generated/protocol", "generated/protocol/ext/tasks",
		"mcp/stats", "mcp/wire"}},
	{"mcp/internal/call", []string{"mcp/stats", "mcp/internal/canonical", "mcp/internal/content", "mcp/internal/counters",
		"mcp/internal/engine", "mcp/internal/era", "mcp/internal/labels", "mcp/internal/seal", "mcp/internal/uri",
		"generated/protocol", "mcp/wire"}},
	{"mcp/internal/access", []string{"mcp/internal/call", "mcp/internal/content", "mcp/internal/engine",
		"mcp/internal/labels", "mcp/internal/ratelimit", "mcp/internal/seal", "generated/protocol", "mcp/wire"}},
	{"mcp/internal/feature", []string{"mcp/internal/access", "mcp/internal/call", "mcp/internal/content",
		"mcp/internal/counters", "mcp/internal/era", "mcp/internal/paging", "mcp/internal/seal", "mcp/internal/uri",
		"internal/uritemplate", "mcp/event", "mcp/stats", "generated/protocol", "mcp/wire"}},
	{"mcp/internal/lists", []string{"mcp/internal/feature", "mcp/internal/access", "mcp/internal/call",
		"mcp/internal/content", "mcp/internal/era", "mcp/internal/paging", "mcp/internal/session", "mcp/internal/uri",
		"generated/protocol", "mcp/wire"}},
	{"mcp/internal/subscribe", []string{"mcp/internal/pipeline", "mcp/internal/session", "mcp/internal/feature",
		"mcp/internal/access", "mcp/internal/call", "mcp/internal/content", "mcp/internal/era", "mcp/internal/pubsub",
		"mcp/internal/uri", "generated/protocol", "mcp/wire"}},
	{"mcp/internal/files", []string{"mcp/internal/feature", "mcp/internal/call", "mcp/internal/content",
		"internal/mimetype", "mcp/wire"}},
	{"mcp/internal/live", []string{"mcp/internal/feature", "mcp/internal/call", "mcp/internal/content",
		"mcp/internal/uri"}},
	{"mcp/internal/session", []string{"mcp/internal/feature", "mcp/internal/call", "mcp/internal/content",
		"mcp/internal/counters", "mcp/internal/engine", "mcp/internal/era", "mcp/internal/labels", "mcp/internal/pubsub",
		"mcp/internal/safelog", "mcp/internal/uri", "mcp/stats", "mcp/transport",
		"generated/protocol", "generated/protocol/ext/tasks", "mcp/wire"}},
	{"mcp/internal/pipeline", []string{"mcp/internal/session", "mcp/internal/feature", "mcp/internal/access",
		"mcp/internal/call", "mcp/internal/content", "mcp/internal/era", "mcp/internal/ratelimit", "mcp/internal/uri",
		"generated/protocol", "mcp/wire"}},
	{"mcp/internal/tasks", []string{"mcp/internal/server", "mcp/internal/pipeline", "mcp/internal/session",
		"mcp/internal/taskrun",
		"mcp/internal/feature", "mcp/internal/call", "mcp/internal/content", "mcp/internal/counters",
		"mcp/internal/engine", "mcp/internal/era", "mcp/internal/labels", "mcp/internal/paging", "mcp/internal/pubsub",
		"generated/protocol", "generated/protocol/ext/tasks", "mcp/stats", "mcp/task", "mcp/wire"}},
	{"mcp/internal/relay", []string{"mcp/internal/seal"}},
	{"mcp/internal/replicas", []string{"mcp/internal/feature", "mcp/internal/labels", "mcp/internal/live",
		"mcp/internal/paging", "mcp/internal/ratelimit", "mcp/internal/relay", "mcp/internal/seal", "mcp/stats",
		"generated/protocol"}},
	{"mcp/internal/pubsub", []string{"mcp/internal/fair"}},
	{"mcp/internal/paging", []string{"mcp/internal/seal"}},
	{"mcp/internal/webhook/egress", nil},
	{"mcp/internal/webhook/sign", nil},
	{"mcp/internal/webhook/keys", []string{"mcp/event", "mcp/internal/webhook/sign"}},
	{"mcp/internal/webhook/lease", []string{"mcp/event"}},
	{"mcp/internal/webhook/rights", []string{"mcp/event"}},
	{"mcp/internal/webhook/desk", []string{"mcp/event", "mcp/internal/ratelimit", "mcp/internal/webhook/egress",
		"mcp/internal/webhook/keys", "mcp/internal/webhook/sign"}},
	{"mcp/internal/webhook/deliver", []string{"mcp/event", "mcp/stats", "mcp/internal/fair", "mcp/internal/safelog",
		"mcp/internal/webhook/egress", "mcp/internal/webhook/keys", "mcp/internal/webhook/lease",
		"mcp/internal/webhook/rights", "mcp/internal/webhook/sign", "mcp/wire"}},
	{"mcp/internal/seal", nil},
	{"mcp/internal/seal/aead", []string{"mcp/internal/seal"}},
	{"mcp/internal/...", []string{"mcp/wire"}},
	{"generated/protocol", []string{"mcp/wire"}},
	{"generated/protocol/ext/...", []string{"generated/protocol", "mcp/wire"}},
	{"mcp/mcphttp/internal/web", []string{"mcp/internal/session", "mcp/internal/call", "mcp/internal/counters",
		"mcp/wire"}},
	{"mcp/mcphttp/internal/limits", []string{"mcp/mcphttp/internal/web", "mcp", "mcp/internal/...", "mcp/stats",
		"mcp/wire"}},
	{"mcp/mcphttp/internal/eventlog", []string{"mcp/mcphttp/internal/limits", "mcp/mcphttp/internal/web",
		"mcp/internal/...", "mcp/stats", "mcp/wire"}},
	{"mcp/mcphttp/internal/sessions", []string{"mcp/mcphttp/internal/eventlog", "mcp/mcphttp/internal/limits",
		"mcp/mcphttp/internal/web", "mcp/transport", "generated/protocol", "mcp/internal/...", "mcp/stats"}},
	{"mcp/mcphttp/internal/shared", []string{"mcp/mcphttp/internal/sessions", "mcp/mcphttp/internal/eventlog",
		"mcp/mcphttp/internal/limits", "mcp/mcphttp/internal/web", "mcp", "generated/protocol", "mcp/internal/...",
		"mcp/replica", "mcp/wire"}},
	{"mcp/mcphttp/internal/sse", []string{"mcp/mcphttp/internal/sessions", "mcp/mcphttp/internal/eventlog",
		"mcp/mcphttp/internal/limits", "mcp/mcphttp/internal/web", "mcp", "generated/protocol", "mcp/internal/...",
		"mcp/stats", "mcp/wire"}},
	{"mcp/mcphttp", []string{"mcp/transport", "mcp/wire", "mcp", "mcp/keys", "mcp/replica", "mcp/stats",
		"mcp/internal/...",
		"mcp/stdio", "mcp/mcphttp/internal/...", "generated/protocol"}},
	{"mcp/exchange", []string{"mcp", "mcp/keys", "mcp/wire", "mcp/internal/call", "mcp/internal/engine",
		"mcp/internal/server",
		"mcp/internal/session", "generated/protocol"}},
	{"mcp/stdio", []string{"mcp/transport", "mcp/wire"}},
	{"mcp/transport/...", []string{"mcp/wire"}},
	{"mcp/mcprt", []string{"mcp", "mcp/internal/server", "mcp/internal/files", "mcp/internal/live",
		"mcp/internal/feature", "mcp/internal/access", "mcp/internal/call", "mcp/internal/content", "mcp/internal/uri", "mcp/wire", "generated/protocol"}},
	{"mcp/keys", []string{"mcp/internal/seal/aead"}},
	{"mcp/mcptask", []string{"mcp/internal/server", "mcp/internal/tasks", "mcp/keys"}},
	{"mcp/mcpapp", []string{"mcp/mcprt", "internal/apppage"}},
	{"mcp/mcpskill", []string{"mcp/mcprt", "mcp/wire", "generated/protocol", "internal/skilldir"}},
	{"mcp/mcpevent", []string{"mcp", "mcp/keys", "mcp/mcprt", "mcp/event", "mcp/internal/access", "mcp/internal/call",
		"mcp/internal/events", "mcp/internal/feature", "mcp/internal/server", "mcp/stats", "mcp/wire", "generated/protocol"}},
	{"mcp/webhook", []string{"mcp/event", "mcp/stats", "mcp/internal/webhook/deliver", "mcp/internal/webhook/desk",
		"mcp/internal/webhook/egress"}},
	{"mcp/webhook/webhooktest", []string{"mcp/internal/webhook/sign"}},
	{"mcp/mcpclient", []string{"mcp/transport", "mcp/stdio", "mcp/wire", "generated/protocol"}}, // to come
	{"mcp/replica", []string{"mcp/internal/replicas"}},
	{"mcp/replica/...", []string{"mcp/replica"}},
	{"mcp/catalog", []string{"mcp", "mcp/transport", "mcp/wire", "generated/protocol"}},
	{"mcp/mcptest", []string{"mcp", "mcp/keys", "mcp/transport", "mcp/wire", "generated/protocol"}},
	{"mcp", []string{"mcp/transport", "generated/protocol", "mcp/wire", "mcp/stats", "mcp/replica", "mcp/task",
		"mcp/event", "mcp/internal/...",
		"internal/mimetype", "internal/uritemplate"}},
}

func TestRuntimeLayers(t *testing.T) {
	for _, p := range load(t) {
		i := slices.IndexFunc(allowed, func(a struct {
			path    string
			imports []string
		}) bool {
			return matches(p.path, a.path)
		})
		if i < 0 {
			continue
		}
		for _, imp := range p.Imports {
			path, ours := strings.CutPrefix(imp, module+"/")
			known := path == failpoint ||
				slices.ContainsFunc(allowed[i].imports, func(ok string) bool { return matches(path, ok) })
			if ours && !known {
				t.Errorf("%s imports %s", p.path, path)
			}
		}
	}
}

// linkedOnUse are the extensions that the runtime imports. The linker leaves them out of a server that does not use
// them, which TestBinarySize in mcp/internal/server looks at.
var linkedOnUse = []string{"generated/protocol/ext/tasks"}

// Whoever does not import the package of an extension links nothing of it: no other package of ours needs one.
func TestExtensionsAreOptional(t *testing.T) {
	const ext = "generated/protocol/ext"
	for _, p := range load(t) {
		if under(p.path, ext) || !under(p.path, "mcp", "generated", "golden") {
			continue
		}
		for _, dep := range p.Deps {
			path, ours := strings.CutPrefix(dep, module+"/")
			if ours && under(path, ext) && !slices.Contains(linkedOnUse, path) {
				t.Errorf("%s reaches %s", p.path, path)
			}
		}
	}
}

// What users import depends on nothing but the standard library, and does not pull in an HTTP server.
func TestRuntimeReach(t *testing.T) {
	for _, p := range load(t) {
		if !under(p.path, "mcp", "generated", "golden") || under(p.path, "golden/internal") { // that helps tests
			continue
		}
		for _, dep := range p.Deps {
			speaks := under(p.path, "mcp/mcphttp", "mcp/webhook", "mcp/internal/webhook") || strings.Contains(p.path, "/cmd/")
			if dep == "net/http" && !speaks {
				t.Errorf("%s reaches net/http", p.path)
			}
			if thirdParty(dep) && dep != "github.com/segmentio/asm/base64" {
				t.Errorf("%s reaches %s", p.path, dep)
			}
		}
	}
}

// Tests of what users import bring nothing into their go.sum but goleak.
func TestRuntimeTestImports(t *testing.T) {
	for _, p := range load(t) {
		if !under(p.path, "mcp", "generated") {
			continue
		}
		for _, imp := range slices.Concat(p.TestImports, p.XTestImports) {
			path, ours := strings.CutPrefix(imp, module+"/")
			switch {
			case ours && under(path, "mcp", "generated", "golden", "schema"):
			case ours:
				t.Errorf("a test of %s imports %s", p.path, path)
			case thirdParty(imp) && imp != "go.uber.org/goleak":
				t.Errorf("a test of %s imports %s", p.path, imp)
			}
		}
	}
}

// Every mcp_gen.go imports the standard library and three packages of ours, and those of the extensions that it uses;
// other packages in golden stand for those of users.
func TestGeneratedImports(t *testing.T) {
	files := 0
	err := filepath.WalkDir(filepath.Join(root, "golden"), func(file string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, "mcp_gen.go") {
			return err
		}
		files++
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			imp, _ := strconv.Unquote(spec.Path.Value)
			path, ours := strings.CutPrefix(imp, module+"/")
			if ours && !strings.HasPrefix(path, "golden/") && !slices.Contains([]string{"mcp", "mcp/mcprt", "mcp/wire",
				"generated/protocol", "mcp/mcpapp", "mcp/mcpskill", "mcp/mcpevent", "mcp/mcptask"}, path) {
				t.Errorf("%s imports %s", file, imp)
			}
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Errorf("%d mcp_gen.go, %v", files, err)
	}
}

// A toolchain line, or a newer go line, would force a toolchain on users.
func TestGoMod(t *testing.T) {
	for _, dir := range append(modules(t), ".") {
		text := goMod(t, dir)
		version, toolchain := regexp.MustCompile(`(?m)^go 1\.26\.0$`), regexp.MustCompile(`(?m)^toolchain `)
		if !version.MatchString(text) || toolchain.MatchString(text) {
			t.Errorf("go.mod of %s must say go 1.26.0 and have no toolchain line", dir)
		}
		here, err := filepath.Rel(dir, ".")
		if err != nil {
			t.Fatal(err)
		}
		requires := regexp.MustCompile(`(?m)^(?:require |\t)` + module + ` v`).MatchString(text)
		if requires && !strings.Contains(text, "replace "+module+" => "+filepath.ToSlash(here)) {
			t.Errorf("go.mod of %s must replace %s by this checkout", dir, module)
		}
	}
}
