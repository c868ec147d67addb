package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/gen"
	"github.com/mcpgen/mcpgen/internal/output"
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
	cmd.Long = "Writes mcp_gen.go into each package that has directives and matches a pattern. Nothing is written if\n" +
		"there are mistakes. Without packages it is the one in this folder."
	cmd.Example = "  mcpgen generate ./...\n  mcpgen ./...              the same\n  //go:generate go tool mcpgen"
	fs := cmd.Flags()
	fs.BoolVar(&g.check, "check", false, "as mcpgen check: write nothing; list stale files")
	fs.BoolVar(&g.fix, "fix", false, "as mcpgen fix: first apply the edits that diagnostics propose")
	fs.BoolVar(&g.watching, "watch", false, "as mcpgen watch: generate again when the source changes, until interrupted")
	fs.BoolVar(&g.Accept, "accept", false,
		"accept changes of events that their subscribers cannot follow: their subscriptions end")
	g.diffFlag(cmd)
	return exits(cmd, "0 if all was generated; 1 if the source has mistakes, or -check or -diff find stale files;\n"+
		exitPackages)
}

func checkCommand(s *streams) *cobra.Command {
	g := generateTask{check: true}
	cmd := g.command(s, "check", "write nothing; list stale files and exit with 1 if there are any")
	cmd.Long = "Writes nothing. Lists each mcp_gen.go that is missing, left over or not what mcpgen would write, as in CI."
	cmd.Example = "  mcpgen check -strict ./...\n  mcpgen check -diff ./notes"
	cmd.Flags().Lookup("verbose").Usage = "print the time of each stage"
	cmd.Flags().Lookup("test").Usage = "each package must have mcp_gen_test.go too"
	g.diffFlag(cmd)
	return exits(cmd, "0 if all is up to date; 1 if files are stale or the source has mistakes;\n"+exitPackages)
}

func watchCommand(s *streams) *cobra.Command {
	g := generateTask{watching: true}
	cmd := g.command(s, "watch", "generate again when the source changes, until interrupted")
	cmd.Long = "Generates, and again after each change of the source, until it is interrupted. Mistakes do not end it."
	cmd.Flags().BoolVar(&g.fix, "fix", false, "apply the edits that diagnostics propose, at each change")
	cmd.Flags().Lookup("json").Hidden = true // watch refuses it
	return exits(cmd, "0 if it was interrupted;\n"+exitPackages)
}

func fixCommand(s *streams) *cobra.Command {
	g := generateTask{fix: true}
	cmd := g.command(s, "fix", "apply the edits that diagnostics propose to the source, then generate")
	cmd.Long = "Changes the source: applies the edits that diagnostics propose, and prints the files that it changed.\n" +
		"Then it generates. Mistakes without an edit are printed and stay."
	return exits(cmd, "0 if all was generated; 1 if mistakes are left;\n"+exitPackages)
}

// command is one of the commands that run g, with the flags that all of them have.
func (g *generateTask) command(s *streams, name, short string) *cobra.Command {
	cmd := &cobra.Command{
		Use: name + " [packages]", Short: short, Args: cobra.ArbitraryArgs, ValidArgsFunction: completePackages,
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
	case g.diff && g.json:
		return usagef("-json is one object and -diff a patch; write one of them")
	case g.watching:
		return watch(s, g.Patterns, func(ctx context.Context, learn func([]string)) error {
			return g.generate(ctx, s, learn)
		})
	}
	return g.generate(context.Background(), s, func([]string) {})
}

// generate is one run. It tells learn what the packages were read from, as soon as that is known.
func (g *generateTask) generate(ctx context.Context, s *streams, learn func(inputs []string)) error {
	dir, err := workingDir()
	if err != nil {
		return err
	}
	r, err := g.look(ctx, s, dir)
	if err != nil {
		return err
	}
	learn(r.Inputs)
	p := printer(s, r, dir)
	if !r.Diags.HasErrors() {
		if err := r.CheckRuntime(ctx, dir, g.check); err != nil {
			return g.conclude(s, p, r.Diags, err)
		}
		if g.Strict {
			r.Diags = r.Diags.Strict()
		}
	}
	switch {
	case r.Diags.HasErrors():
		return g.conclude(s, p, r.Diags, nil)
	case g.check || g.diff:
		return g.compare(s, p, r, dir)
	}
	return g.conclude(s, p, r.Diags, g.write(s, r, dir))
}

// write writes the files, and says so if that was asked for.
func (g *generateTask) write(s *streams, r *gen.Result, dir string) error {
	begin := time.Now()
	changes, err := r.Write(output.Disk{})
	if err == nil && g.verbose {
		r.Stages = append(r.Stages, gen.Stage{Name: "write", Took: time.Since(begin)})
		reportFiles(s, r, changes, dir)
		reportStages(s, r)
	} else if g.watching {
		for _, c := range changes {
			fmt.Fprintf(s.stderr, "mcpgen: %s written\n", relative(dir, c.Path))
		}
	}
	return err
}

// compare reports what would change, as diagnostics for -check and as a diff for -diff.
func (g *generateTask) compare(s *streams, p *diag.Printer, r *gen.Result, dir string) error {
	changes, err := r.Changes(output.Disk{})
	if err == nil && g.verbose {
		reportStages(s, r)
	}
	if err == nil && !g.diff {
		r.Diags.Add(staleOutputs(changes)...)
	}
	if err := g.conclude(s, p, r.Diags, err); err != nil || !g.diff || len(changes) == 0 {
		return err
	}
	for i, c := range changes {
		changes[i].Path = relative(dir, c.Path)
	}
	fmt.Fprint(s.stdout, output.Diff(changes))
	return errReported
}

// staleOutputs says which files are not what they should be.
func staleOutputs(changes []output.Change) (stale []diag.Diagnostic) {
	for _, c := range changes {
		d := diag.New("MCP801", diag.Pos{File: c.Path}, "generated file is %s", c.What())
		d.Fix = "go generate ./..."
		stale = append(stale, d)
	}
	return stale
}

// conclude prints diagnostics the way that was asked for, and returns how the run ends. trouble is what else went
// wrong.
func (g *generateTask) conclude(s *streams, p *diag.Printer, list *diag.List, trouble error) error {
	switch {
	case g.json:
		if err := p.WriteJSON(s.stdout, list, trouble); err != nil {
			return printedError{err}
		}
		if trouble != nil {
			return printedError{trouble}
		}
	default:
		if err := p.Print(s.stderr, list); err != nil {
			return err
		}
	}
	if trouble == nil && list.HasErrors() {
		return errReported
	}
	return trouble
}

// look runs the generator, after repairs if they are asked for.
func (g *generateTask) look(ctx context.Context, s *streams, dir string) (*gen.Result, error) {
	step, end := s.progress()
	defer end()
	g.Step = step
	if !g.fix {
		return gen.Packages(ctx, g.Options)
	}
	r, files, err := gen.Fix(ctx, g.Options)
	for _, file := range files {
		fmt.Fprintf(s.stderr, "fixed %s\n", relative(dir, file))
	}
	return r, err
}

// reportFiles and reportStages print what -v promises.
func reportFiles(s *streams, r *gen.Result, changes []output.Change, dir string) {
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
}

func reportStages(s *streams, r *gen.Result) {
	for _, stage := range r.Stages {
		fmt.Fprintf(s.stderr, "%-6s %v\n", stage.Name, stage.Took.Round(time.Millisecond))
	}
}
