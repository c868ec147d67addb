package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/internal/version"
)

// newRoot returns the command line. The command without a name generates.
func newRoot(s *streams) *cobra.Command {
	root := generateCommand(s)
	root.Use = "mcpgen [packages]"
	root.Long = `mcpgen generates Model Context Protocol servers from annotated Go.

Without a command it generates: mcpgen ./... is mcpgen generate ./...
A folder that is called like a command is ./NAME.`
	root.Version = version.Version
	root.SetVersionTemplate("mcpgen {{.Version}}\n")
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetOut(s.stdout)
	root.SetErr(s.stderr)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpTemplate(root.HelpTemplate() + exitTemplate)
	root.AddCommand(
		generateCommand(s), checkCommand(s), watchCommand(s), fixCommand(s), listCommand(s), requirementsCommand(s),
		catalogCommand(s), explainCommand(s), initCommand(s), configCommand(s), packCommand(s), schemaCommand(s),
		protocolCommand(s), versionCommand(s),
	)
	root.SuggestionsMinimumDistance = 2
	root.SetHelpCommand(helpCommand(s))
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Short = "print a script that completes command lines in a shell"
			cmd.Long = "Prints a script that completes commands, flags, folders, diagnostics and revisions in a shell.\n" +
				"mcpgen completion SHELL -h says how to load it."
			group(cmd)
		}
	}
	return root
}

// exitTemplate ends the help of every command.
const exitTemplate = `
Exit status: {{with .Annotations.exit}}{{.}}{{else}}` + exitUsage + `{{end}}
Long flags may have one dash or two.
`

// longFlags gives a second dash to long flags that have one, and takes one from short flags that have two, as the flag
// package of Go and older lines of go:generate write them.
func longFlags(args []string) []string {
	out := make([]string, 0, len(args))
	for i, arg := range args {
		if arg == "--" {
			return append(out, args[i:]...)
		}
		name, _, _ := strings.Cut(arg, "=")
		switch {
		case len(name) == 3 && name[:2] == "--":
			arg = arg[1:]
		case len(name) > 2 && name[0] == '-' && name[1] != '-':
			arg = "-" + arg
		}
		out = append(out, arg)
	}
	return out
}

// helpCommand prints the help of the command that its arguments name.
func helpCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use: "help [command]", Short: "print the help of a command",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
			at, _, err := cmd.Root().Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, c := range at.Commands() {
				names = append(names, c.Name()+"\t"+c.Short)
			}
			return beginningWith(prefix, names), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			at, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				choice := "mcpgen help lists them"
				if near := root.SuggestionsFor(args[0]); len(near) > 0 {
					choice = "did you mean mcpgen help " + near[0] + "?"
				}
				return usagef("no command is called %s; %s", strings.Join(args, " "), choice)
			}
			at.InitDefaultHelpFlag()
			at.SetOut(s.stdout)
			return at.Help()
		},
	}
}

func schemaCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{Use: "schema", Short: "reduce official schemas to facts, and compare revisions"}
	cmd.AddCommand(importCommand(s), schemaDiffCommand(s))
	return group(cmd)
}

func versionCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "print the version", Args: noArgs, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(s.stdout, "mcpgen", version.Version)
			return err
		},
	}
}
