// Command nextrevision shows what a new revision of the protocol costs by hand.
// Run it from the root of the repository: make next-revision. It works on a copy of the tree and does three things:
//
//   - It hides the newest revision wholly: its schema goes, the record of what was given, every sentence and exception
//     that is only for it, and the era table loses its line. The servers of golden/ must say to older clients exactly
//     what they say today. Code of the runtime that serves a newer era stays where it is; package names gives it the
//     names that it refers to.
//   - It lets the revision arrive again by the page "A new revision arrives" of CONTRIBUTING.md, and does by hand only
//     what the tool names. All transcripts must then be those of the checkout, and all mcp_gen.go. The steps are
//
// counted.
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
	"path"
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
	eraTable    = "mcp/internal/era/era.go"
	protocolDir = "generated/protocol"
	record      = "schema/api.json"
	exceptions  = "schema/exceptions.json"
	sentences   = "schema/docs.json"
)

// builds are the arguments that let the go command compile the runtime, the servers and their tests, and no more.
var builds = []string{"list", "-export", "-test", "./mcp/...", "./generated/...", "./golden/..."}

// rehearsal is a copy of the tree and what it is compared with, another copy.
type rehearsal struct {
	ctx      context.Context
	out      io.Writer
	files    []string // of the checkout
	original *tree
	copy     *tree
	older    []string // facts files, oldest first
	newest   string
	late     []string // facts files of extensions that came with the newest revision
	gone     []entry  // exceptions that were for the newest revision alone
	hidden   bool     // the newest revision is not there
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
	r := &rehearsal{ctx: ctx, out: out, original: &tree{filepath.Join(tmp, "original")},
		copy: &tree{filepath.Join(tmp, "copy")}}
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
	for _, step := range []func() error{r.hide, r.arrive, r.reset, r.add} {
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
	if r.late, err = r.copy.extensionsSince(revisionOf(r.newest)); err != nil {
		return err
	}
	extensions, err := r.hideExtensions()
	if err != nil {
		return err
	}
	for _, file := range []string{r.newest, record, messages(r.newest)} {
		if err := os.Remove(r.copy.path(file)); err != nil {
			return err
		}
	}
	if r.gone, err = r.copy.prune(r.older); err != nil {
		return err
	}
	// What these codecs do with the recorded messages is what those may not change that know the newest revision, too.
	if err := r.goCommand("run", "./cmd/mcpgen", "protocol", "-accept"); err != nil {
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
		extensions[protocolDir+"/"+name] = text
	}
	for name, text := range extensions {
		if err := r.copy.write(name, text); err != nil {
			return err
		}
	}
	if err := r.goCommand("build", "./mcp/...", "./golden/..."); err != nil {
		return err
	}
	r.hidden = true
	defer func() { r.hidden = false }()
	return r.replay(r.older, "")
}

// hideExtensions removes the extensions that came with the newest revision. Code of the runtime that serves them stays
// where it is; what it imports is returned by the names of the files, and has a revision that is never served.
func (r *rehearsal) hideExtensions() (map[string]string, error) {
	never := "protocol." + constant(r.older[len(r.older)-1]) + "+1"
	files := make(map[string]string)
	for _, file := range r.late {
		generated := protocolDir + "/ext/" + path.Base(path.Dir(file))
		texts, err := r.copy.sources(generated)
		if err != nil {
			return nil, err
		}
		for name, text := range texts {
			files[generated+"/"+name] = strings.ReplaceAll(text, "protocol."+constant(r.newest), never)
		}
		for _, dir := range []string{path.Dir(file), generated} {
			if err := os.RemoveAll(r.copy.path(dir)); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

// messages returns the file of the recorded messages of a facts file's revision.
func messages(facts string) string { return "schema/messages/" + revisionOf(facts) + ".txt.gz" }

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
		case !isRuntime(file) || err != nil || !strings.Contains(text, name):
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

// isRuntime reports whether a file is hand-written code of the runtime or of a server.
func isRuntime(file string) bool {
	hand := strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") && !strings.HasSuffix(file, "_gen.go")
	return hand && (strings.HasPrefix(file, "mcp/") || strings.HasPrefix(file, "golden/"))
}

// reset makes the copy what the checkout is.
func (r *rehearsal) reset() error {
	changed, err := r.copy.differences(r.original, r.files)
	if err != nil {
		return err
	}
	for _, file := range changed {
		if !slices.Contains(r.files, file) {
			if err := os.Remove(r.copy.path(file)); err != nil {
				return err
			}
			continue
		}
		if err := r.copy.take(r.original, []string{file}); err != nil {
			return err
		}
	}
	return r.protocol()
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
	if err := r.goCommand(builds...); err != nil {
		return err
	}
	if err := r.goCommand("run", "./cmd/mcpgen", "-check", "./golden/..."); err != nil {
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
	if out, err := r.goOutput(args...); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

func (r *rehearsal) goOutput(args ...string) (string, error) {
	r.say("+ go", strings.Join(args, " "))
	cmd := exec.CommandContext(r.ctx, "go", args...)
	cmd.Dir = r.copy.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-trimpath", "GOWORK=off", "PWD="+r.copy.dir)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
