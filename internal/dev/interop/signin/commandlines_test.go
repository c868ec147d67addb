package signin

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/clientconfig"
)

// product is a client that make clients installs. It is configured by what mcpgen config prints for it, in its file
// below the home directory. When it lists its servers, it says signed of one where it has signed in, which it did not
// say before, and ready of a program.
type product struct {
	name, of, file string // of is its name for mcpgen config
	signed, ready  string
	login          []string
	more           map[string]string // other files
	terminal       bool              // it signs in where there is a terminal only
}

var commandLines = []product{
	{
		name: "claude", of: "claude-code", file: ".mcp.json", signed: "Connected", ready: "Connected",
		login: []string{"mcp", "login", "diary"}, terminal: true,
		// A person would be asked whether the file of the project is to be trusted.
		more: map[string]string{".claude/settings.json": `{"enableAllProjectMcpServers":true}`},
	},
	{
		name: "codex", of: "codex", file: ".codex/config.toml", signed: "OAuth", ready: "-dir",
		login: []string{"mcp", "login", "diary"},
	},
	{
		name: "opencode", of: "opencode", file: "opencode.json", signed: "connected", ready: "connected",
		login: []string{"mcp", "auth", "diary"},
	},
}

// commandLine is a product with a home of its own.
type commandLine struct {
	t         *testing.T
	bin, home string
	env       []string
}

// newCommandLine returns a client that is configured for one server.
func newCommandLine(t *testing.T, x product, server clientconfig.Server) *commandLine {
	t.Helper()
	bin, err := filepath.Abs("../clients/node_modules/.bin/" + x.name)
	if err != nil {
		t.Fatal(err)
	}
	client, ok := clientconfig.Find(x.of)
	if !ok {
		t.Fatalf("mcpgen config does not know %s", x.of)
	}
	text, err := client.Text(&server)
	if err != nil {
		t.Fatal(err)
	}
	c := &commandLine{t: t, bin: bin, home: t.TempDir()}
	opens := browser(t)
	if err := os.Symlink(opens, filepath.Join(filepath.Dir(opens), "xdg-open")); err != nil { // what opencode starts
		t.Fatal(err)
	}
	c.env = slices.Concat(os.Environ(), []string{"HOME=" + c.home, "BROWSER=" + opens, "DISPLAY=",
		"PATH=" + filepath.Dir(opens) + ":" + filepath.Dir(node(t)) + ":" + os.Getenv("PATH")})
	c.write(x.file, text)
	for file, text := range x.more {
		c.write(file, text)
	}
	return c
}

// write writes a file below the home directory.
func (c *commandLine) write(name, text string) {
	c.t.Helper()
	file := filepath.Join(c.home, name)
	err := os.MkdirAll(filepath.Dir(file), 0o700)
	if err == nil {
		err = os.WriteFile(file, []byte(text), 0o600)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// run runs the client and returns what it prints.
func (c *commandLine) run(terminal bool, args ...string) string {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.bin, args...)
	if cmd.Env = c.env; terminal { // one signs in for people only, who have a screen
		cmd = exec.CommandContext(ctx, "script", "-qec", c.bin+" "+strings.Join(args, " "), "/dev/null")
		cmd.Env = append(slices.Clone(c.env), "DISPLAY=:none")
	}
	cmd.Dir = c.home
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("%s %q: %v\n%s", c.bin, args, err, out)
	}
	return string(out)
}

// Claude Code, codex and opencode read what mcpgen config prints for them. With the address of a server they find the
// issuer, register, and sign in with a browser; with a program they start it. They are 1.2 GB: make clients installs
// them.
func TestCommandLines(t *testing.T) {
	_, err := os.Stat("../clients/node_modules/.bin")
	if err != nil || runtime.GOOS != "linux" {
		t.Skipf("the command lines are not there, or open browsers in other ways: make clients installs them: %v", err)
	}
	url, program := startDiary(t), filepath.Join(t.TempDir(), "notes")
	build := exec.CommandContext(t.Context(), "go", "build", "-C", root, "-o", program, "./golden/notes/cmd/notes")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, x := range commandLines {
		t.Run(x.name, func(t *testing.T) {
			c := newCommandLine(t, x, clientconfig.Server{Name: "diary", URL: url})
			before := c.run(false, "mcp", "list")
			c.run(x.terminal, x.login...)
			if after := c.run(false, "mcp", "list"); strings.Contains(before, x.signed) || !strings.Contains(after, x.signed) {
				t.Errorf("before\n%s\nafter\n%s", before, after)
			}
			c = newCommandLine(t, x, clientconfig.Server{Name: "notes", Command: program, Args: []string{"-dir", t.TempDir()}})
			if list := c.run(false, "mcp", "list"); !strings.Contains(list, x.ready) || !strings.Contains(list, "notes") {
				t.Errorf("with a program\n%s", list)
			}
		})
	}
}
