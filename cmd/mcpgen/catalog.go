package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/internal/gen"
)

// catalogCommand prints the exact lists that clients get. It is the one command that builds and runs code of the user.
func catalogCommand(s *streams) *cobra.Command {
	opts := gen.CatalogOptions{}
	cmd := &cobra.Command{
		Use: "catalog [packages]", Args: cobra.ArbitraryArgs,
		Short:             "build annotated packages, run their servers and print the exact lists that clients get",
		ValidArgsFunction: completePackages,
		RunE: func(_ *cobra.Command, patterns []string) error {
			opts.Patterns = patterns
			if opts.Timeout <= 0 {
				return usagef("-timeout must be more than 0")
			}
			return catalog(s, opts)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&opts.New, "new", "",
		"the `function` that returns the Impl of a server; default mcpCatalog, or mcpCatalogNAME with several servers")
	fs.DurationVar(&opts.Timeout, "timeout", 30*time.Second, "how long the servers may take to answer")
	fs.StringSliceVar(&opts.Revisions, "revision", nil, "ask in this `revision` only; may be repeated")
	completeFlag(cmd, "revision", completeRevisions(false))
	return exits(cmd, "0; 1 if the source has mistakes, or the servers do not build, fail or take too long;\n"+
		exitPackages)
}

func catalog(s *streams, opts gen.CatalogOptions) error {
	dir, err := workingDir()
	if err != nil {
		return err
	}
	step, end := s.progress()
	opts.Step = step
	text, r, err := gen.Catalog(context.Background(), opts)
	end()
	switch {
	case errors.Is(err, gen.ErrCatalog):
		fmt.Fprintln(s.stderr, err)
		return errReported
	case err != nil:
		return err
	}
	if err := printer(s, r, dir).Print(s.stderr, r.Diags); err != nil {
		return err
	}
	if r.Diags.HasErrors() {
		return errReported
	}
	_, err = s.stdout.Write(text)
	return err
}
