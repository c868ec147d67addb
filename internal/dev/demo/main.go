// Command demo shows the main job of this project in a few seconds: it generates and builds the server of
// golden/notes, starts it on a temporary directory, and reads, subscribes and edits as a client. Run it from the
// root of the repository: make demo.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/internal/scratch"
)

const (
	// buildPatience is for a machine that has nothing in its caches, and other work to do.
	buildPatience = 15 * time.Minute
	// talkPatience is how long the conversation may take.
	talkPatience = time.Minute
)

func main() {
	scratch.Main("demo", run)
}

func run(dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), buildPatience)
	defer cancel()
	bin := filepath.Join(dir, "server")
	notes := filepath.Join(dir, "notes")
	if err := prepare(ctx, bin, notes); err != nil {
		return err
	}
	step("start the server on a directory with two notes")
	ctx, cancelTalk := context.WithTimeout(ctx, talkPatience)
	defer cancelTalk()
	cmd := exec.CommandContext(ctx, bin, "-dir", notes)
	cmd.Stderr = os.Stderr
	c, err := start(cmd)
	if err != nil {
		return err
	}
	if err := c.converse(notes); err != nil {
		return errors.Join(err, c.close())
	}
	step("close its input: it ends by itself")
	return c.close()
}

// prepare generates and builds the server and writes two notes.
func prepare(ctx context.Context, bin, notes string) error {
	step("generate golden/notes/mcp_gen.go from the annotations in golden/notes/notes.go")
	if err := command(ctx, "go", "run", "./cmd/mcpgen", "./golden/notes"); err != nil {
		return err
	}
	step("build golden/notes/cmd/notes")
	if err := command(ctx, "go", "build", "-o", bin, "./golden/notes/cmd/notes"); err != nil {
		return err
	}
	if err := os.Mkdir(notes, 0o700); err != nil {
		return err
	}
	return writeNotes(notes, map[string]string{
		"groceries": "# Groceries\n\n- tea\n",
		"ideas":     "# Ideas\n\n- one declaration, every revision\n",
	})
}

// writeNotes replaces each note in one step, so that the server never sees half of it.
func writeNotes(dir string, notes map[string]string) error {
	for name, text := range notes {
		tmp := filepath.Join(dir, name+".tmp")
		if err := os.WriteFile(tmp, []byte(text), 0o600); err != nil {
			return err
		}
		if err := os.Rename(tmp, filepath.Join(dir, name+".md")); err != nil {
			return err
		}
	}
	return nil
}

// command runs a program and shows what it prints.
func command(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return nil
}

func step(text string) { fmt.Println("\n==", text) }

func show(text string) {
	for line := range strings.Lines(text) {
		fmt.Println("   ", strings.TrimRight(line, "\n"))
	}
}
