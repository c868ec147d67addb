package pack

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/dev/modcache"
	"github.com/mcpgen/mcpgen/internal/gen"
	"github.com/mcpgen/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/internal/version"
)

// Mistakes are told with what to write instead, and nothing is written.
func TestMistakes(t *testing.T) {
	t.Chdir("..")
	dir := t.TempDir()
	bundle, image, entry := filepath.Join(dir, "a.mcpb"), filepath.Join(dir, "a.tar"), filepath.Join(dir, "server.json")
	const notes = "./golden/notes/cmd/notes"
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{notes}, "name a file to write"},
		{[]string{"-o", bundle, "-author", "A"}, "name the package of a program"},
		{[]string{"-o", filepath.Join(dir, "a.zip"), notes}, "NAME.mcpb, NAME.tar or server.json"},
		{[]string{"-o", filepath.Join(dir, "my-server.json"), notes}, "NAME.mcpb, NAME.tar or server.json"},
		{[]string{"-o", bundle, notes}, "-author"},
		{[]string{"-o", bundle, "-author", "A", notes, "more"}, "arguments of the program stand behind --"},
		{[]string{"-o", bundle, "-author", "A", "-nosuch", notes}, "-nosuch"},
		{[]string{"-o", image, "-platform", "darwin/arm64", notes}, "images are for Linux"},
		{[]string{"-o", image, "-platform", "linux", notes}, "SYSTEM/PROCESSOR"},
		{[]string{"-o", bundle, "-author", "A", "-platform", "plan9/386", notes}, "not for plan9"},
		{[]string{"-o", bundle, "-author", "A", "-platform", "linux/amd64", "-platform", "linux/arm64", notes},
			"two bundles"},
		{[]string{"-o", bundle, "-author", "A", "-flag", "dir=folder:x", notes}, "kinds are string"},
		{[]string{"-o", bundle, "-author", "A", "-flag", "d=file:x", "-env", "d=file:x", notes}, "two inputs d"},
		{[]string{"-o", image, "-flag", "dir=file:x", notes}, "-flag and -env are for"},
		{[]string{"-o", image, "-author", "A", notes}, "-author is for"},
		{[]string{"-o", image, "-remote", "https://a.example", notes}, "are for server.json"},
		{[]string{"-o", entry, "-name", "a.b/c", "-remote", "https://a.example", notes, "--", "-v"},
			"arguments of the program are for"},
		{[]string{"-o", entry, "-name", "a.b/c", "-remote", "https://a.example", "-platform", "linux/amd64", notes},
			"-platform is for"},
		{[]string{"-o", entry, "-name", "a.b/c", "-image", "ghcr.io/a/n:1", "-platform", "linux/amd64", notes},
			"-platform is for"},
		{[]string{"-o", entry, "-name", "notes", notes}, "io.github.ada/notes"},
		{[]string{"-o", entry, "-remote", "https://a.example", notes}, "server.json names the server"},
		{[]string{"-o", entry, "-name", "a.b/c", notes}, "-download, -image or -remote"},
		{[]string{"-o", entry, "-name", "a.b/c", "-download", "https://a.example", notes}, "-o notes.mcpb too"},
		{[]string{"-o", entry, "-name", "a.b/c", "-remote", "http://a.example", notes}, "https://"},
		{[]string{"-o", entry, "-name", "a.b/c", "-remote", "https://a.example", notes}, "the server has no description"},
		{[]string{"-o", entry, "-name", "a.b/c", "-remote", "https://a.example", "-description", strings.Repeat("x", 101),
			notes}, "101 characters"},
		{[]string{"-o", bundle, "-author", "A", "./golden/notes"}, "no program"},
		{[]string{"-o", bundle, "-author", "A", "./golden/nosuch"}, "nosuch"},
		{[]string{"-o", bundle, "-author", "A", "-server", "other", notes}, "no server other; it has notes"},
		{[]string{"-o", bundle, "-author", "A", "./cmd/mcpgen"}, "no package of this module with directives"},
	} {
		var stdout, stderr bytes.Buffer
		status := Run(t.Context(), c.args, &stdout, &stderr)
		if status != 2 || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%q: status %d, %s", c.args, status, &stderr)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
	var help bytes.Buffer
	status := Run(t.Context(), []string{"-h"}, &help, &help)
	if status != 0 || !strings.Contains(help.String(), "-platform") {
		t.Errorf("status %d, %s", status, &help)
	}
}

