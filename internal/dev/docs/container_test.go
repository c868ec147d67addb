package docs

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/dev/modcache"
)

// The container section holds for a server of mcpgen init: after its steps the folder builds at another place, without
// the checkout, a module cache and a network, and the program of the entry point answers.
func TestContainer(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("builds and starts a server")
	}
	if err := modcache.Fill(root); err != nil {
		t.Fatal(err)
	}
	checkout, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	offline := []string{"GOPROXY=off", "GONOSUMDB=*", "GOFLAGS=-ldflags=-w", "GOWORK=off", "GOTOOLCHAIN=local"}
	if err := os.Symlink(checkout, filepath.Join(dir, "mcpgen")); err != nil {
		t.Fatal(err)
	}
	run(t, dir, offline, program(t, "./cmd/mcpgen"), "init", "-mcpgen", "./mcpgen", "hello")
	hello := filepath.Join(dir, "hello")
	serveHTTP(t, filepath.Join(hello, "cmd", "hello", "main.go"))
	run(t, hello, offline, "go", "mod", "tidy")
	for _, b := range blocks(t, deployPage, "sh") {
		if strings.HasPrefix(b.text, "go mod vendor\ndocker build ") {
			run(t, hello, offline, "go", "mod", "vendor")
		}
	}

	src := filepath.Join(t.TempDir(), "src")
	if err := os.CopyFS(src, os.DirFS(hello)); err != nil {
		t.Fatal(err)
	}
	dockerfile := blocks(t, deployPage, "dockerfile")[0].text
	build := regexp.MustCompile(`(?m)^RUN CGO_ENABLED=0 (go build -o )/hello( .*)$`).FindStringSubmatch(dockerfile)
	entry := regexp.MustCompile(`(?m)^ENTRYPOINT (\[.*\])$`).FindStringSubmatch(dockerfile)
	var args []string
	if build == nil || entry == nil || json.Unmarshal([]byte(entry[1]), &args) != nil {
		t.Fatalf("the Dockerfile does not build and start the server:\n%s", dockerfile)
	}
	bin := filepath.Join(dir, "hello-server")
	// The go command compiles the runtime anew for this folder. The optimizer would take longer than all the rest.
	clean := slices.Concat(offline, []string{"CGO_ENABLED=0", "GOMODCACHE=" + t.TempDir(),
		"GOFLAGS=-ldflags=-w '-gcflags=github.com/mcpgen/...=-N -l'"})
	run(t, src, clean, strings.Fields(build[1]+bin+build[2])...)

	s := deploy(t, bin, args[1:])
	headers, body := curl(t, deployPage)
	headers["Mcp-Name"] = "clock:///UTC"
	response := s.post(publicly, headers, strings.ReplaceAll(body, "docs:///readme", "clock:///UTC"))
	text, err := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusOK || !strings.Contains(string(text), `UTC"`) {
		t.Errorf("%s: %s, %v", response.Status, text, err)
	}
}

// serveHTTP makes the change that the README tells for HTTP in a program of mcpgen init.
func serveHTTP(t *testing.T, file string) {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(source)
	for _, edit := range [][2]string{
		{"\t\"context\"\n", ""},
		{"\"github.com/mcpgen/mcpgen/mcp/stdio\"", "\"github.com/mcpgen/mcpgen/mcp/mcphttp\""},
		{"\tif err := srv.Serve(context.Background(), stdio.New(nil)); err != nil {\n\t\tlog.Fatal(err)\n\t}\n",
			"\tmcphttp.Main(srv)\n"},
	} {
		if !strings.Contains(text, edit[0]) {
			t.Fatalf("%s has no %q", file, edit[0])
		}
		text = strings.Replace(text, edit[0], edit[1], 1)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
