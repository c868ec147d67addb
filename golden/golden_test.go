// Package golden holds what the generator must write, and what it must say about mistakes.
package golden

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/dev/modcache"
	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/gen"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/output"
)

var update = flag.Bool("update", false, "rewrite committed output and want sections")

// TestMain keeps the go command, which the generator runs, off the network and off the files of modules.
func TestMain(m *testing.M) {
	if err := modcache.Fill(".."); err != nil {
		panic(err)
	}
	modules, err := filepath.Glob("*/go.mod")
	if err != nil || len(modules) == 0 {
		panic(fmt.Sprint("no examples that are modules of their own: ", err))
	}
	for _, file := range modules {
		if err := modcache.Download(filepath.Dir(file)); err != nil {
			panic(err)
		}
	}
	for key, value := range map[string]string{"GOFLAGS": "-mod=mod -ldflags=-w", "GOPROXY": "off", "GOWORK": "off",
		"GOTOOLCHAIN": "local"} {
		if err := os.Setenv(key, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// generate runs the generator and insists that it has nothing to say, not even a warning.
func generate(t *testing.T, dir string, patterns ...string) *gen.Result {
	t.Helper()
	r, err := gen.Packages(t.Context(), gen.Options{Dir: dir, Patterns: patterns, Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	if text := printed(t, r, dir); text != "" {
		t.Fatalf("the generator complains:\n%s", text)
	}
	return r
}

// printed is what the command line would show, with paths relative to dir.
func printed(t *testing.T, r *gen.Result, dir string) string {
	t.Helper()
	var b strings.Builder
	p := diag.Printer{Dir: dir, Source: r.Source}
	if err := p.Print(&b, r.Diags); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// examples are the annotated packages of this folder, by name.
func examples(t *testing.T) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
				return fs.SkipDir // a module of its own, which "make drift" looks at
			}
		}
		if err == nil && e.Name() == load.OutputName {
			paths = append(paths, filepath.Dir(path))
		}
		return err
	})
	if err != nil || len(paths) < 2 {
		t.Fatalf("examples %v, %v", paths, err)
	}
	return paths
}

// TestCommitted compares the committed output of every example with what the generator writes today.
func TestCommitted(t *testing.T) {
	r := generate(t, ".", "./...")
	if n := len(examples(t)); n != len(r.Packages) {
		t.Errorf("%d packages have output and %d need it", n, len(r.Packages))
	}
	changes, err := r.Changes(output.Disk{})
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if _, err := r.Write(output.Disk{}); err != nil {
			t.Fatal(err)
		}
		return
	}
	for i := range changes {
		changes[i].Path = diag.RelPath(wd(t), changes[i].Path)
	}
	if len(changes) > 0 {
		t.Errorf("run go test ./golden -update, or repair the generator:\n%s", output.Diff(changes))
	}
}

// TestSameBytes copies the examples to other places, files in another order, and names the packages in
// another order, on what looks like other machines: nothing of that may show in the output.
func TestSameBytes(t *testing.T) {
	first := byPath(generate(t, ".", "./..."), wd(t))
	caches := keepCaches(t)
	for _, machine := range []struct {
		dir   string
		umask int
		env   map[string]string
	}{
		{"a", 0, nil},
		{filepath.Join("go path", "src", "Ünïcode"), 0o077, map[string]string{
			"TZ": "Pacific/Chatham", "LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8", "HOME": t.TempDir(), "USER": "somebody",
			"COLUMNS": "20",
			"GOFLAGS": "-mod=mod -modcacherw", "GOPATH": t.TempDir(), "GOMODCACHE": otherWay(t, caches["GOMODCACHE"]),
		}},
	} {
		for key, value := range machine.env {
			t.Setenv(key, value)
		}
		restore := setUmask(machine.umask)
		outputs := elsewhere(t, machine.dir)
		restore()
		if len(outputs) != len(first) {
			t.Errorf("%d files, want %d", len(outputs), len(first))
		}
		for name, got := range outputs {
			got = bytes.ReplaceAll(got, []byte(otherModule+"/"), []byte("github.com/mcpgen/mcpgen/golden/"))
			if want := first[name]; !bytes.Equal(got, want) {
				t.Errorf("%s differs when generated elsewhere:\n%s", name,
					output.Diff([]output.Change{{Path: name, Old: want, New: got}}))
			}
		}
	}
}

// otherWay is another path to a folder.
func otherWay(t *testing.T, dir string) string {
	t.Helper()
	link := filepath.Join(t.TempDir(), "mod")
	if err := os.Symlink(dir, link); err != nil {
		t.Logf("the other machine has the same module cache: %v", err) // not every system lets a test make links
		return dir
	}
	return link
}

// otherModule is where copies of the examples are; it sorts among the imports as the golden folder does.
const otherModule = "github.com/mcpgen/mcpgen/gold"

// keepCaches lets the go command find its caches when HOME is another, and returns where they are.
func keepCaches(t *testing.T) (paths map[string]string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE", "GOMODCACHE", "GOPATH").Output()
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Split(string(out), "\n")
	paths = map[string]string{}
	for i, key := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} {
		paths[key] = strings.TrimSpace(values[i])
		t.Setenv(key, paths[key])
	}
	return paths
}

// elsewhere generates a copy of the examples and returns what is on the disk then.
func elsewhere(t *testing.T, sub string) map[string][]byte {
	t.Helper()
	names := examples(t)
	slices.Reverse(names)
	dir := tempModule(t, sub, otherModule)
	var patterns []string
	for _, name := range names {
		copyReversed(t, name, filepath.Join(dir, name))
		patterns = append(patterns, "./"+filepath.ToSlash(name), "./"+filepath.ToSlash(name))
	}
	r := generate(t, dir, patterns...)
	if _, err := r.Write(output.Disk{}); err != nil {
		t.Fatal(err)
	}
	out := byPath(r, dir)
	for _, name := range names {
		if out[filepath.Join(name, load.OutputName)] == nil {
			t.Errorf("%s has no output", name)
		}
	}
	for name := range out {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		out[name] = data
	}
	return out
}

// byPath has the outputs by their path below root.
func byPath(r *gen.Result, root string) map[string][]byte {
	out := map[string][]byte{}
	for _, f := range r.Files {
		out[diag.RelPath(root, f.Path)] = f.Data
	}
	return out
}

// copyReversed copies the files of a folder and of what it may embed, but not the output, last name first.
func copyReversed(t *testing.T, from, to string) {
	t.Helper()
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(entries)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), load.OutputName) || e.Name() == "testdata" {
			continue
		}
		if e.IsDir() {
			if sources, _ := filepath.Glob(filepath.Join(from, e.Name(), "*.go")); e.Name() != "cmd" && len(sources) == 0 {
				copyReversed(t, filepath.Join(from, e.Name()), filepath.Join(to, e.Name()))
			}
			continue
		}
		text, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(to, e.Name()), string(text))
	}
}

func wd(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// tempModule makes a module outside the checkout that uses the mcpgen of the checkout.
func tempModule(t *testing.T, sub, module string) string {
	t.Helper()
	root := filepath.Dir(wd(t))
	dir := filepath.Join(t.TempDir(), sub)
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.sum"), string(sums))
	write(t, filepath.Join(dir, "go.mod"), "module "+module+"\n\ngo 1.26.0\n\n"+
		"require github.com/mcpgen/mcpgen v0.0.0\n\nreplace github.com/mcpgen/mcpgen => "+filepath.ToSlash(root)+"\n")
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
