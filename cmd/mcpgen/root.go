package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/internal/version"
)

// streams are what a command may print to: results on stdout, messages on stderr.
type streams struct{ stdout, stderr io.Writer }

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

// noArgs and others say in words of ours how many arguments a command takes.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments, and got %q", cmd.Name(), args[0])
	}
	return nil
}

func schemaCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{Use: "schema", Short: "reduce official schemas to facts, and compare revisions"}
	cmd.AddCommand(importCommand(s), schemaDiffCommand(s))
	return group(cmd)
}

// group makes it an error to name a command without one of its commands. Without that, it is a request for help.
func group(cmd *cobra.Command) *cobra.Command {
	cmd.SuggestionsMinimumDistance = 2
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var names []string
		for _, c := range cmd.Commands() {
			names = append(names, c.Name())
		}
		choice := "write one of " + strings.Join(names, ", ")
		if len(args) == 0 {
			return usagef("%s is not enough: %s", cmd.CommandPath(), choice)
		}
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			choice = fmt.Sprintf("did you mean %s %s?", cmd.CommandPath(), near[0])
		}
		return usagef("there is no %s %s: %s", cmd.CommandPath(), args[0], choice)
	}
	return cmd
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

// errBoth is the mistake of flags that contradict each other.
var errBoth = errors.New("write either -fix or -watch, which change files, or -check or -diff, which change none")

// relative is path as seen from dir, with forward slashes.
func relative(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}
