package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/internal/protocolgen"
)

// schemaDiffTask is the command mcpgen schema diff.
type schemaDiffTask struct{ format, older, newer string }

func schemaDiffCommand(s *streams) *cobra.Command {
	var d schemaDiffTask
	cmd := &cobra.Command{
		Use: "diff OLD NEW", Short: "print the differences between two revisions or schema files",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("schema diff needs two revisions or files, the older one first")
			}
			if !slices.Contains(protocolgen.Formats, d.format) {
				return usagef("-format %q is not one of %s", d.format, strings.Join(protocolgen.Formats, ", "))
			}
			d.older, d.newer = args[0], args[1]
			return d.run(s)
		},
	}
	cmd.ValidArgsFunction = completeRevisions(true)
	cmd.Flags().StringVar(&d.format, "format", "text",
		"the `form` of the report: "+strings.Join(protocolgen.Formats, ", "))
	completeFlag(cmd, "format", cobra.FixedCompletions(protocolgen.Formats, cobra.ShellCompDirectiveNoFileComp))
	return exits(cmd, "0, with differences too; 1 if a schema has mistakes; 2 for wrong usage and trouble with files.")
}

func (d *schemaDiffTask) run(s *streams) error {
	diff, err := protocolgen.Diff(d.older, d.newer)
	if err != nil {
		return err
	}
	text, err := diff.Format(d.format)
	if err == nil {
		_, err = s.stdout.Write(text)
	}
	return err
}
