// Command mcpgen generates Model Context Protocol servers from annotated Go packages, and
// the protocol package that they share from the MCP schema.
//
// Run mcpgen -h for its commands. Exit status: 0 if all went well, 1 if the input has
// mistakes or generated files are stale, 2 for wrong usage, I/O and internal errors.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/mcpgen/mcpgen/internal/diag"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run parses and runs one command line and returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	root := newRoot(&streams{stdout: stdout, stderr: stderr})
	root.SetArgs(longFlags(args))
	cmd, err := root.ExecuteC()
	if err == nil {
		return 0
	}
	if errors.Is(err, errReported) {
		return exitStatus(err)
	}
	text := message(root, cmd, err)
	if exitStatus(err) == 1 && !errors.Is(err, errStale) {
		fmt.Fprintln(stderr, text) // begins with a position
	} else {
		fmt.Fprintln(stderr, signed(text))
	}
	if _, printed := errors.AsType[printedError](err); !printed && asksForJSON(args) {
		if err := (&diag.Printer{}).WriteJSON(stdout, new(diag.List), errors.New(text)); err != nil {
			fmt.Fprintln(stderr, signed(err.Error()))
		}
	}
	return exitStatus(err)
}

// asksForJSON reports whether somebody who reads JSON has written a command line, which may be wrong.
func asksForJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.ContainsFunc(args, func(arg string) bool {
		return slices.Contains([]string{"-json", "--json", "-json=true", "--json=true"}, arg)
	})
}
