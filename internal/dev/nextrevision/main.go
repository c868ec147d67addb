// Command nextrevision shows what a new revision of the protocol costs by hand.
// Run it from the root of the repository: make next-revision. It works on a copy of the tree and does three things:
//
//   - It hides the newest revision wholly: its schema goes, the record of what was given, every sentence and exception
//     that is only for it, and the era table loses its line. The servers of golden/ must say to older clients exactly
//     what they say today. Code of the runtime that serves a newer era stays where it is; addNames gives it the names
//     that it refers to.
//   - It lets the revision arrive again by the page "A new revision arrives" of CONTRIBUTING.md, and does by hand only
//     what the tool names. All transcripts must then be those of the checkout, and all mcp_gen.go. The steps are
//     counted.
//   - It adds a revision that nobody has seen: unseen.json of internal/dev/drafts, on the newest one. Everything must
//     build without any edit, and no server may offer it. Then the era table names it: the older revisions must not
//     notice.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/reduced"
	"github.com/mcpgen/mcpgen/internal/scratch"
	"github.com/mcpgen/mcpgen/schema"
)

func main() { scratch.Main("next-revision", run) }

const (
	eraTable    = "mcp/internal/era/era.go"
	protocolDir = "generated/protocol"
	record      = "schema/api.json"
	exceptions  = "schema/exceptions.json"
	sentences   = "schema/docs.json"

	// future is the revision that nobody has seen.
	future = "2099-01-01"
)

// builds are the arguments that let the go command compile the runtime, the servers and their tests, and no more.
var builds = []string{"list", "-export", "-test", "./mcp/...", "./generated/...", "./golden/..."}

// rehearsal is a copy of the tree, and the revisions that it has.
type rehearsal struct {
	*tree
	older     []string // dates, oldest first
	newest    string
	exception []string // those that were for the newest revision alone
	late      []string // folders of extensions that came with the newest revision
	steps     int
}

func run(tmp string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	dates, err := schema.EmbeddedRevisions()
	if err != nil {
		return err
	}
	last := len(dates) - 1
	r := &rehearsal{older: dates[:last], newest: dates[last]}
	if r.tree, err = newTree(ctx, root, tmp); err != nil {
		return err
	}
	for _, step := range []func() error{r.hide, r.arrive, r.reset, r.add} {
		if err := step(); err != nil {
			return err
		}
	}
	say("next-revision: ok")
	return nil
}

func say(words ...string) { fmt.Fprintln(os.Stdout, strings.Join(words, " ")) }

// hide makes the copy what it was before the newest revision came.
func (r *rehearsal) hide() error {
	say("+ hide", r.newest)
	complete, err := r.sources(protocolDir)
	if err != nil {
		return err
	}
	if err := r.hideExtensions(); err != nil {
		return err
	}
	for _, file := range []string{facts(r.newest), record, "schema/messages/" + r.newest + ".txt.gz"} {
		if err := os.Remove(r.path(file)); err != nil {
			return err
		}
	}
	all, err := schema.Embedded()
	if err != nil {
		return err
	}
	if r.exception, err = r.prune(all[:len(all)-1]); err != nil {
		return err
	}
	// What these codecs do with the recorded messages is what those may not change that know the newest revision, too.
	if _, err := r.mcpgen("protocol", "-accept"); err != nil {
		return err
	}
	if err := r.goCommand("build", "./"+protocolDir, "./cmd/mcpgen"); err != nil {
		return err
	}
	if err := r.hideNames(complete); err != nil {
		return err
	}
	name := "protocol." + constant(r.newest)
	out, err := r.ask("grep", "-cF", name, "--", "mcp/*.go", "golden/*.go", ":!*_test.go", ":!*_gen.go")
	if err != nil || out != eraTable+":1\n" {
		return fmt.Errorf("%s may be in one line of %s alone, and is in\n%s%w", name, eraTable, out, err)
	}
	if err := r.serve(r.older[len(r.older)-1]); err != nil {
		return err
	}
	if err := r.goCommand("build", "./mcp/...", "./golden/..."); err != nil {
		return err
	}
	return r.replay(r.older, needsNewest)
}

