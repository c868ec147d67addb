package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/schema"
)

// streams are what a command may print to: results on stdout, messages on stderr.
type streams struct{ stdout, stderr io.Writer }

// usageError is a mistake in the command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func isUsage(err error) bool {
	_, ok := errors.AsType[usageError](err)
	return ok
}

// printedError is an error that is in a JSON object on standard output already.
type printedError struct{ error }

func (e printedError) Unwrap() error { return e.error }

// errReported stands for mistakes that were printed already.
var errReported = errors.New("mistakes were reported")

// errStale says that generated files are not what they should be.
var errStale = errors.New("generated files are stale; run the same command without -check")

// exitStatus returns 1 for mistakes in the input and 2 for all other errors.
func exitStatus(err error) int {
	var syntax *schema.Error
	if packed, ok := errors.AsType[packerError](err); ok {
		return int(packed)
	}
	if errors.Is(err, errReported) || errors.Is(err, errStale) || errors.As(err, &syntax) {
		return 1
	}
	return 2
}

// workingDir is where the command runs.
func workingDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("the working directory cannot be found: %w", err)
	}
	return dir, nil
}

// What the exit status of commands means.
const (
	exitUsage    = "0, or 2 for wrong usage."
	exitPackages = "2 for wrong usage, a pattern that matches no package, and trouble with files or the go command."
)

// exits says in the help of cmd what its exit status means.
func exits(cmd *cobra.Command, meaning string) *cobra.Command {
	cmd.Annotations = map[string]string{"exit": meaning}
	return cmd
}

// noArgs is for commands that take no arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments, and got %q", cmd.Name(), args[0])
	}
	return nil
}

// group makes it an error to name a command without one of its commands. Without that, it is a request for help.
func group(cmd *cobra.Command) *cobra.Command {
	cmd.SuggestionsMinimumDistance = 2
	cmd.ValidArgsFunction = cobra.NoFileCompletions
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

// relative is path as seen from dir, with forward slashes.
func relative(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}
