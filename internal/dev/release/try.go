package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/mcpgen/mcpgen/internal/version"
)

// try uses the release as the README says, without a checkout and without replace lines.
func (r *release) try(ctx context.Context) error {
	tool := version.Module + "/cmd/mcpgen@" + r.version
	mcpgen := filepath.Join(r.tmp, "bin", "mcpgen")
	if err := command(ctx, r.tmp, r.env, "go", "install", tool); err != nil {
		return err
	}
	said, err := output(ctx, r.tmp, r.env, mcpgen, "version")
	if err != nil || !strings.Contains(said, r.version) {
		return fmt.Errorf("mcpgen version says %q: %w", said, err)
	}
	hello, other := filepath.Join(r.tmp, "hello"), filepath.Join(r.tmp, "other")
	if err := command(ctx, r.tmp, r.env, mcpgen, "init", hello); err != nil {
		return err
	}
	server := filepath.Join(r.tmp, "bin", "server")
	for _, args := range []string{"mod tidy", "generate ./...", "test ./...", "build -o " + server + " ./cmd/hello",
		"tool mcpgen -check ./..."} {
		if err := command(ctx, hello, r.env, append([]string{"go"}, strings.Fields(args)...)...); err != nil {
			return err
		}
	}
	packer := version.Module + "/pack/cmd/mcpgen-pack@" + r.version
	if err := command(ctx, r.tmp, r.env, "go", "install", packer); err != nil {
		return err
	}
	if err := command(ctx, hello, r.env, mcpgen, "pack", "-o", "hello.mcpb", "-author", "Ada", "-version", "1.0.0",
		"-description", "Clocks", "./cmd/hello"); err != nil {
		return err
	}
	if err := os.Mkdir(other, 0o700); err != nil {
		return err
	}
	for _, args := range []string{"mod init example.com/other", "get -tool " + tool, "tool mcpgen version"} {
		if err := command(ctx, other, r.env, append([]string{"go"}, strings.Fields(args)...)...); err != nil {
			return err
		}
	}
	return r.adapters(ctx, other)
}

// adapters builds a program that imports all modules.
func (r *release) adapters(ctx context.Context, dir string) error {
	var source strings.Builder
	source.WriteString("package main\n\nimport (\n")
	args := []string{"go", "get"}
	for _, folder := range published[1:] {
		name := path.Join(version.Module, folder)
		fmt.Fprintf(&source, "\t_ %q\n", name)
		args = append(args, name+"@"+r.version)
	}
	source.WriteString(")\n\nfunc main() {}\n")
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(source.String()), 0o600); err != nil {
		return err
	}
	if err := command(ctx, dir, r.env, args...); err != nil {
		return err
	}
	return command(ctx, dir, r.env, "go", "build", "-o", os.DevNull, ".")
}

// command runs a program in dir and shows it.
func command(ctx context.Context, dir string, env []string, args ...string) error {
	fmt.Println("+", filepath.Base(args[0]), strings.Join(args[1:], " "))
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(os.Environ(), env...), os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// output runs a program and returns what it writes.
func output(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), env...), os.Stderr
	text, err := cmd.Output()
	return string(text), err
}
