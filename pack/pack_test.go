package pack

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
