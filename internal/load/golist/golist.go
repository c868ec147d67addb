// Package golist asks the go command about packages.
//
// It answers for packages that do not compile too. If a file that the generator has written keeps the go command from
// seeing packages, it is asked again as if there were none.
package golist

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
)

// Package is the part of the go command's description of a package that is used.
type Package struct {
	ImportPath string
	Name       string
	Dir        string
	GoFiles    []string
	// TestGoFiles and XTestGoFiles are the tests of the package, inside and outside of it.
	TestGoFiles, XTestGoFiles []string
	// IgnoredGoFiles are left out of this build, tests among them.
	IgnoredGoFiles []string
	// Match are the patterns that matched the package.
	Match     []string
	CgoFiles  []string
	Imports   []string
	ImportMap map[string]string
	Standard  bool
	DepOnly   bool
	Export    string
	Module    *struct {
		Path      string
		Dir       string
		Main      bool
		GoVersion string
	}
	Error *struct{ Err string }
}

// Built are the files of this build.
func (p *Package) Built() []string { return slices.Concat(p.GoFiles, p.CgoFiles) }

// Files are all Go files in the folder of the package, tests and files of other builds among them.
func (p *Package) Files() []string {
	return slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles, p.XTestGoFiles, p.IgnoredGoFiles)
}

// Command runs the go command for one module.
type Command struct {
	// Dir is where the command runs, and Env is added to its environment.
	Dir string
	Env []string

	// hidden are output files that the go command is told not to see, each with the "" that says so in an overlay.
	hidden map[string]string
}

// Arch is the processor for which packages are listed.
func (c *Command) Arch() string {
	for _, env := range slices.Backward(c.Env) { // the last setting counts
		if v, ok := strings.CutPrefix(env, "GOARCH="); ok {
			return v
		}
	}
	if v := os.Getenv("GOARCH"); v != "" {
		return v
	}
	return runtime.GOARCH
}

const graphFields = "ImportPath,Name,Dir,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,IgnoredGoFiles,Match," +
	"Imports,ImportMap,Standard,DepOnly,Module,Error"

// list runs the go command. With -e it describes broken packages too, so its exit code counts only if it prints
// nothing.
func (c *Command) list(ctx context.Context, args ...string) ([]*Package, error) {
	overlay, remove, err := c.overlay()
	if err != nil {
		return nil, err
	}
	defer remove()
	flags := []string{"list", "-e"}
	if overlay != "" {
		flags = append(flags, overlay)
	}
	cmd := c.command(ctx, append(flags, args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	runErr := cmd.Run()
	var out []*Package
	for dec := json.NewDecoder(&stdout); dec.More(); {
		p := new(Package)
		if err := dec.Decode(p); err != nil {
			return nil, fmt.Errorf("load: answer of go list: %w", err)
		}
		out = append(out, p)
	}
	if runErr != nil && len(out) == 0 {
		return nil, Trouble(runErr, stderr.String())
	}
	return out, nil
}

// command prepares the go command. Its environment forbids to download another version of Go, because a generator that
// needs the network is not repeatable.
func (c *Command) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = c.Dir, append(append(os.Environ(), "GOTOOLCHAIN=local"), c.Env...)
	return cmd
}

// Graph lists packages and all that they import, dependencies first. If an output of ours is in the way, it lists them
// again without our outputs.
func (c *Command) Graph(ctx context.Context, patterns []string) ([]*Package, error) {
	args := append([]string{"-deps", "-json=" + graphFields, "--"}, patterns...)
	all, err := c.list(ctx, args...)
	if err != nil || !unreadable(all) || c.hidden != nil {
		return all, err
	}
	hidden, err := c.hideOutputs(ctx)
	if err != nil || !hidden {
		return all, err
	}
	return c.list(ctx, args...)
}

// Export returns the export data of packages. The go command compiles packages that are not in its cache. A package
// that does not compile has an Error instead.
func (c *Command) Export(ctx context.Context, paths []string) ([]*Package, error) {
	return c.list(ctx, append([]string{"-export", "-json=ImportPath,Export,Error", "--"}, paths...)...)
}
