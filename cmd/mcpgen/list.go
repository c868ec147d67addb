package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/internal/gen"
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
	dir, err := workingDir()
	if err != nil {
		return err
	}
	step, end := s.progress()
	r, err := gen.Packages(context.Background(), gen.Options{Patterns: patterns, Step: step})
	end()
	if err != nil {
		return err
	}
	if r.Diags.HasErrors() {
		if err := printer(s, r, dir).Print(s.stderr, r.Diags); err != nil {
			return err
		}
		return errReported
	}
	if schemas {
		return overview.WriteSchemas(s.stdout, r.Packages)
	}
	return overview.Write(s.stdout, r.Packages, dir)
}
