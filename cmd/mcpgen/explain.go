package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/internal/diag"
)

// explainCommand prints one diagnostic at length, or all of them in a line each.
func explainCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use: "explain [MCPnnn]", Short: "explain a diagnostic",
		Long:              "Explains a diagnostic, with a wrong and a right example. Without one it lists all of them.",
		Example:           "  mcpgen explain MCP502",
		ValidArgsFunction: completeCodes,
		RunE: func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return listCodes(s)
			case 1:
				return explain(s, args[0])
			}
			return usagef("explain takes one diagnostic, such as MCP502")
		},
	}
}

func explain(s *streams, id string) error {
	text, ok := diag.Explain(id)
	if !ok {
		return usagef("no diagnostic is called %s; mcpgen explain lists them", id)
	}
	_, err := fmt.Fprint(s.stdout, text)
	return err
}

func listCodes(s *streams) error {
	for _, c := range diag.Codes() {
		if _, err := fmt.Fprintf(s.stdout, "%s %-7s %s\n", c.ID, c.Severity, c.Meaning); err != nil {
			return err
		}
	}
	return nil
}
