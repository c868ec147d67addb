package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/scratch"
)

// killed is a command that TestKilled ends at many points, and the file that it writes.
type killed struct {
	args []string
	out  string
	// reset brings back what was before the command, and may be nil.
	reset func(dir string) error
}

var killedCommands = []killed{
	{[]string{"."}, "mcp_gen.go", func(dir string) error { return os.Remove(filepath.Join(dir, "mcp_gen.go")) }},
	{[]string{"init", "-module", "example.com/new", "new"}, "new/mcp_gen.go",
		func(dir string) error { return os.RemoveAll(filepath.Join(dir, "new")) }},
	{[]string{"schema", "import", "-o", "facts.json", "2025-11-25/schema.json"}, "facts.json", nil},
	{[]string{"catalog"}, "", nil},
}

// TestKilled kills mcpgen at many points. What it writes is there as a whole or not at all, and the next run leaves no
// temporary file of those before, neither beside its output nor where the system keeps such files.
func TestKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no locks there")
	}
	dir, temp := t.TempDir(), t.TempDir()
	bin := annotatedModule(t, dir)
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command(bin, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "TMPDIR="+temp, "GOFLAGS=-mod=mod -ldflags=-w", "GOPROXY=off",
			"GOWORK=off", "GOTOOLCHAIN=local")
		return cmd
	}
	for _, k := range killedCommands {
		t.Run(k.args[0], func(t *testing.T) {
			begin := time.Now()
			if text, err := command(k.args...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			took := time.Since(begin)
			want, _ := os.ReadFile(filepath.Join(dir, filepath.FromSlash(k.out)))
			const points = 12
			for i := range points {
				if k.reset != nil {
					if err := k.reset(dir); err != nil && !os.IsNotExist(err) {
						t.Fatal(err)
					}
				}
				cmd := command(k.args...)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				// A point in the time that a run takes. Where it falls does not matter to the test.
				timer := time.AfterFunc(took*time.Duration(i)/points, func() { _ = cmd.Process.Kill() })
				_ = cmd.Wait()
				timer.Stop()
				if got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(k.out))); k.out != "" && err == nil &&
					string(got) != string(want) {
					t.Errorf("%s is half written", k.out)
				}
			}
			if k.reset != nil {
				if err := k.reset(dir); err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
			}
			// A program that a killed run has started may go on, and write once more beside the next run.
			var left []string
			for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); {
				if text, err := command(k.args...).CombinedOutput(); err != nil {
					t.Fatalf("after kills: %v\n%s", err, text)
				}
				if left = append(scratchBelow(t, dir), scratchBelow(t, temp)...); left == nil {
					return
				}
				time.Sleep(time.Second)
			}
			t.Errorf("left: %v", left)
		})
	}
}

// annotatedModule makes dir a module with an annotated package and an official schema, and returns the command.
func annotatedModule(t testing.TB, dir string) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	facts, err := os.ReadFile(filepath.Join(root, "schema", "2025-11-25.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod":                 "module example.com/m\n\ngo 1.26.0\n",
		"a.go":                   "//mcp:server name=m\npackage m\n\nimport \"context\"\n\n// Motd is the message of the day.\n//\n//mcp:resource uri=notes:///motd\nfunc Motd(ctx context.Context) (string, error) { return \"\", nil }\n",
		"2025-11-25/schema.json": string(facts),
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := useCheckout(dir, root); err != nil {
		t.Fatal(err)
	}
	bin, err := exec.LookPath("mcpgen") // TestMain has put it there, as for the scripts
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// scratchBelow returns the temporary files of ours below dir.
func scratchBelow(t *testing.T, dir string) (left []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && scratch.Is(filepath.Base(path)) {
			left = append(left, strings.TrimPrefix(path, dir))
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return left
}
