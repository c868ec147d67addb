package browser

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	_ "github.com/mcpgen/mcpgen/golden/everything" // built below
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// TestCommandLine runs the command line of the MCP Inspector in both eras, and over HTTP+SSE: it waits for a tool that
// is a task always, reads and verifies skills, and describes apps.
func TestCommandLine(t *testing.T) {
	node := findNode(t)
	jobs := serve(t, build(t, "jobs"), "-pace", "50ms", "-sse")
	everything := serve(t, build(t, "everything"), "-sse")
	board := serve(t, build(t, "board"))
	for _, tt := range []struct {
		name, url string
		args      []string
		check     func(t *testing.T, out string)
	}{
		{"tasks", jobs, []string{"--method", "tools/call", "--tool-name", "rebuild"}, checkTask},
		{"skills", everything, []string{"--method", "skills/list", "--verify", "--require-digests"}, checkSkills},
		{"apps", board, []string{"--method", "tools/list", "--advertise-apps", "--app-info"}, checkApps},
	} {
		for _, era := range []string{"modern", "legacy", "sse"} {
			if era == "sse" && tt.url == board {
				continue
			}
			t.Run(tt.name+" "+era, func(t *testing.T) {
				t.Parallel()
				to := []string{"--server-url", tt.url + mcphttp.Path, "--transport", "http", "--protocol-era", era}
				if era == "sse" {
					to = []string{"--server-url", tt.url + mcphttp.SSEPath, "--transport", "sse"}
				}
				tt.check(t, inspect(t, node, slices.Concat(to, tt.args)...))
			})
		}
	}
}

// inspect runs the Inspector's command line, and returns what it prints; it says by its status that nothing is wrong.
func inspect(t *testing.T, node string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, slices.Concat([]string{inspector, "--cli", "--format", "json"}, args)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "MCP_STORAGE_DIR=" + dir,
		"MCP_INSPECTOR_SECRET_STORE=memory"}
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("inspector --cli %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// checkTask checks a result without content: a client that does not know tasks gets an error.
func checkTask(t *testing.T, out string) {
	t.Helper()
	var r struct {
		Result struct {
			Content []any
			IsError bool
		}
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || r.Result.IsError || r.Result.Content == nil {
		t.Errorf("%s: %v", out, err)
	}
}

// checkSkills checks that each skill is a line, whose files are verified.
func checkSkills(t *testing.T, out string) {
	t.Helper()
	var names []string
	for line := range strings.Lines(out) {
		var skill struct {
			Name, Outcome            string
			Conformance, Frontmatter []any
			Files                    []any
		}
		if err := json.Unmarshal([]byte(line), &skill); err != nil || skill.Outcome != "verified" ||
			len(skill.Conformance)+len(skill.Frontmatter) > 0 || len(skill.Files) == 0 {
			t.Errorf("%s: %v", line, err)
		}
		names = append(names, skill.Name)
	}
	if !slices.Equal(names, []string{"release-notes", "triage"}) {
		t.Errorf("skills %q", names)
	}
}

// checkApps checks that each tool is a line that says which app it has.
func checkApps(t *testing.T, out string) {
	t.Helper()
	var apps []string
	for line := range strings.Lines(out) {
		var tool struct{ ToolName, ResourceURI, ResourceMimeType string }
		if err := json.Unmarshal([]byte(line), &tool); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		apps = append(apps, tool.ToolName+" "+tool.ResourceURI+" "+tool.ResourceMimeType)
	}
	const app = " ui://board/cards text/html;profile=mcp-app"
	if !slices.Equal(apps, []string{"move  ", "show_board" + app, "refresh" + app}) {
		t.Errorf("apps %q", apps)
	}
}
