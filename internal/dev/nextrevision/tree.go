package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// tree is a copy of the checkout. The index of a git directory beside it has what the checkout has, so git tells what
// has changed and takes it back. File names in it have slashes.
type tree struct {
	ctx      context.Context
	dir, git string
}

// newTree copies what git would commit: tracked files as they are now, and new ones.
func newTree(ctx context.Context, checkout, tmp string) (*tree, error) {
	t := &tree{ctx, filepath.Join(tmp, "copy"), filepath.Join(tmp, "git")}
	if err := os.Mkdir(t.dir, 0o750); err != nil {
		return nil, err
	}
	_, err := t.run(checkout, nil, "git", "init", "-q", "--bare", t.git)
	if err == nil {
		_, err = t.run(checkout, nil, "git", "--git-dir="+t.git, "--work-tree="+checkout, "add", "-A")
	}
	if err != nil {
		return nil, err
	}
	return t, t.reset()
}

// reset makes the copy what the checkout was.
func (t *tree) reset() error {
	if err := t.restore("."); err != nil {
		return err
	}
	_, err := t.ask("clean", "-fdq")
	return err
}

// restore makes files or folders what they are in the checkout.
func (t *tree) restore(names ...string) error {
	_, err := t.ask(append([]string{"checkout", "-q", "--"}, names...)...)
	return err
}

// ask asks git about the copy.
func (t *tree) ask(args ...string) (string, error) {
	return t.run(t.dir, nil, "git", append([]string{"--git-dir=" + t.git, "--work-tree=" + t.dir}, args...)...)
}

// find lists the files that have a text.
func (t *tree) find(text string, patterns ...string) []string {
	out, _ := t.ask(append([]string{"grep", "-lF", "-e", text, "--"}, patterns...)...) // it fails if there are none
	return strings.Fields(out)
}

// original returns the text of a file of the checkout.
func (t *tree) original(file string) (string, error) { return t.ask("show", ":"+file) }

// run runs a program and returns what it has said, on both streams.
func (t *tree) run(dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(t.ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "PWD="+dir), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out), err
}

func (t *tree) path(file string) string { return filepath.Join(t.dir, filepath.FromSlash(file)) }

// edit replaces a text by another in files, each of which must have it.
func (t *tree) edit(old, now string, files ...string) error {
	for _, file := range files {
		text, err := os.ReadFile(t.path(file))
		if err != nil {
			return err
		}
		changed := strings.ReplaceAll(string(text), old, now)
		if changed == string(text) {
			return fmt.Errorf("%s does not have %s", file, old)
		}
		if err := t.write(file, changed); err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) write(file, text string) error { return os.WriteFile(t.path(file), []byte(text), 0o600) }
