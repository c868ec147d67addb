// Package modcache fills the module cache for tests that run the go command without a network.
package modcache

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/internal/scratch"
)

const (
	module   = "github.com/mcpgen/mcpgen"
	patience = 5 * time.Minute
)

// imports are the packages that users import. A module that imports some of these needs no module that one which
// imports all of them does not need.
var imports = []string{"mcp", "mcp/catalog", "mcp/mcptest", "mcp/stdio", "mcp/mcphttp", "mcp/wire",
	"generated/protocol"}

// Fill makes sure that the module cache holds what the checkout at root needs, and what "go mod tidy" needs in a module
// that uses it: tidy looks at the tests of imported packages too, which nothing else downloads. The network is used
// only if something is missing, with the settings of the environment. The caller may then set GOPROXY=off.
func Fill(root string) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if fill(ctx, root, "GOPROXY=off", "GONOSUMDB=*") == nil {
		return nil
	}
	return fill(ctx, root)
}

// Download makes sure that the module cache holds what the module in dir requires. It uses the network as Fill does.
func Download(dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if run(ctx, dir, []string{"GOPROXY=off", "GONOSUMDB=*"}, "mod", "download") == nil {
		return nil
	}
	return run(ctx, dir, nil, "mod", "download")
}

func fill(ctx context.Context, root string, env ...string) error {
	if err := run(ctx, root, env, "mod", "download"); err != nil {
		return err
	}
	scratch.Sweep("")
	dir, err := scratch.MkdirTemp("", "mcpgen-modcache")
	if err != nil {
		return err
	}
	defer dir.Remove() //nolint:errcheck // the next run removes it
	if err := writeUser(dir.Path, root); err != nil {
		return err
	}
	return run(ctx, dir.Path, env, "mod", "tidy")
}

// writeUser writes a module as mcpgen init does, which imports everything.
func writeUser(dir, root string) error {
	var b strings.Builder
	b.WriteString("package user\n")
	for _, path := range imports {
		fmt.Fprintf(&b, "\nimport _ %q\n", module+"/"+path)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return err
	}
	mod := fmt.Sprintf("module example.com/user\n\ngo 1.26.0\n\ntool %[1]s/cmd/mcpgen\n\nrequire %[1]s v0.0.0\n\n"+
		"replace %[1]s => %[2]q\n", module, root)
	for name, data := range map[string]string{"go.mod": mod, "go.sum": string(sums), "user.go": b.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func run(ctx context.Context, dir string, env []string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOFLAGS=-mod=mod -ldflags=-w", "GOWORK=off"), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s in %s: %w\n%s", strings.Join(args, " "), dir, err, out)
	}
	return nil
}
