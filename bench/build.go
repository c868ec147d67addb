package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/mcpgen/mcpgen/bench/internal/work"
)

// programs are the packages of the processes, by name.
var programs = map[string]string{
	work.Ours:  "./servers/ours/cmd",
	work.SDK:   "./servers/sdk/cmd",
	work.MCPGo: "./servers/mcpgo/cmd",
	work.Floor: "./servers/floor/cmd",

	work.Headline(work.Ours):  "./servers/ours/headline",
	work.Headline(work.SDK):   "./servers/sdk/headline",
	work.Headline(work.MCPGo): "./servers/mcpgo/headline",

	work.Echo:  "./servers/echo",
	work.Hello: "./servers/hello",
	"micro":    "./micro",
	"web":      "./servers/web",
}

// generate writes the packages that are not committed, and their mcp_gen.go; with update those of
// the others too. stale says what mcpgen would write differently, and "" if nothing.
func generate(dir string, update bool) (stale string, err error) {
	if err := work.WriteLarge("servers/ours"); err != nil {
		return "", err
	}
	tool := filepath.Join(dir, "mcpgen")
	build := exec.Command("go", "build", "-o", tool, "./cmd/mcpgen")
	build.Dir = ".."
	if err := run(build); err != nil {
		return "", err
	}
	if update {
		return "", run(exec.Command(tool, "./servers/ours/..."))
	}
	if err := run(exec.Command(tool, "./servers/ours/many", "./servers/ours/literal")); err != nil {
		return "", err
	}
	if err := run(exec.Command(tool, "-check", "-strict", "./servers/ours/...")); err != nil {
		return fmt.Sprintf("%v\nin bench, run: go run . -generate", err), nil
	}
	return "", nil
}

// buildAll builds the stripped programs into dir.
func buildAll(dir string) error {
	for name, pkg := range programs {
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(dir, name), pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if err := run(cmd); err != nil {
			return err
		}
	}
	return nil
}

func run(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return nil
}
