package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
)

// command is one subcommand. Adding one means a row in the table and a parse function.
type command struct {
	name  string // one or two words; "" is the command without a name
	args  string
	help  string
	parse func(fs *flag.FlagSet, args []string) (task, error)
}

// commandTable lists the subcommands in the order of the help text.
func commandTable() []command {
	return []command{
		{"", "[packages]", "generate mcp_gen.go for annotated packages", parseGenerate},
		{"init", "[-module PATH] [-mcpgen DIR] DIR", "write a new server with one resource, its program and its test",
			parseInit},
		{"list", "[packages]", "show what annotated packages serve", parseList},
		{"catalog", "[-revision REV] [-new FUNC] [packages]",
			"build annotated packages, run their servers and print the exact lists that clients get", parseCatalog},
		{"explain", "[MCPnnn]", "explain a diagnostic", parseExplain},
		{"version", "", "print the version", parseVersion},
		{"protocol", "[-schema [REV=]FILE...] [-o DIR] [-package NAME] [-check]", "generate the protocol package",
			parseProtocol},
		{"schema import", "[-revision REV] [-o FILE|-] FILE|URL...", "reduce official schemas to facts, without prose",
			parseImport},
		{"schema diff", "[-format FORM] OLD NEW", "print the differences between two revisions or schema files",
			parseSchemaDiff},
	}
}

// habits turns what people type by habit into the arguments that are meant: "help explain" into
// "explain -h", "-version" into "version".
func habits(args []string) []string {
	switch {
	case len(args) > 0 && args[0] == "help":
		return append(args[1:len(args):len(args)], "-h")
	case len(args) == 1 && strings.TrimLeft(args[0], "-") == "version":
		return []string{"version"}
	}
	return args
}

// parse turns arguments into a task without side effects. A mistake is a usageError.
func parse(args []string) (task, error) {
	cmd, rest := findCommand(args)
	fs := newFlagSet(cmd)
	t, err := cmd.parse(fs, rest)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		if _, ok := errors.AsType[*usageError](err); !ok {
			err = &usageError{err.Error()}
		}
	}
	return t, err
}

// findCommand returns the subcommand that args begin with, and what follows its name.
func findCommand(args []string) (command, []string) {
	table := commandTable()
	for _, c := range table {
		words := strings.Fields(c.name)
		if len(words) > 0 && len(args) >= len(words) && strings.Join(args[:len(words)], " ") == c.name {
			return c, args[len(words):]
		}
	}
	return table[0], args
}

// mistyped returns the subcommand that the first of args was probably meant to be; "" if it is one, or a flag, a path
// or a pattern.
func mistyped(args []string) string {
	if cmd, _ := findCommand(args); cmd.name != "" || len(args) == 0 || strings.ContainsAny(args[0], "-./\\") {
		return ""
	}
	var names []string
	for _, c := range commandTable() {
		if c.name != "" {
			names = append(names, c.name)
		}
	}
	if best := directive.Nearest(strings.Join(args[:min(len(args), 2)], " "), names); best != "" {
		return best
	}
	return directive.Nearest(args[0], names)
}

func newFlagSet(c command) *flag.FlagSet {
	fs := flag.NewFlagSet(strings.TrimSpace("mcpgen "+c.name), flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	return fs
}

// usage returns the help text of the command that args name.
func usage(args []string) string {
	var b strings.Builder
	cmd, _ := findCommand(args)
	if cmd.name == "" {
		b.WriteString("mcpgen generates Model Context Protocol servers from annotated Go.\n\n")
		for _, c := range commandTable() {
			fmt.Fprintf(&b, "  %s\n    \t%s\n", strings.Join(strings.Fields("mcpgen "+c.name+" "+c.args), " "), c.help)
		}
		b.WriteString("\nFlags of mcpgen [packages]:\n")
	} else {
		fmt.Fprintf(&b, "usage: mcpgen %s %s\n\n%s\n\n", cmd.name, cmd.args, cmd.help)
	}
	fs := newFlagSet(cmd)
	_, _ = cmd.parse(fs, []string{"-h"})
	fs.SetOutput(&b)
	fs.PrintDefaults()
	return b.String()
}
