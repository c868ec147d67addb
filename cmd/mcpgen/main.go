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

	"github.com/mcpgen/mcpgen/schema"
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

// usageError is a mistake in the command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func isUsage(err error) bool {
	_, ok := errors.AsType[usageError](err)
	return ok
}

// errReported stands for mistakes that were printed already.
var errReported = errors.New("mistakes were reported")

// errStale says that generated files are not what they should be.
var errStale = errors.New("generated files are stale; run the same command without -check")

// exitStatus returns 1 for mistakes in the input and 2 for all other errors.
func exitStatus(err error) int {
	var syntax *schema.Error
	if errors.Is(err, errReported) || errors.Is(err, errStale) || errors.As(err, &syntax) {
		return 1
	}
	return 2
}
