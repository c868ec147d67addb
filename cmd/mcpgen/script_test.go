package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/mod/modfile"

	"github.com/mcpgen/mcpgen/internal/dev/modcache"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mcpgen": main})
}

// TestScript runs the command line in modules outside of the checkout, without a network. A script that has no
// go.mod gets one that uses the mcpgen of the checkout.
func TestScript(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if err := modcache.Fill(root); err != nil {
		t.Fatal(err)
	}
	cache, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE", "CGO_ENABLED").Output()
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Split(string(cache), "\n")
	// Nobody debugs the programs, so that they need no symbols. What is compiled is the same without. CGO_ENABLED is that
	// of all other tests: with another, the go command compiles net, and all that imports it, once more.
	vars := []string{"ROOT=" + root, "GOCACHE=" + values[0], "GOMODCACHE=" + values[1], "CGO_ENABLED=" + values[2],
		"GOFLAGS=-mod=mod -ldflags=-w", "GOPROXY=off", "GOTOOLCHAIN=local", "GOWORK=off", "GONOSUMDB=*"}
	first := sync.OnceValue(func() error { return compile(t.TempDir(), root, append(os.Environ(), vars...)) })
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, vars...)
			if err := first(); err != nil {
				return err
			}
			return addModule(env.WorkDir, root)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status, "age": age, "untouched": untouched, "replace": replace, "until": until,
			"usecheckout": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(useCheckout(ts.MkAbs(args[0]),
					root))
			},
		},
	})
}

// compile compiles what a module in dir uses of the checkout: packages of the runtime, with what vet knows of them, and
// mcpgen. The build cache has only what is finished, so that scripts that begin at the same time would each compile it.
func compile(dir, root string, env []string) error {
	const module = "github.com/mcpgen/mcpgen/"
	text := "package user\n"
	for _, path := range []string{"mcp/catalog", "mcp/mcptest", "mcp/stdio"} {
		text += fmt.Sprintf("\nimport _ %q\n", module+path)
	}
	if err := os.WriteFile(filepath.Join(dir, "user.go"), []byte(text), 0o600); err != nil {
		return err
	}
	if err := addModule(dir, root); err != nil {
		return err
	}
	for _, args := range [][]string{{"vet", "."}, {"run", module + "cmd/mcpgen", "version"}} {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = dir, env
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
	}
	return nil
}

// addModule makes dir a module, unless the script has its own.
func addModule(dir, root string) error {
	mod := filepath.Join(dir, "go.mod")
	if matches, err := filepath.Glob(filepath.Join(dir, "*", "go.mod")); err != nil || len(matches) > 0 {
		return err
	}
	if _, err := os.Stat(mod); err == nil {
		return nil
	}
	if err := os.WriteFile(mod, []byte("module example.com/m\n\ngo 1.26.0\n"), 0o600); err != nil {
		return err
	}
	return useCheckout(dir, root)
}

// useCheckout lets the module in dir use the mcpgen in root, with the checksums of what that needs.
func useCheckout(dir, root string) error {
	const module = "github.com/mcpgen/mcpgen"
	name := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	mod, err := modfile.Parse(name, text, nil)
	if err != nil {
		return err
	}
	if err := errors.Join(mod.AddRequire(module, "v0.0.0"), mod.AddReplace(module, "", root, "")); err != nil {
		return err
	}
	if text, err = mod.Format(); err != nil {
		return err
	}
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o600)
}

// status CODE COMMAND... runs a command and insists on its exit status.
func status(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// longAgo is the time that age gives to files.
var longAgo = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

// age FILE... makes files look old, and untouched FILE... insists that they still do.
func age(ts *testscript.TestScript, _ bool, args []string) {
	for _, file := range args {
		ts.Check(os.Chtimes(ts.MkAbs(file), longAgo, longAgo))
	}
}

func untouched(ts *testscript.TestScript, neg bool, args []string) {
	for _, file := range args {
		info, err := os.Stat(ts.MkAbs(file))
		ts.Check(err)
		if old := info.ModTime().Equal(longAgo); old == neg {
			ts.Fatalf("%s: modified %v", file, info.ModTime())
		}
	}
}

// replace FILE OLD NEW changes a text in a file, once. OLD must be there.
func replace(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s does not contain %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, args[1], args[2], 1)), 0o600))
}

// until FILE PATTERN waits for a command in the background to write a file.
func until(ts *testscript.TestScript, _ bool, args []string) {
	pattern, err := regexp.Compile(args[1])
	ts.Check(err)
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && pattern.Match(text) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s does not come to match %s (%v)\n%s", args[0], args[1], err, text)
		}
	}
}
