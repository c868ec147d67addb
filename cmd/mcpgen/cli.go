package main

import (
	"errors"
	"flag"
	"io"
	"path/filepath"

	"github.com/mcpgen/mcpgen/schema"
)

// streams are what a task may print to: results on stdout, messages on stderr.
type streams struct{ stdout, stderr io.Writer }

// task is a parsed command line, ready to run.
type task func(*streams) error

// parseMixed parses flags that may stand between other arguments, which it returns.
func parseMixed(fs *flag.FlagSet, args []string) ([]string, error) {
	var rest []string
	for {
		if err := fs.Parse(args); err != nil {
			return nil, err
		}
		if args = fs.Args(); len(args) == 0 {
			return rest, nil
		}
		rest = append(rest, args[0])
		args = args[1:]
	}
}

// usageError is a mistake in the command line.
type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg + " (mcpgen -h shows the usage)" }

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

// relative is path as seen from dir, with forward slashes.
func relative(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}
