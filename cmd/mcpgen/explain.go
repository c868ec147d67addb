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
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var ids []string
			for _, c := range diag.Codes() {
				ids = append(ids, c.ID+"\t"+c.Meaning)
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
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
