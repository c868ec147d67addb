// Command nextrevision shows what a new revision of the protocol costs by hand: nothing but a line of the era table.
// Run it from the root of the repository: make next-revision. It works on a copy of the tree and does three things:
//
//   - It hides the newest revision: its schema goes, generated/protocol is written from the others, and the era table of
//     package mcp loses its line. The servers of golden/ must say to older clients exactly what they say today. Code of
//     package mcp that serves a newer era stays where it is; package names gives it the names that it refers to.
//   - It restores the revision and generates again. Every file must be what it is in the checkout.
//   - It adds a revision that nobody has seen, made from the newest one. Everything must build without any edit, and no
//     server may offer it. Then the era table names it: the older revisions must not notice.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/internal/scratch"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "next-revision:", err)
		os.Exit(1)
	}
}

const (
	eraTable    = "mcp/internal/server/era.go"
	protocolDir = "generated/protocol"
)

// rehearsal is a copy of the tree and what it is compared with, another copy.
type rehearsal struct {
	ctx      context.Context
	out      io.Writer
	files    []string // of the checkout
	original *tree
	copy     *tree
	older    []string // facts files, oldest first
	newest   string
}

func run(ctx context.Context, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	scratch.Sweep("")
	held, err := scratch.MkdirTemp("", "mcpgen-next-revision")
	if err != nil {
		return err
	}
	defer held.Remove() //nolint:errcheck // the next run removes it
	tmp := held.Path
	r := &rehearsal{ctx: ctx, out: out, original: &tree{filepath.Join(tmp, "original")}, copy: &tree{filepath.Join(tmp, "copy")}}
	checkout := &tree{root}
	if r.files, err = checkout.files(ctx); err != nil {
		return err
	}
	for _, t := range []*tree{r.original, r.copy} { // the checkout may change meanwhile
		if err := t.take(checkout, r.files); err != nil {
			return err
		}
	}
	facts, err := filepath.Glob(filepath.Join(r.copy.dir, "schema", "????-??-??.json"))
	if err != nil {
		return err
	}
	if len(facts) < 2 {
		return errors.New("schema has no two revisions: run it from the root of the repository")
	}
	for i := range facts {
		facts[i] = "schema/" + filepath.Base(facts[i])
	}
	slices.Sort(facts)
	r.older, r.newest = facts[:len(facts)-1], facts[len(facts)-1]
	for _, step := range []func() error{r.hide, r.restore, r.add} {
		if err := step(); err != nil {
			return err
		}
	}
	r.say("next-revision: ok")
	return nil
}

func (r *rehearsal) say(words ...string) { fmt.Fprintln(r.out, strings.Join(words, " ")) }

// hide makes the copy what it was before the newest revision came.
func (r *rehearsal) hide() error {
	r.say("+ hide", r.newest)
	complete, err := r.copy.sources(protocolDir)
	if err != nil {
		return err
	}
	if err := os.Remove(r.copy.path(r.newest)); err != nil {
		return err
	}
	if err := r.protocol(r.older...); err != nil {
		return err
	}
	if err := r.goCommand("build", "./"+protocolDir, "./cmd/mcpgen"); err != nil {
		return err
	}
	if err := r.editEraTable(); err != nil {
		return err
	}
	reduced, err := r.copy.sources(protocolDir)
	if err != nil {
		return err
	}
	named, err := addNames(complete, reduced, constant(r.newest))
	if err != nil {
		return err
	}
	for name, text := range named {
		if err := r.copy.write(protocolDir+"/"+name, text); err != nil {
			return err
		}
	}
	if err := r.goCommand("build", "./mcp/...", "./golden/..."); err != nil {
		return err
	}
	return r.replay(r.older, "")
}

// constant returns the Go constant of a facts file's revision.
func constant(facts string) string {
	return "Revision" + strings.ReplaceAll(revisionOf(facts), "-", "")
}

func revisionOf(facts string) string { return strings.TrimSuffix(filepath.Base(facts), ".json") }

