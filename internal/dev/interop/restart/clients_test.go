package restart

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	mcpgo "github.com/mark3labs/mcp-go/client"
	mcpgotypes "github.com/mark3labs/mcp-go/mcp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// revision is the newest with sessions, which all of these clients speak.
const revision = "2025-11-25"

// search calls the tool of that name and returns its result as text.
type search func(ctx context.Context, text string) (string, error)

// families are the clients, by name.
var families = map[string]func(t *testing.T, url string) search{
	"TypeScript SDK 1": library("typescript"),
	"LangChain":        library("langchain"),
	"mcp-client":       library("mcp-client"),
	"go-sdk": func(t *testing.T, url string) search {
		return goSDK(t, &sdk.StreamableClientTransport{Endpoint: url})
	},
	"mcp-go":       mcpGo,
	"supergateway": bridge("supergateway/dist/index.js", "--streamableHttp", "$url", "--logLevel", "none"),
	"Inspector":    inspector,
	"mcp-remote":   bridge("mcp-remote/dist/proxy.js", "$url", "--allow-http", "--transport", "http-only"),
}

func goSDK(t *testing.T, way sdk.Transport) search {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "interop", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), way, &sdk.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return func(ctx context.Context, text string) (string, error) {
		r, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "search", Arguments: map[string]any{"query": text}})
		return asText(r, err)
	}
}

func mcpGo(t *testing.T, url string) search {
	t.Helper()
	client, err := mcpgo.NewStreamableHttpClient(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	if err := client.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var hello mcpgotypes.InitializeRequest
	hello.Params.ProtocolVersion = revision
	hello.Params.ClientInfo = mcpgotypes.Implementation{Name: "interop", Version: "1"}
	if _, err := client.Initialize(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, text string) (string, error) {
		var call mcpgotypes.CallToolRequest
		call.Params.Name, call.Params.Arguments = "search", map[string]any{"query": text}
		r, err := client.CallTool(ctx, call)
		return asText(r, err)
	}
}

func asText(v any, err error) (string, error) {
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(v)
	return string(text), err
}

// bridge is a program that speaks stdio to a client and HTTP to the server at $url, under go-sdk.
func bridge(script string, args ...string) func(*testing.T, string) search {
	return func(t *testing.T, url string) search {
		t.Helper()
		list := append([]string{installed(t, "../sse/node_modules/"+script)}, args...)
		list[slices.Index(list, "$url")] = url
		cmd := exec.CommandContext(t.Context(), "node", list...)
		cmd.Env = append(os.Environ(), "MCP_REMOTE_CONFIG_DIR="+t.TempDir())
		cmd.Stderr = t.Output()
		return goSDK(t, &sdk.CommandTransport{Command: cmd})
	}
}

// inspector is the MCP Inspector, whose daemon keeps a connection between the commands of its user.
func inspector(t *testing.T, url string) search {
	t.Helper()
	program := installed(t, "../browser/node_modules/@modelcontextprotocol/inspector/clients/mcpdo/build/mcp-bin.js")
	nodes, err := filepath.Glob("../conformance/node_modules/node-*/bin/node") // that of the system may be too old
	if err != nil || len(nodes) == 0 {
		installed(t, "../conformance/node_modules/node")
	}
	home := t.TempDir()
	run := func(ctx context.Context, args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, nodes[0], append([]string{program}, args...)...)
		cmd.Env = append(os.Environ(), "HOME="+home, "MCP_STORAGE_DIR="+home, "MCP_INSPECTOR_SECRET_STORE=file")
		cmd.Stderr = t.Output()
		out, err := cmd.Output()
		return string(out), err
	}
	t.Cleanup(func() {
		if out, err := run(context.Background(), "daemon", "stop"); err != nil {
			t.Errorf("%s: %v", out, err)
		}
	})
	if out, err := run(t.Context(), "connect", "@notes", url); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	return func(ctx context.Context, text string) (string, error) {
		return run(ctx, "@notes", "tools/call", "search", "query:="+text)
	}
}

// library is a library of npm, in client.mjs.
func library(name string) func(*testing.T, string) search {
	return func(t *testing.T, url string) search {
		t.Helper()
		installed(t, "node_modules/.package-lock.json")
		cmd := exec.CommandContext(t.Context(), "node", "client.mjs", name, url)
		cmd.Stderr = t.Output()
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
		lines := bufio.NewReader(out)
		return func(_ context.Context, text string) (string, error) {
			if _, err := in.Write([]byte(text + "\n")); err != nil {
				return "", err
			}
			return lines.ReadString('\n')
		}
	}
}

// installed returns the path of a file that npm has installed.
func installed(t *testing.T, file string) string {
	t.Helper()
	_, err := os.Stat(file)
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip("a client is missing, run make setup: " + err.Error())
	}
	return file
}
