// Command quickstart does what a newcomer does in the quick start, in a module outside this repository: mcpgen init,
// add an annotated function, go generate, go test, build, and connect a client to the server. Run it from the root
// of the repository: make quickstart.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/stdioclient"
	"github.com/mcpgen/mcpgen/internal/scratch"
)

const (
	uri  = "quickstart:///greeting"
	text = "Good morning."
)

// addition is what the newcomer writes; %s is the name of the package.
const addition = `package %s

import "context"

// Greeting returns a greeting.
//
//mcp:resource uri=` + uri + ` mime=text/plain
func Greeting(ctx context.Context) (string, error) {
	return "` + text + `", nil
}
`

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
	fmt.Println("quickstart: ok")
}

func run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	scratch.Sweep("")
	held, err := scratch.MkdirTemp("", "mcpgen-quickstart")
	if err != nil {
		return err
	}
	defer held.Remove() //nolint:errcheck // the next run removes it
	tmp := held.Path
	dir := filepath.Join(tmp, "hello")
	mcpgen := filepath.Join(tmp, "mcpgen.exe")
	if err := command(ctx, root, "go", "build", "-o", mcpgen, "./cmd/mcpgen"); err != nil {
		return err
	}
	// mcpgen is not published, so a newcomer names the checkout too.
	if err := command(ctx, tmp, mcpgen, "init", "-mcpgen", root, dir); err != nil {
		return err
	}
	if err := command(ctx, dir, "go", "mod", "tidy"); err != nil {
		return err
	}
	if err := edit(dir); err != nil {
		return err
	}
	return generateAndConnect(ctx, dir, filepath.Join(tmp, "server.exe"))
}

// edit adds a file with an annotated function to the package that mcpgen init has written.
func edit(dir string) error {
	file, err := find(dir, regexp.MustCompile(`(?m)^//mcp:server`))
	if err != nil {
		return err
	}
	source, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	name := regexp.MustCompile(`(?m)^package (\w+)`).FindSubmatch(source)
	if name == nil {
		return fmt.Errorf("%s has no package clause", file)
	}
	fmt.Println("+ add an annotated function in", filepath.Join(filepath.Dir(file), "greeting.go"))
	return os.WriteFile(filepath.Join(filepath.Dir(file), "greeting.go"), fmt.Appendf(nil, addition, name[1]), 0o600)
}

// find returns the Go file below dir that matches.
func find(dir string, pattern *regexp.Regexp) (string, error) {
	found := ""
	files := os.DirFS(dir)
	err := fs.WalkDir(files, ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		source, err := fs.ReadFile(files, path)
		if pattern.Match(source) {
			found = filepath.Join(dir, path)
			return fs.SkipAll
		}
		return err
	})
	if err == nil && found == "" {
		err = fmt.Errorf("mcpgen init wrote no file with %s", pattern)
	}
	return found, err
}

func generateAndConnect(ctx context.Context, dir, bin string) error {
	for _, args := range [][]string{
		{"generate", "./..."},
		{"mod", "tidy"}, // the generated file may be the first to import a package
		{"vet", "./..."},
		{"test", "./..."},
	} {
		if err := command(ctx, dir, "go", args...); err != nil {
			return err
		}
	}
	program, err := find(dir, regexp.MustCompile(`(?m)^package main$`))
	if err != nil {
		return err
	}
	if err := command(ctx, filepath.Dir(program), "go", "build", "-o", bin, "."); err != nil {
		return err
	}
	return connect(ctx, bin)
}

// connect reads the added resource as a client of 2025-11-25.
func connect(ctx context.Context, bin string) error {
	fmt.Println("+ connect, read", uri)
	cmd := exec.CommandContext(ctx, bin)
	cmd.Stderr = os.Stderr
	c, err := stdioclient.Start(cmd)
	if err != nil {
		return err
	}
	got, err := read(ctx, c)
	if err == nil && got != text {
		err = fmt.Errorf("%s reads %q, want %q", uri, got, text)
	}
	return errors.Join(err, c.Close())
}

func read(ctx context.Context, c *stdioclient.Client) (string, error) {
	type object map[string]any
	var r struct{ Contents []struct{ Text string } }
	err := c.Call(ctx, "initialize", object{
		"protocolVersion": "2025-11-25",
		"capabilities":    object{},
		"clientInfo":      object{"name": "quickstart", "version": "1"},
	}, &struct{}{})
	if err != nil {
		return "", err
	}
	if err := c.Notify("notifications/initialized", object{}); err != nil {
		return "", err
	}
	if err := c.Call(ctx, "resources/read", object{"uri": uri}, &r); err != nil {
		return "", err
	}
	if len(r.Contents) != 1 {
		return "", fmt.Errorf("%s has %d contents", uri, len(r.Contents))
	}
	return r.Contents[0].Text, nil
}

// command runs a program in dir and shows it.
func command(ctx context.Context, dir, name string, args ...string) error {
	fmt.Println("+", strings.Join(append([]string{filepath.Base(name)}, args...), " "))
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", filepath.Base(name), strings.Join(args, " "), err)
	}
	return nil
}