// editEraTable takes the newest revision out of the era table, and insists that no other hand-written file but tests
// names it.
func (r *rehearsal) editEraTable() error {
	name := "protocol." + constant(r.newest)
	for _, file := range r.files {
		text, err := r.copy.read(file)
		switch {
		case !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || err != nil || !strings.Contains(text, name):
		case strings.HasPrefix(file, protocolDir+"/ext/"): // generated, for extensions of that revision
		case file != eraTable:
			return fmt.Errorf("%s names %s; only %s may", file, name, eraTable)
		case strings.Count(text, name) > 1:
			return fmt.Errorf("%s names %s %d times; one line must do", file, name, strings.Count(text, name))
		default:
			last := "protocol." + constant(r.older[len(r.older)-1])
			r.say("+ edit", eraTable+":", name, "becomes", last)
			if err := r.copy.write(file, strings.Replace(text, name, last, 1)); err != nil {
				return err
			}
		}
	}
	return nil
}

// restore brings the newest revision back. The copy must become what the checkout is.
func (r *rehearsal) restore() error {
	r.say("+ restore", r.newest)
	hidden, err := r.copy.differences(r.original, r.files)
	if err != nil {
		return err
	}
	for _, file := range hidden {
		if file != r.newest && file != eraTable && !strings.HasPrefix(file, protocolDir+"/") && !isTranscript(file) {
			return fmt.Errorf("hiding %s changed %s", r.newest, file)
		}
	}
	if err := r.copy.take(r.original, []string{r.newest, eraTable}); err != nil {
		return err
	}
	if err := os.Remove(r.copy.path(protocolDir + "/" + namesFile)); err != nil {
		return err
	}
	if err := r.protocol(); err != nil {
		return err
	}
	if err := r.goCommand("run", "./cmd/mcpgen", "./golden/..."); err != nil {
		return err
	}
	if err := r.replay(append(slices.Clone(r.older), r.newest), ""); err != nil {
		return err
	}
	changed, err := r.copy.differences(r.original, r.files)
	if err == nil && len(changed) > 0 {
		err = fmt.Errorf("the tree differs after a round trip: %s", strings.Join(changed, ", "))
	}
	return err
}

// add gives the copy a revision that nobody has seen.
func (r *rehearsal) add() error {
	r.say("+ add", future)
	text, err := r.copy.read(r.newest)
	if err != nil {
		return err
	}
	text, err = invent(text)
	if err != nil {
		return err
	}
	if err := r.copy.write(future, text); err != nil {
		return err
	}
	known := append(slices.Clone(r.older), r.newest)
	if err := r.protocol(append(slices.Clone(known), future)...); err != nil {
		return err
	}
	if err := r.goCommand("vet", "./mcp/...", "./generated/...", "./golden/..."); err != nil {
		return err
	}
	if err := r.replay(known, ""); err != nil {
		return err
	}
	return r.offer(known)
}

// offer lets the servers of the copy serve the revision that nobody has seen: a line of the era table.
func (r *rehearsal) offer(known []string) error {
	text, err := r.copy.read(eraTable)
	if err != nil {
		return err
	}
	newest, next := "protocol."+constant(r.newest), "protocol."+constant(future)
	r.say("+ edit", eraTable+":", newest, "becomes", next)
	if err := r.copy.write(eraTable, strings.Replace(text, newest, next, 1)); err != nil {
		return err
	}
	return r.replay(known, `"`+revisionOf(future)+`",`)
}

// protocol generates the protocol package of the copy: from the committed set, or from the given facts.
func (r *rehearsal) protocol(facts ...string) error {
	args := []string{"run", "./cmd/mcpgen", "protocol"}
	for _, f := range facts {
		args = append(args, "-schema", f)
	}
	return r.goCommand(args...)
}

// goCommand runs the go command in the copy. Its output is shown only if it fails.
func (r *rehearsal) goCommand(args ...string) error {
	r.say("+ go", strings.Join(args, " "))
	cmd := exec.CommandContext(r.ctx, "go", args...)
	cmd.Dir = r.copy.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-trimpath", "GOWORK=off", "PWD="+r.copy.dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}
