package signin

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcp-remote registers, signs in with a browser, reads, steps up, writes and refreshes, for a client on stdio.
func TestMCPRemote(t *testing.T) {
	bridge, err := filepath.Abs("../sse/node_modules/mcp-remote/dist/proxy.js")
	if err == nil {
		_, err = os.Stat(bridge)
	}
	switch {
	case runtime.GOOS != "linux":
		t.Skip("it opens browsers in other ways on other systems")
	case err != nil && os.Getenv("CI") == "true":
		t.Fatal(err)
	case err != nil:
		t.Skip("mcp-remote is missing, run make setup: " + err.Error())
	}
	endpoint := startDiary(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, node(t), bridge, endpoint, "--transport", "http-only", "--allow-http")
	cmd.Env = append(os.Environ(), "BROWSER="+browser(t), "DISPLAY=", "MCP_REMOTE_CONFIG_DIR="+t.TempDir())
	var log strings.Builder
	cmd.Stderr = &log
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("mcp-remote:\n%s", &log)
		}
	})
	client := sdk.NewClient(&sdk.Implementation{Name: "diary test", Version: "1"}, nil)
	session, err := client.Connect(ctx, &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	read := func() string {
		r, err := session.ReadResource(ctx, &sdk.ReadResourceParams{URI: "diary:///entries"})
		if err != nil {
			t.Fatal(err)
		}
		return r.Contents[0].Text
	}
	if text := read(); text != "" {
		t.Errorf("read %q", text)
	}
	_, err = session.CallTool(ctx, &sdk.CallToolParams{Name: "write", Arguments: map[string]any{"text": "Snow."}})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(expired) // the token expires
	if text := read(); text != "Snow." {
		t.Errorf("read %q", text)
	}
}
