package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/gen"
	"github.com/mcpgen/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/internal/version"
)

// generateTask is the command for annotated packages.
type generateTask struct {
	gen.Options
	check, diff, verbose, json, fix, watching bool
}

func parseGenerate(fs *flag.FlagSet, args []string) (task, error) {
	var g generateTask
	fs.BoolVar(&g.check, "check", false, "write nothing; list stale files and exit with 1 if there are any")
	fs.BoolVar(&g.diff, "diff", false, "write nothing; print what would change and exit with 1 if anything would")
	fs.BoolVar(&g.verbose, "v", false, "print the files written and the time of each stage")
	fs.BoolVar(&g.Strict, "strict", false, "treat warnings as errors")
	fs.BoolVar(&g.json, "json", false, "print diagnostics as JSON on standard output")
	fs.BoolVar(&g.fix, "fix", false, "first apply the edits that diagnostics propose")
	fs.BoolVar(&g.Tests, "test", false,
		"also write mcp_gen_test.go, a test that fails while mcp_gen.go is stale; packages that have one keep it")
	fs.BoolVar(&g.watching, "watch", false, "generate again when the source changes, until interrupted")
	var err error
	if g.Patterns, err = parseMixed(fs, args); err != nil {
		return nil, err
	}
	if g.watching {
		if g.check || g.diff || g.json {
			return nil, errors.New("write -watch without -check, -diff and -json")
		}
		return func(s *streams) error {
			return watch(s, g.Patterns, func(ctx context.Context, learn func([]string)) error {
				return g.generate(ctx, s, learn)
			})
		}, nil
	}
	if g.fix && (g.check || g.diff) {
		return nil, errors.New("write either -fix, which changes files, or -check or -diff, which change none")
	}
	return g.run, nil
}

func (g *generateTask) run(s *streams) error {
	return g.generate(context.Background(), s, func([]string) {})
}

// generate is one run. It tells learn what the packages were read from, as soon as that is known.
func (g *generateTask) generate(ctx context.Context, s *streams, learn func(inputs []string)) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	r, err := g.look(ctx, s, dir)
	if err != nil {
		return err
	}
	learn(r.Inputs)
	if g.json && g.check && !r.Diags.HasErrors() {
		return cmp.Or(g.checkJSON(s, r, dir), g.compareRevisions(ctx, s, dir))
	}
	if err := g.print(s, &diag.Printer{Dir: dir, Source: r.Source}, r.Diags); err != nil {
		return err
	}
	if r.Diags.HasErrors() {
		return errReported
	}
	if g.check || g.diff {
		return cmp.Or(g.compare(s, r, dir), g.compareRevisions(ctx, s, dir))
	}
	begin := time.Now()
	changes, err := r.Write(output.Disk{})
	if err == nil && g.verbose {
		r.Stages = append(r.Stages, gen.Stage{Name: "write", Took: time.Since(begin)})
		g.report(s, r, changes, dir)
	} else if g.watching {
		for _, c := range changes {
			fmt.Fprintf(s.stderr, "mcpgen: %s written\n", relative(dir, c.Path))
		}
	}
	return err
}

// compareRevisions says with -check if the runtime knows revisions that this mcpgen does not, so that the output was
// made for fewer. That is a warning.
func (g *generateTask) compareRevisions(ctx context.Context, s *streams, dir string) error {
	if !g.check {
		return nil
	}
	newer, err := gen.NewerRevisions(ctx, dir)
	if err != nil || len(newer) == 0 {
		return err
	}
	fmt.Fprintf(s.stderr,
		"mcpgen: warning: the runtime of this module knows revision %s of the protocol, this mcpgen (%s) does not: "+
			"use the mcpgen of the version that go.mod requires, and generate again\n", strings.Join(newer,
			" and "), version.Version)
	if g.Strict {
		return errReported
	}
	return nil
}

// compare prints what would change, as diagnostics for -check and as a diff for -diff.
func (g *generateTask) compare(s *streams, r *gen.Result, dir string) error {
	changes, err := r.Changes(output.Disk{})
	if err != nil || len(changes) == 0 {
		return err
	}
	stale := staleOutputs(changes, dir)
	if g.diff {
		fmt.Fprint(s.stdout, output.Diff(changes))
		return errReported
	}
	if err := g.print(s, &diag.Printer{Dir: dir}, stale); err != nil {
		return err
	}
	return errReported
}

// staleOutputs says which files are not what they should be, and makes their paths relative.
func staleOutputs(changes []output.Change, dir string) *diag.List {
	stale := new(diag.List)
	for i, c := range changes {
		d := diag.New("MCP801", diag.Pos{File: c.Path}, "generated file is %s", c.What())
		d.Fix = "go generate ./..."
		stale.Add(d)
		changes[i].Path = relative(dir, c.Path)
	}
	return stale
}

// checkJSON is compare for -json: one array, with what was found in the source and what is stale.
func (g *generateTask) checkJSON(s *streams, r *gen.Result, dir string) error {
	changes, err := r.Changes(output.Disk{})
	if err != nil {
		return err
	}
	stale := staleOutputs(changes, dir)
	r.Diags.Add(stale.Sorted()...)
	if err := g.print(s, &diag.Printer{Dir: dir, Source: r.Source}, r.Diags); err != nil || len(changes) == 0 {
		return err
	}
	return errReported
}

// look runs the generator, after repairs if they are asked for.
func (g *generateTask) look(ctx context.Context, s *streams, dir string) (*gen.Result, error) {
	if !g.fix {
		return gen.Packages(ctx, g.Options)
	}
	r, files, err := gen.Fix(ctx, g.Options)
	for _, file := range files {
		fmt.Fprintf(s.stderr, "fixed %s\n", relative(dir, file))
	}
	return r, err
}

// print shows diagnostics the way that was asked for.
func (g *generateTask) print(s *streams, p *diag.Printer, list *diag.List) error {
	if g.json {
		return p.WriteJSON(s.stdout, list)
	}
	return p.Print(s.stderr, list)
}

// report prints what -v promises.
func (g *generateTask) report(s *streams, r *gen.Result, changes []output.Change, dir string) {
	changed := map[string]bool{}
	for _, c := range changes {
		changed[c.Path] = true
		if c.New == nil {
			fmt.Fprintf(s.stderr, "removed   %s\n", relative(dir, c.Path))
		}
	}
	for _, f := range r.Files {
		word := "unchanged"
		if changed[f.Path] {
			word = "written  "
		}
		fmt.Fprintf(s.stderr, "%s %s\n", word, relative(dir, f.Path))
	}
	for _, stage := range r.Stages {
		fmt.Fprintf(s.stderr, "%-6s %v\n", stage.Name, stage.Took.Round(time.Millisecond))
	}
}
