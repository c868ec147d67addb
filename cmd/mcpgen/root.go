package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/internal/version"
)

// exitCodes ends the help of every command.
const exitCodes = `
Exit status: 0 if all went well; 1 if the input has mistakes or generated files are stale;
2 for wrong usage, patterns that match nothing, I/O and internal errors.
Long flags may have one dash or two. A folder that is called like a command is ./NAME.
`

// newRoot returns the command line. The command without a name generates.
func newRoot(s *streams) *cobra.Command {
	root := generateCommand(s)
	root.Use = "mcpgen [packages]"
	root.Long = `mcpgen generates Model Context Protocol servers from annotated Go.

Without a command it generates: mcpgen ./... is mcpgen generate ./...`
	root.Version = version.Version
	root.SetVersionTemplate("mcpgen {{.Version}}\n")
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetOut(s.stdout)
	root.SetErr(s.stderr)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.SetHelpTemplate(root.HelpTemplate() + exitCodes)
	root.AddCommand(
		generateCommand(s), checkCommand(s), watchCommand(s), fixCommand(s), listCommand(s), catalogCommand(s),
		explainCommand(s), initCommand(s), schemaCommand(s), protocolCommand(s), versionCommand(s),
	)
	root.SuggestionsMinimumDistance = 2
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			group(cmd)
		}
	}
	return root
}

// longFlags gives a second dash to long flags that have one, as the flag package of Go and older lines of go:generate
// write them.
func longFlags(args []string) []string {
	out := make([]string, 0, len(args))
	for i, arg := range args {
		if arg == "--" {
			return append(out, args[i:]...)
		}
		name, _, _ := strings.Cut(arg, "=")
		if len(name) > 2 && name[0] == '-' && name[1] != '-' {
			arg = "-" + arg
		}
		out = append(out, arg)
	}
	return out
}

// mistyped returns the command that the first of args was probably meant to be; "" if they begin with a command, a
// flag, a path or a pattern.
func mistyped(root, ran *cobra.Command, args []string) string {
	if ran != root || len(args) == 0 || strings.ContainsAny(args[0], "-./\\") {
		return ""
	}
	if near := root.SuggestionsFor(args[0]); len(near) > 0 {
		return near[0]
	}
	return ""
}

func schemaCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{Use: "schema", Short: "reduce official schemas to facts, and compare revisions"}
	cmd.AddCommand(importCommand(s), schemaDiffCommand(s))
	return group(cmd)
}

func versionCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "print the version", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(s.stdout, "mcpgen", version.Version)
			return err
		},
	}
}
