package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/internal/gen"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/overview"
)

// listCommand shows what annotated packages serve. It writes no file.
func listCommand(s *streams) *cobra.Command {
	var schemas bool
	cmd := &cobra.Command{
		Use: "list [packages]", Short: "show what annotated packages serve", Args: cobra.ArbitraryArgs,
		Long:              "Shows the resources, tools and prompts of annotated packages. Writes nothing and builds nothing.",
		ValidArgsFunction: completePackages,
		RunE:              func(_ *cobra.Command, patterns []string) error { return list(s, patterns, schemas) },
	}
	cmd.Flags().BoolVar(&schemas, "schemas", false,
		"print the extensions that servers define, with their JSON schemas, as JSON")
	return exits(cmd, "0; 1 if the source has mistakes;\n"+exitPackages)
}

func list(s *streams, patterns []string, schemas bool) error {
	packages, err := load(s, patterns)
	if err != nil {
		return err
	}
	if schemas {
		return overview.WriteSchemas(s.stdout, packages)
	}
	dir, err := workingDir()
	if err != nil {
		return err
	}
	return overview.Write(s.stdout, packages, dir)
}

// load returns what annotated packages declare. Mistakes in the source are printed.
func load(s *streams, patterns []string) ([]*ir.GoPackage, error) {
	dir, err := workingDir()
	if err != nil {
		return nil, err
	}
	step, end := s.progress()
	r, err := gen.Packages(context.Background(), gen.Options{Patterns: patterns, Step: step})
	end()
	if err != nil {
		return nil, err
	}
	if r.Diags.HasErrors() {
		if err := printer(s, r, dir).Print(s.stderr, r.Diags); err != nil {
			return nil, err
		}
		return nil, errReported
	}
	return r.Packages, nil
}
