package signin

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// commandLines are the clients that make clients installs: how each is told of a server, signs in, and lists it; and
// what it says of a server where it has signed in.
var commandLines = []struct {
	name, said       string
	file, config     string   // where the configuration is, below the home directory; %s is the address
	add, login, list []string // add may be nil
	terminal         bool     // it signs in where there is a terminal only
}{
	{
		name: "claude", said: "Connected",
		add:   []string{"mcp", "add", "--transport", "http", "diary", "%s"},
		login: []string{"mcp", "login", "diary"}, list: []string{"mcp", "list"}, terminal: true,
	},
	{
		name: "codex", said: "OAuth", file: ".codex/config.toml", config: "[mcp_servers.diary]\nurl = \"%s\"\n",
		login: []string{"mcp", "login", "diary"}, list: []string{"mcp", "list"},
	},
	{
		name: "opencode", said: "connected", file: "opencode.json",
		config: `{"mcp":{"diary":{"type":"remote","url":"%s","enabled":true}}}`,
		login:  []string{"mcp", "auth", "diary"}, list: []string{"mcp", "list"},
	},
}

// Claude Code, codex and opencode find the issuer, register, and sign in with a browser. They are 1.2 GB: make clients
// installs them.
func TestCommandLines(t *testing.T) {
	bins, err := filepath.Abs("../clients/node_modules/.bin")
	if err == nil {
		_, err = os.Stat(bins)
	}
	if err != nil || runtime.GOOS != "linux" {
		t.Skipf("the command lines are not there, or open browsers in other ways: make clients installs them: %v", err)
	}
	url := startDiary(t)
	for _, c := range commandLines {
		t.Run(c.name, func(t *testing.T) {
			home := t.TempDir()
			env := slices.Concat(os.Environ(), []string{"HOME=" + home, "BROWSER=" + browser(t), "DISPLAY=",
				"PATH=" + filepath.Dir(node(t)) + ":" + os.Getenv("PATH")})
			run := func(terminal bool, args []string) string {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				line := filepath.Join(bins, c.name)
				for _, a := range args {
					line += " '" + strings.ReplaceAll(a, "%s", url) + "'"
				}
				cmd := exec.CommandContext(ctx, "sh", "-c", line)
				if cmd.Dir, cmd.Env = home, env; terminal { // one signs in for people only, who have a screen
					cmd = exec.CommandContext(ctx, "script", "-qec", line, "/dev/null")
					cmd.Dir, cmd.Env = home, slices.Concat(env, []string{"DISPLAY=:none"})
				}
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v\n%s", line, err, out)
				}
				return string(out)
			}
			if c.file != "" {
				file := filepath.Join(home, c.file)
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, fmt.Appendf(nil, c.config, url), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if c.add != nil {
				run(false, c.add)
			}
			before := run(false, c.list)
			run(c.terminal, c.login)
			if after := run(false, c.list); strings.Contains(before, c.said) || !strings.Contains(after, c.said) {
				t.Errorf("before\n%s\nafter\n%s", before, after)
			}
		})
	}
}
