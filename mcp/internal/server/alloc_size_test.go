//go:build !race

package server

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// maxBinary is the most bytes of a stripped server that speaks stdio only. The figure is the one that was reached, and
// a little, because the size grows in steps. Lower it when the size falls. docs/performance.md says what features
// weigh.
const maxBinary = 3_760_000

// stdioOnly is a program that serves the quick start on stdio and nowhere else.
const stdioOnly = `package main

import (
	"context"
	"log"

	"github.com/mcpgen/mcpgen/golden/notes"
	"github.com/mcpgen/mcpgen/mcp/stdio"
)

func main() {
	n, err := notes.Open(".")
	if err != nil {
		log.Fatal(err)
	}
	srv, err := notes.NewNotesServer(notes.NotesImpl{Notes: n}, nil)
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(srv.Serve(context.Background(), stdio.New(nil)))
}
`

// TestBinarySize builds the quick start, and looks at what it is linked with: a package that costs
// much is seen here before it is seen in the size.
func TestBinarySize(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	pkg := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(pkg, []byte(stdioOnly), 0o600); err != nil {
		t.Fatal(err)
	}
	deps, err := exec.Command("go", "list", "-deps", pkg).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, heavy := range []string{"net", "net/netip", "net/http", "regexp", "text/template", "go/ast", "testing"} {
		if strings.Contains("\n"+string(deps), "\n"+heavy+"\n") {
			t.Errorf("a server on stdio is linked with %s", heavy)
		}
	}
	if strings.Contains("\n"+string(deps), "\ncrypto/") {
		t.Error("a server on stdio is linked with cryptography, which is in package keys")
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the limit is that of linux/amd64")
	}
	path := filepath.Join(t.TempDir(), "notes")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, pkg)
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > maxBinary {
		t.Errorf("%d bytes, want %d at most", info.Size(), maxBinary)
	}
	t.Logf("%d bytes", info.Size())
	program, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, unused := range []string{"mcp/internal/taskrun.", "mcp/internal/tasks.(", "mcp/internal/relay.(",
		"mcp/internal/replicas.(*Replica)", "mcp/internal/live.(*Loads)",
		"generated/protocol/ext/"} { // names of functions
		if bytes.Contains(program, []byte(unused)) {
			t.Errorf("a server without tasks and replicas is linked with %s", unused)
		}
	}
}
