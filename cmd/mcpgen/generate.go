package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/gen"
	"github.com/mcpgen/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/internal/version"
)

// generateTask generates for annotated packages, or looks whether that was done.
type generateTask struct {
	gen.Options
	check, diff, verbose, json, fix, watching bool
}

// generateCommand also has the flags that check, watch and fix are older than.
func generateCommand(s *streams) *cobra.Command {
	var g generateTask
	cmd := g.command(s, "generate", "write mcp_gen.go for annotated packages")
	fs := cmd.Flags()
	fs.BoolVar(&g.check, "check", false, "as mcpgen check: write nothing; list stale files")
	fs.BoolVar(&g.fix, "fix", false, "as mcpgen fix: first apply the edits that diagnostics propose")
	fs.BoolVar(&g.watching, "watch", false, "as mcpgen watch: generate again when the source changes, until interrupted")
	g.diffFlag(cmd)
	return cmd
}

func checkCommand(s *streams) *cobra.Command {
	g := generateTask{check: true}
	cmd := g.command(s, "check", "write nothing; list stale files and exit with 1 if there are any")
	g.diffFlag(cmd)
	return cmd
}

func watchCommand(s *streams) *cobra.Command {
	g := generateTask{watching: true}
	cmd := g.command(s, "watch", "generate again when the source changes, until interrupted")
	cmd.Flags().BoolVar(&g.fix, "fix", false, "apply the edits that diagnostics propose, at each change")
	return cmd
}

func fixCommand(s *streams) *cobra.Command {
	g := generateTask{fix: true}
	return g.command(s, "fix", "apply the edits that diagnostics propose to the source, then generate")
}

// command is one of the commands that run g, with the flags that all of them have.
func (g *generateTask) command(s *streams, name, short string) *cobra.Command {
	cmd := &cobra.Command{
		Use: name + " [packages]", Short: short, Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, patterns []string) error {
			g.Patterns = patterns
			return g.run(s)
		},
	}
	fs := cmd.Flags()
	fs.BoolVarP(&g.verbose, "verbose", "v", false, "print the files written and the time of each stage")
	fs.BoolVar(&g.Strict, "strict", false, "treat warnings as errors")
	fs.BoolVar(&g.json, "json", false, "print diagnostics as one JSON object on standard output")
	fs.BoolVar(&g.Tests, "test", false,
		"also write mcp_gen_test.go, a test that fails while mcp_gen.go is stale; packages that have one keep it")
	return cmd
}

func (g *generateTask) diffFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&g.diff, "diff", false, "write nothing; print what would change and exit with 1 if anything would")
}

func (g *generateTask) run(s *streams) error {
	switch {
	case (g.fix || g.watching) && (g.check || g.diff):
		return usagef("write either -fix or -watch, which change files, or -check or -diff, which change none")
	case g.watching && g.json:
		return usagef("-json is one object, so watch does not have it")
	case g.watching:
		return watch(s, g.Patterns, func(ctx context.Context, learn func([]string)) error {
			return g.generate(ctx, s, learn)
		})
	}
	err := g.generate(context.Background(), s, func([]string) {})
	if g.json && err != nil && !errors.Is(err, errReported) {
		return errors.Join(err, (&diag.Printer{}).WriteJSON(s.stdout, new(diag.List), err))
	}
	return err
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
	if err := g.print(s, printer(s, r, dir), r.Diags); err != nil {
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

// checkJSON is compare for -json: one object, with what was found in the source and what is stale.
func (g *generateTask) checkJSON(s *streams, r *gen.Result, dir string) error {
	changes, err := r.Changes(output.Disk{})
	if err != nil {
		return err
	}
	stale := staleOutputs(changes, dir)
	r.Diags.Add(stale.Sorted()...)
	if err := g.print(s, printer(s, r, dir), r.Diags); err != nil || len(changes) == 0 {
		return err
	}
	return errReported
}

// look runs the generator, after repairs if they are asked for.
func (g *generateTask) look(ctx context.Context, s *streams, dir string) (*gen.Result, error) {
	if isTerminal(s.stderr) {
		p := newProgress(s.stderr, progressAfter)
		defer p.end()
		g.Step = p.begin
	}
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
		return p.WriteJSON(s.stdout, list, nil)
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
