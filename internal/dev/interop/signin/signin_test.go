package signin

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/freeport"
	"github.com/mcpgen/mcpgen/internal/scratch"
)

const (
	root = "../../../.."
	// patience bounds a run of a client.
	patience = 2 * time.Minute
	// lifetime is that of an access token in seconds: clients do more than ten requests in it. After expired it has ended.
	lifetime = "10"
	expired  = 11 * time.Second
)

// node returns the Node.js of the folder, which the issuer needs newer than others have it.
func node(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("node_modules/.bin/node")
	if err == nil {
		_, err = os.Stat(path)
	}
	switch {
	case err == nil:
		return path
	case os.Getenv("CI") == "true":
		t.Fatalf("the issuer of the tests is missing: %v", err)
	}
	t.Skip("the issuer of the tests is missing, run make setup: " + err.Error())
	return ""
}

// address returns a free one of this machine, by the name that oidc-provider takes for it.
func address(t *testing.T) string {
	t.Helper()
	addr, err := freeport.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	return "localhost:" + port
}

// start starts a program and waits for a line with a text.
func start(t *testing.T, text string, cmd *exec.Cmd) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	found, ended := make(chan struct{}), make(chan struct{})
	var log strings.Builder
	go func() {
		defer close(ended)
		seen := false
		for lines := bufio.NewScanner(out); lines.Scan(); {
			log.WriteString(lines.Text() + "\n")
			if !seen && strings.Contains(lines.Text(), text) {
				seen = true
				close(found)
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s:\n%s", cmd.Path, &log)
		}
		for _, secret := range []string{"eyJ", "Bearer ", "server-secret"} { // how each JWT begins
			if strings.Contains(log.String(), secret) && strings.Contains(cmd.Path, "diary") {
				t.Errorf("the log of the server has a token: %s", &log)
			}
		}
	})
	select {
	case <-found:
	case <-ended:
		t.Fatalf("%s has ended", cmd.Path)
	case <-time.After(patience):
		t.Fatalf("%s has not started", cmd.Path)
	}
}

// startIssuer starts an issuer of tokens for a resource and returns its address.
func startIssuer(t *testing.T, resource, seconds, format string) string {
	t.Helper()
	at := address(t)
	_, port, _ := net.SplitHostPort(at)
	start(t, "issuer at", exec.CommandContext(t.Context(), node(t), "issuer.mjs", port, resource, seconds, format))
	return "http://" + at
}

// built is the folder of what buildDiary returns; TestMain removes it.
var built string

func TestMain(m *testing.M) {
	os.Exit(scratch.With("signin", func(dir string) int {
		built = dir
		return m.Run()
	}))
}

// buildDiary builds golden/diary once.
var buildDiary = sync.OnceValues(func() (string, error) {
	bin := filepath.Join(built, "diary")
	out, err := exec.Command("go", "build", "-C", filepath.Join(root, "golden/diary"), "-ldflags=-w", "-o", bin,
		"./cmd/diary").CombinedOutput()
	if err != nil {
		return string(out), err
	}
	return bin, nil
})

// startDiary starts the program of golden/diary and returns the address of its endpoint.
func startDiary(t *testing.T) string {
	t.Helper()
	node(t)
	bin, err := buildDiary()
	if err != nil {
		t.Fatalf("%v\n%s", err, bin)
	}
	at := address(t)
	url := "http://" + at + "/mcp"
	issuer := startIssuer(t, url, lifetime, "jwt")
	start(t, "mcphttp: serving", exec.CommandContext(t.Context(), bin, "-http", at, "-issuer", issuer, "-audience", url))
	return url
}

// browser returns a program that clients can start as the browser of the user.
func browser(t *testing.T) string {
	t.Helper()
	script, err := filepath.Abs("browser.mjs")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "browser")
	text := fmt.Sprintf("#!/bin/sh\nexec '%s' '%s' \"$1\"\n", node(t), script)
	if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return file
}

// report is what client.mjs prints.
type report struct {
	Asked                       []struct{ Scope, Resource, Method string }
	Scopes, Types, Tools        []string
	Refreshed, Registered       int
	Before, Wrote, After, Later string
}

// Both versions of the TypeScript SDK register, sign in, read, step up, write, and refresh the token that has expired
// under their stream; version 2 also with tokens that are bound to its key.
func TestTypeScript(t *testing.T) {
	url := startDiary(t)
	for _, variant := range []string{"v1", "v2", "v2-dpop"} {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		cmd := exec.CommandContext(ctx, node(t), "client.mjs", variant, url, lifetime)
		var errs strings.Builder
		cmd.Stderr = &errs
		out, err := cmd.Output()
		cancel()
		var r report
		if err == nil {
			err = json.Unmarshal(out, &r)
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", variant, err, &errs)
			continue
		}
		if len(r.Asked) != 2 || r.Registered != 1 || r.Refreshed != 1 || !slices.Equal(r.Tools, []string{"write"}) {
			t.Errorf("%s: %+v", variant, r)
			continue
		}
		for i, want := range []string{"diary.read", "diary.read diary.write"} {
			a := r.Asked[i]
			if strings.TrimSuffix(a.Scope, " offline_access") != want || a.Resource != url || a.Method != "S256" {
				t.Errorf("%s: has asked for %+v, want %s", variant, a, want)
			}
		}
		bound := strings.HasSuffix(variant, "dpop")
		if r.Wrote != "written" || r.After == r.Before || r.Later != r.After || bound != (r.Types[0] == "DPoP") {
			t.Errorf("%s: %+v", variant, r)
		}
	}
}
