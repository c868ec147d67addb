package main

import (
	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/internal/overview"
)

// requirementsCommand shows how annotated packages answer what their authors decide. It writes no file.
func requirementsCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use: "requirements [packages]", Short: "show which requirements authors decide, and how", Args: cobra.ArbitraryArgs,
		Long: "Shows which requirements of the specification the author of a server decides, and how the declarations of\n" +
			"packages answer them. docs/requirements.md has all requirements. Writes nothing and builds nothing.",
		ValidArgsFunction: completePackages,
		RunE: func(_ *cobra.Command, patterns []string) error {
			packages, err := load(s, patterns)
			if err != nil {
				return err
			}
			return overview.WriteRequirements(s.stdout, packages)
		},
	}
	return exits(cmd, "0; 1 if the source has mistakes;\n"+exitPackages)
}
