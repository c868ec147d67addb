package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// copyTree copies what git would commit of a checkout.
func copyTree(ctx context.Context, from, to string) error {
	list, err := git(ctx, from, "ls-files", "-co", "--exclude-standard", "-z")
	if err != nil {
		return err
	}
	for name := range bytes.SplitSeq(list, []byte{0}) {
		file := filepath.FromSlash(string(name))
		info, err := os.Stat(filepath.Join(from, file))
		if file == "" || err != nil || !info.Mode().IsRegular() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(from, file))
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to, file)), 0o750); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, file), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func goCommand(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-trimpath", "GOWORK=off", "PWD="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}
