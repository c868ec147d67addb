package golden

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/golden/internal/capability"
	"github.com/mcpgen/mcpgen/internal/output"
)

// A piece is a declaration and the capabilities that a server needs for it.
type piece struct {
	code  string
	needs capability.Declared
}

var pieces = []piece{
	{"//mcp:resource uri=a:///plain\nfunc Plain(ctx context.Context) (string, error) { return \"\", nil }\n",
		capability.Declared{"resources"}},
	{
		"//mcp:resource uri=a:///watched subscribe\n//mcp:allow MCP503 nothing changes here\nfunc Watched(ctx context.Context) (string, error) { return \"\", nil }\n",
		capability.Declared{"resources", "resources.subscribe"},
	},
	{
		"//mcp:resource uri=l:///{id}\nfunc Listed(ctx context.Context, id string) (string, error) { return id, nil }\n\n//mcp:list of=Listed changes\n" +
			"func List(ctx context.Context) iter.Seq2[ListedRef, error] { return func(func(ListedRef, error) bool) {} }\n",
		capability.Declared{"resources", "resources.listChanged"},
	},
	{
		"//mcp:resource uri=c:///{id} list=none\nfunc Guessed(ctx context.Context, id string) (string, error) { return id, nil }\n\n//mcp:complete of=Guessed var=id\n" +
			"func Guess(ctx context.Context, prefix string) ([]string, error) { return nil, nil }\n",
		capability.Declared{"resources", "completions"},
	},
	{"// D d.\n//\n//mcp:tool\nfunc Work(ctx context.Context) (string, error) { return \"\", nil }\n",
		capability.Declared{"tools"}},
	{"// D d.\n//\n//mcp:tool\n//mcp:toggle\nfunc Rest(ctx context.Context) (string, error) { return \"\", nil }\n",
		capability.Declared{"tools", "tools.listChanged"}},
	{"//mcp:prompt\nfunc Ask(ctx context.Context, word string) (string, error) { return word, nil }\n",
		capability.Declared{"prompts"}},
	{"//mcp:prompt\n//mcp:toggle\nfunc Beg(ctx context.Context) (string, error) { return \"\", nil }\n",
		capability.Declared{"prompts", "prompts.listChanged"}},
	{
		"//mcp:prompt\nfunc Choose(ctx context.Context, size Size) (string, error) { return string(size), nil }\n\n// Size is an enum.\n//\n//mcp:enum\n" +
			"type Size string\n\n// The sizes.\nconst (\n\tBig Size = \"big\"\n\tSmall Size = \"small\"\n)\n",
		capability.Declared{"prompts", "completions"},
	},
	{"// D d.\n//\n//mcp:tool\nfunc Tell(ctx context.Context, log *slog.Logger) (string, error) { return \"\", nil }\n",
		capability.Declared{"tools", "logging"}},
	{"//mcp:event\n//mcp:toggle\n//mcp:allow MCP626 it is a test\ntype Happened struct {\n\tID string `json:\"id\"`\n}\n\nvar _ context.Context\n",
		capability.Declared{"events", "events.listChanged"}},
}

// combinations are sets of pieces, as bits: each alone, all, and some between.
func combinations() (out []int) {
	for i := range pieces {
		out = append(out, 1<<i)
	}
	all := 1<<len(pieces) - 1
	for i := 1; len(out) < 21; i++ {
		if set := i * 0x9e3779b1 >> 7 & all; !slices.Contains(out, set) && set != 0 {
			out = append(out, set)
		}
	}
	return append(out, all)
}

// TestDeclaredIsAnswered generates a server for each combination of declarations and asks all of them for everything,
// in one program.
func TestDeclaredIsAnswered(t *testing.T) {
	t.Attr("requirements", "init-capabilities prompt-capability prompt-list prompt-negotiation "+
		"completion-capability res-capability res-options res-list subscribe-optional "+
		"list-changed-author tool-capability tool-list log-capability version-discover")
	const module = "github.com/mcpgen/mcpgen/golden/matrix"
	dir := tempModule(t, "", module)
	var imports, rows strings.Builder
	for i, set := range combinations() {
		name := fmt.Sprintf("p%02d", i)
		code := "// Package " + name + " is a test.\n//\n//mcp:server name=m\npackage " + name +
			"\n\nimport (\n\t\"context\"\n"
		for _, needed := range []struct {
			piece int
			path  string
		}{{2, "iter"}, {9, "log/slog"}} {
			if set>>needed.piece&1 == 1 {
				code += "\t\"" + needed.path + "\"\n"
			}
		}
		code += ")\n"
		var want capability.Declared
		for k, p := range pieces {
			if set>>k&1 == 1 {
				code += "\n" + p.code
				want = append(want, p.needs...)
			}
		}
		write(t, filepath.Join(dir, name, "m.go"), code)
		fmt.Fprintf(&imports, "\t%q\n", module+"/"+name)
		fmt.Fprintf(&rows, "\tt.Run(%q, func(t *testing.T) {\n\t\tcapability.Check(t, func() mcptest.Server {\n\t\t\ts, err := %s.NewMServer(%s.MImpl{}, nil)\n"+
			"\t\t\tif err != nil {\n\t\t\t\tt.Fatal(err)\n\t\t\t}\n\t\t\treturn s\n\t\t}, %#v)\n\t})\n", strings.Join(want,
			","), name, name, want)
	}
	if _, err := generate(t, dir, "./...").Write(output.Disk{}); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "matrix_test.go"),
		"package matrix\n\nimport (\n\t\"testing\"\n\n\t\"github.com/mcpgen/mcpgen/golden/internal/capability\"\n"+
			"\t\"github.com/mcpgen/mcpgen/mcp/mcptest\"\n"+imports.String()+
			")\n\nfunc TestMatrix(t *testing.T) {\n"+rows.String()+"}\n")
	// Vet would look at all that is imported, and at nothing that was generated; the optimizer would take longer for the
	// servers than they run.
	cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-gcflags="+module+"/...=-N -l", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod -ldflags=-w")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
