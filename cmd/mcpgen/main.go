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
	status := exitStatus(err)
	switch {
	case errors.Is(err, errReported):
	case status == 1 && !errors.Is(err, errStale):
		fmt.Fprintln(stderr, err) // begins with a position
	case isUsage(err):
		fmt.Fprintf(stderr, "mcpgen: %v (%s -h shows the usage)\n", err, cmd.CommandPath())
	default:
		fmt.Fprintln(stderr, "mcpgen:", err)
		if name := mistyped(root, cmd, args); name != "" {
			fmt.Fprintf(stderr, "mcpgen: %s was taken for a package; did you mean mcpgen %s?\n", args[0], name)
		}
	}
	return status
}
