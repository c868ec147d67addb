package golden

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/overlay"
)

const (
	handshake = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n"
	discovery = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
)

// Each example has a program that serves it: on stdio without flags, and at a socket or an address with -unix or -http.
func TestPrograms(t *testing.T) {
	programs, err := filepath.Glob("*/cmd/*")
	if err != nil || len(programs) < 10 {
		t.Fatalf("%q, %v", programs, err)
	}
	modules := map[string][]string{} // by their folders
	for _, program := range programs {
		dir := "."
		if name := filepath.Base(program); exists(filepath.Join(name, "go.mod")) {
			dir = name
		}
		modules[dir] = append(modules[dir], program)
	}
	bin := t.TempDir()
	for dir, programs := range modules {
		link(t, dir, programs, bin)
	}
	for _, program := range programs {
		name := filepath.Base(program)
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if name == "repo" { // serves the repository that it is started in
				if out, err := exec.CommandContext(t.Context(), "git", "init", "-q", dir).CombinedOutput(); err != nil {
					t.Skipf("no git: %v %s", err, out)
				}
			}
			onStdio(t, filepath.Join(bin, name), dir)
			if name != "diary" { // which wants an issuer, and tokens: package signin of interop has them
				overHTTP(t, filepath.Join(bin, name), dir)
			}
		})
	}
}

// link writes the programs of a module to bin. They are one program that is what it is called, because linking takes
// longer than all that is done with it here: an overlay makes functions of their main functions.
func link(t *testing.T, dir string, programs []string, bin string) {
	t.Helper()
	texts := map[string][]byte{}
	put := func(path, text string) { texts[filepath.Join(wd(t), path)] = []byte(text) }
	var imports, cases strings.Builder
	for _, program := range programs {
		file := filepath.Join(program, "main.go")
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(program)
		text := strings.Replace(string(source), "\npackage main\n", "\npackage "+name+"main\n", 1)
		put(file, strings.Replace(text, "\nfunc main() {\n", "\nfunc Serve() {\n", 1))
		fmt.Fprintf(&imports, "\t%smain %q\n", name, "github.com/mcpgen/mcpgen/golden/"+filepath.ToSlash(program))
		fmt.Fprintf(&cases, "\tcase %q:\n\t\t%[1]smain.Serve()\n", name)
	}
	put(filepath.Join(dir, "zz_all", "main.go"), "package main\n\nimport (\n\t\"os\"\n\t\"path/filepath\"\n\n"+
		imports.String()+")\n\nfunc main() {\n\tswitch filepath.Base(os.Args[0]) {\n"+cases.String()+
		"\tdefault:\n\t\tpanic(os.Args[0])\n\t}\n}\n")
	flag, err := overlay.Write(t.TempDir(), texts)
	if err != nil {
		t.Fatal(err)
	}
	all := filepath.Join(bin, filepath.Base(programs[0]))
	cmd := exec.CommandContext(t.Context(), "go", "build", "-C", dir, "-ldflags=-s -w", flag, "-o", all, "./zz_all")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, program := range programs[1:] {
		if err := os.Link(all, filepath.Join(bin, filepath.Base(program))); err != nil {
			t.Fatal(err)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// onStdio insists that a program answers, and ends when its input does.
func onStdio(t *testing.T, bin, dir string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), bin)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(handshake)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, log.Bytes())
	}
	if !strings.HasPrefix(out.String(), `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"`) {
		t.Errorf("the program answers %q", out.String())
	}
}

// overHTTP insists that a program answers at a socket, and ends well when it is told to.
func overHTTP(t *testing.T, bin, dir string) {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "s")
	cmd := exec.CommandContext(t.Context(), bin, "-unix", socket)
	var log bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var dialer net.Dialer
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for serves := false; !serves; {
		select {
		case err := <-ended:
			t.Fatalf("the program ends with %v\n%s", err, log.Bytes())
		case <-time.After(5 * time.Millisecond):
			if conn, err := dialer.DialContext(t.Context(), "unix", socket); err == nil {
				serves = true
				_ = conn.Close()
			}
		}
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", socket)
		}}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/mcp",
		strings.NewReader(discovery))
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "server/discover",
	} {
		req.Header.Set(key, value)
	}
	if resp, err := client.Do(req); err != nil {
		t.Error(err)
	} else if _ = resp.Body.Close(); resp.StatusCode != http.StatusOK {
		t.Errorf("the program answers %s", resp.Status)
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if err := <-ended; err != nil {
		t.Errorf("the program ends with %v\n%s", err, log.Bytes())
	}
}