// Programs are called as the go command calls them.
func TestProgramName(t *testing.T) {
	for path, want := range map[string]string{
		"example.com/notes": "notes", "example.com/notes/v2": "notes", "example.com/notes/v12": "notes",
		"example.com/v2/cmd/notes": "notes", "example.com/notes/v1": "v1", "example.com/notes/video": "video", "v2": "v2",
	} {
		if got := programName(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// What is packed is what the source says: generated files have to be up to date.
func TestStale(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	if err := modcache.Fill(root); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("GOFLAGS", "-mod=mod -trimpath")
	t.Setenv("GOPROXY", "off")
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	const source = `//mcp:server name=notes version=1.0.0 desc="Keeps notes."
package main

import "context"

// Add adds a note.
//
//mcp:tool
func Add(ctx context.Context) error { return nil }

func main() {}
`
	put := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("go.sum", string(sums))
	put("go.mod", "module example.com/notes\n\ngo 1.26.0\n\nrequire github.com/mcpgen/mcpgen v0.0.0\n\n"+
		"replace github.com/mcpgen/mcpgen => "+root+"\n")
	pack := func(want int, text string) {
		t.Helper()
		var stderr bytes.Buffer
		status := Run(t.Context(), []string{"-o", "server.json", "-name", "a.b/notes", "-remote", "https://a.example", "."},
			&stderr, &stderr)
		if status != want || !strings.Contains(stderr.String(), text) {
			t.Errorf("status %d, want %d: %s", status, want, &stderr)
		}
	}
	put("main.go", source)
	pack(2, "mcpgen pack: mcp_gen.go is missing; run mcpgen")
	r, err := gen.Packages(t.Context(), gen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Write(output.Disk{}); err != nil {
		t.Fatal(err)
	}
	pack(0, "server.json: ")
	generated := string(r.Files[0].Data)
	put("mcp_gen.go", strings.Replace(generated, version.Version, "v0.0.1", 1))
	pack(0, "server.json: ")
	put("main.go", strings.Replace(source, "//mcp:tool", "//mcp:tool name=append", 1))
	pack(2, "mcpgen pack: mcp_gen.go is stale; run mcpgen")
}

// A bundle for several systems has a program for each, with the names that clients know them by. Windows, which comes
// first here, is the one without an override.
func TestSystems(t *testing.T) {
	o, err := parse([]string{"-o", "n.mcpb", "-author", "Ada", "-platform", "windows/amd64", "-platform", "darwin/arm64",
		"-flag", "n=number:how many", "./n", "--", "-v"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	programs := []program{{"windows", "amd64", "n.exe", []byte("w")}, {"darwin", "arm64", "n", []byte("d")}}
	data, err := o.bundle(&facts{name: "n", version: "1.0.0", description: "N"}, programs, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := o.bundle(&facts{name: "n", version: "1.0.0", description: "N"}, programs, nil)
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("the same contents give other bytes: %v", err)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	modes := map[string]os.FileMode{}
	for _, f := range z.File {
		modes[f.Name] = f.Mode()
	}
	if modes["server/windows/n.exe"] != 0o755 || modes["server/darwin/n"] != 0o755 || len(modes) != 3 {
		t.Errorf("files %v", modes)
	}
	f, err := z.Open("manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var m manifest
	if err := json.NewDecoder(f).Decode(&m); err != nil {
		t.Fatal(err)
	}
	c := m.Server.Config
	if c.Command != "${__dirname}/server/windows/n.exe" ||
		c.Overrides["darwin"].Command != "${__dirname}/server/darwin/n" ||
		strings.Join(c.Args, " ") != "-v -n=${user_config.n}" ||
		strings.Join(m.Compatibility.Platforms, " ") != "win32 darwin" {
		t.Errorf("%+v", m)
	}
}

// An image for several processors is an index of their images.
func TestProcessors(t *testing.T) {
	o, err := parse([]string{"-o", "n.tar", "-platform", "linux/amd64", "-platform", "linux/arm64", "./n"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := o.imageArchive(&facts{name: "n", version: "1.0.0"}, []program{
		{"linux", "amd64", "n", []byte("a")}, {"linux", "arm64", "n", []byte("b")}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"platform":{"architecture":"arm64","os":"linux"}`, mediaIndex} {
		if !bytes.Contains(data, []byte(want)) {
			t.Errorf("the layout lacks %s", want)
		}
	}
}