// hideExtensions removes the extensions that came with the newest revision: they may refer to what it has. Code of the
// runtime that serves them stays where it is, and what it imports has a revision that is never served.
func (r *rehearsal) hideExtensions() error {
	files, err := filepath.Glob(r.path("schema/ext/*/????-??-??.json"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if strings.TrimSuffix(filepath.Base(file), ".json") < r.newest {
			continue
		}
		folder := "schema/ext/" + filepath.Base(filepath.Dir(file))
		r.late = append(r.late, folder)
		if err := os.RemoveAll(r.path(folder)); err != nil {
			return err
		}
		name, never := "protocol."+constant(r.newest), "protocol."+constant(r.older[len(r.older)-1])+"+1"
		if err := r.edit(name, never, r.find(name, path.Join(protocolDir, "ext", path.Base(folder)))...); err != nil {
			return err
		}
	}
	return nil
}

// hideNames gives the package without the newest revision the names that the runtime refers to.
func (r *rehearsal) hideNames(complete []string) error {
	reduced, err := r.sources(protocolDir)
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(r.path(protocolDir), "*_gen.go"))
	if err != nil {
		return err
	}
	for _, file := range files {
		err = errors.Join(err, os.Remove(file))
	}
	return errors.Join(err, r.write(protocolDir+"/names_gen.go", addNames(complete, reduced)))
}

// serve lets the servers of the copy offer the revisions up to this one, in place of the newest.
func (r *rehearsal) serve(revision string) error {
	say("+ edit", eraTable+":", r.newest, "becomes", revision)
	return r.edit("protocol."+constant(r.newest), "protocol."+constant(revision), eraTable)
}

func facts(revision string) string { return "schema/" + revision + ".json" }

// constant returns the Go constant of a revision.
func constant(revision string) string { return "Revision" + strings.ReplaceAll(revision, "-", "") }

// add gives the copy a revision that nobody has seen. Once the era table names it, it is in what servers list, and no
// transcript has a section of it.
func (r *rehearsal) add() error {
	say("+ add", future)
	unseen, err := reduced.Read(r.path("internal/dev/drafts/testdata/unseen.json"))
	if err != nil {
		return err
	}
	text, err := unseen.Schema(r.path("schema"))
	if err != nil {
		return err
	}
	if err := r.write(facts(future), string(text)); err != nil {
		return err
	}
	known := append(slices.Clone(r.older), r.newest)
	generate := []string{"protocol"}
	for _, revision := range append(slices.Clone(known), future) {
		generate = append(generate, "-schema", facts(revision))
	}
	if _, err := r.mcpgen(generate...); err != nil {
		return err
	}
	if err := r.goCommand(builds...); err != nil {
		return err
	}
	if _, err := r.mcpgen("-check", "./golden/..."); err != nil {
		return err
	}
	if err := r.replay(known, nil); err != nil {
		return err
	}
	if err := r.serve(future); err != nil {
		return err
	}
	listed := `"supportedVersions":["`
	if err := r.edit(listed+r.newest, listed+future+`","`+r.newest, r.find(listed, "golden/*.txtar")...); err != nil {
		return err
	}
	return r.replay(known, nil, "-skip=/"+future+"|//"+future+"|///"+future) // subtests of tests, of subtests and so on
}

// mcpgen runs the generator of the copy and returns what it says.
func (r *rehearsal) mcpgen(args ...string) (string, error) {
	return r.goOutput(append([]string{"run", "./cmd/mcpgen"}, args...)...)
}

func (r *rehearsal) goCommand(args ...string) error {
	_, err := r.goOutput(args...)
	return err
}

// goOutput runs the go command in the copy. Its output is shown only if it fails.
func (r *rehearsal) goOutput(args ...string) (string, error) {
	say("+ go", strings.Join(args, " "))
	return r.run(r.dir, []string{"GOFLAGS=-trimpath", "GOWORK=off"}, "go", args...)
}
