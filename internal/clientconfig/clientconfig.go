// Package clientconfig writes what clients want in their configuration files to connect to a server.
package clientconfig

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Server is what a client connects to: a program that it starts, or a URL.
type Server struct {
	Name    string
	Command string
	Args    []string
	URL     string // of Streamable HTTP, instead of Command
}

// Client is an application with a configuration file.
type Client struct {
	Name  string // on the command line
	Title string
	File  string // where what is written belongs; several are separated by commas
	form  func(*Server) any
	noURL string // what to do instead, if the file knows no URLs
}

// Clients returns the clients, by name.
func Clients() []Client {
	return []Client{
		{"claude", "Claude Desktop", "claude_desktop_config.json (Settings, Developer, Edit Config)",
			under("mcpServers", plain),
			"Claude Desktop has URLs in Settings, Connectors, and not in its file"},
		{"claude-code", "Claude Code", ".mcp.json of a project", under("mcpServers", typed("stdio")), ""},
		{"codex", "Codex", "~/.codex/config.toml, or .codex/config.toml of a project", nil, ""},
		{"copilot", "Copilot CLI", "~/.copilot/mcp-config.json", under("mcpServers", copilot), ""},
		{"cursor", "Cursor", "~/.cursor/mcp.json, or .cursor/mcp.json of a project", under("mcpServers", plain), ""},
		{"gemini", "Gemini CLI", "~/.gemini/settings.json, or .gemini/settings.json of a project",
			under("mcpServers", typed("")), ""},
		{"opencode", "opencode", "~/.config/opencode/opencode.json, or opencode.json of a project",
			under("mcp", opencode), ""},
		{"vscode", "VS Code", ".vscode/mcp.json of a project", under("servers", typed("stdio")), ""},
		{"windsurf", "Windsurf", "~/.codeium/windsurf/mcp_config.json", under("mcpServers", windsurf), ""},
		{"zed", "Zed", "~/.config/zed/settings.json, or .zed/settings.json of a project", under("context_servers", zed), ""},
	}
}

// Find returns the client with a name.
func Find(name string) (Client, bool) {
	all := Clients()
	i := slices.IndexFunc(all, func(c Client) bool { return c.Name == name })
	if i < 0 {
		return Client{}, false
	}
	return all[i], true
}

// Text returns the configuration of s in the form of c. It is an error if c has no form for a URL.
func (c *Client) Text(s *Server) (string, error) {
	if s.URL != "" && c.noURL != "" {
		return "", fmt.Errorf("%s: leave out -http", c.noURL)
	}
	if c.form == nil {
		return toml(s), nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(c.form(s))
	return b.String(), err
}

// entry is one server in the file of most clients.
type entry struct {
	Source    string   `json:"source,omitempty"`
	Type      string   `json:"type,omitempty"`
	Command   string   `json:"command,omitempty"`
	Args      []string `json:"args,omitempty"`
	URL       string   `json:"url,omitempty"`
	ServerURL string   `json:"serverUrl,omitempty"`
	Tools     []string `json:"tools,omitempty"`
}

// under returns a form with the entries of servers below a key.
func under[E any](key string, of func(*Server) E) func(*Server) any {
	return func(s *Server) any { return map[string]map[string]E{key: {s.Name: of(s)}} }
}

func plain(s *Server) entry { return entry{Command: s.Command, Args: s.Args, URL: s.URL} }

// typed is a form that has a type: local for a program, and http for a URL.
func typed(local string) func(*Server) entry {
	return func(s *Server) entry {
		e := entry{Type: local, Command: s.Command, Args: s.Args, URL: s.URL}
		if s.URL != "" {
			e.Type = "http"
		}
		return e
	}
}

func copilot(s *Server) entry {
	e := typed("local")(s)
	e.Tools = []string{"*"}
	return e
}

func windsurf(s *Server) entry { return entry{Command: s.Command, Args: s.Args, ServerURL: s.URL} }

func zed(s *Server) entry {
	e := typed("")(s)
	e.Source = "custom"
	return e
}

func opencode(s *Server) any {
	type entry struct {
		Type    string   `json:"type"`
		Command []string `json:"command,omitempty"`
		URL     string   `json:"url,omitempty"`
		Enabled bool     `json:"enabled"`
	}
	if s.URL != "" {
		return entry{Type: "remote", URL: s.URL, Enabled: true}
	}
	return entry{Type: "local", Command: append([]string{s.Command}, s.Args...), Enabled: true}
}

// toml is the form of Codex. Strings of TOML may be written as those of JSON.
func toml(s *Server) string {
	name := s.Name
	if strings.Contains(name, ".") {
		name = quoted(name)
	}
	if s.URL != "" {
		return fmt.Sprintf("[mcp_servers.%s]\nurl = %s\n", name, quoted(s.URL))
	}
	text := fmt.Sprintf("[mcp_servers.%s]\ncommand = %s\n", name, quoted(s.Command))
	if len(s.Args) > 0 {
		args := make([]string, len(s.Args))
		for i, a := range s.Args {
			args[i] = quoted(a)
		}
		text += "args = [" + strings.Join(args, ", ") + "]\n"
	}
	return text
}

func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // every string has JSON
	}
	return strings.TrimSuffix(strings.ReplaceAll(b.String(), "\x7f", `\u007f`), "\n")
}
