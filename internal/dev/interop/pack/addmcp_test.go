package pack

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"reflect"
	"testing"

	"github.com/mcpgen/mcpgen/internal/clientconfig"
)

// agents are the names of clients that add-mcp has others for.
var agents = map[string]string{"claude": "claude-desktop", "gemini": "gemini-cli", "copilot": "github-copilot-cli"}

// typesDiffer are clients for which add-mcp names the kind of a server otherwise, or not at all: the word of ours for
// its word. Each client takes both, by its documents.
var typesDiffer = map[string]map[any]any{
	"claude-code":        {nil: "stdio"},
	"codex":              {"http": nil},
	"github-copilot-cli": {"stdio": "local"},
	"vscode":             {nil: "stdio"},
}

// request is what addmcp.mjs is asked, and reply what it prints.
type request struct {
	Agent  string `json:"agent"`
	Server any    `json:"server"`
	Text   string `json:"text"`
}

type reply struct {
	Theirs, Ours []installed
	Path         string
}

type installed struct {
	Name, Key string
	Config    map[string]any
}

// add-mcp reads what mcpgen config prints for a client as it reads what it has written itself.
func TestAddMCP(t *testing.T) {
	tool(t, "add-mcp")
	args := []string{"-dir", `/srv/a "b" & c`}
	var requests []request
	for _, c := range clientconfig.Clients() {
		agent := c.Name
		if other, ok := agents[c.Name]; ok {
			agent = other
		}
		for _, s := range []clientconfig.Server{
			{Name: "notes", Command: "/home/ada/go/bin/notes", Args: args},
			{Name: "notes", URL: "https://mcp.example.com/mcp"},
		} {
			text, err := c.Text(&s)
			if err != nil {
				continue // a client without URLs
			}
			server := map[string]any{"command": s.Command, "args": s.Args}
			if s.URL != "" {
				server = map[string]any{"type": "http", "url": s.URL}
			}
			requests = append(requests, request{agent, server, text})
		}
	}
	for i, r := range ask(t, requests) {
		for _, x := range r.Theirs {
			likeOurs(requests[i].Agent, x.Config)
		}
		if len(r.Theirs) != 1 || !reflect.DeepEqual(r.Ours, r.Theirs) {
			t.Errorf("%s, %s:\nmcpgen:  %+v\nadd-mcp: %+v", requests[i].Agent, r.Path, r.Ours, r.Theirs)
		}
	}
}

// likeOurs takes away what says nothing, and replaces the words for the kind of a server.
func likeOurs(agent string, config map[string]any) {
	for name, value := range config {
		if empty, ok := value.(map[string]any); ok && len(empty) == 0 {
			delete(config, name)
		}
	}
	ours, ok := typesDiffer[agent][config["type"]]
	if ok && ours == nil {
		delete(config, "type")
	} else if ok && config["url"] == nil {
		config["type"] = ours
	}
}

func ask(t *testing.T, requests []request) (replies []reply) {
	t.Helper()
	in, err := json.Marshal(requests)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "addmcp.mjs")
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home+"/.config")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), t.Output()
	out, err := cmd.Output()
	if err != nil || json.Unmarshal(out, &replies) != nil || len(replies) != len(requests) || len(replies) < 15 {
		t.Fatalf("%v, %d replies to %d requests\n%s", err, len(replies), len(requests), out)
	}
	return replies
}
