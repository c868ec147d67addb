package pack

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/mcpgen/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/internal/scratch"
)

// errReported stands for mistakes in the source that were printed already.
var errReported = errors.New("mistakes were reported")

// Run runs one command line of mcpgen-pack, in the working directory, and returns the exit status: 0; 1 if the source
// has mistakes; 2 for wrong usage, and trouble with files or the go command. Messages go to stderr.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stdout)
	if err == nil {
		err = o.run(ctx, stderr)
	}
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errReported):
		return 1
	}
	fmt.Fprintln(stderr, "mcpgen pack:", err)
	return 2
}

// run makes all files before it writes the first.
func (o *options) run(ctx context.Context, stderr io.Writer) error {
	f, err := o.facts(ctx, stderr)
	if err != nil {
		return err
	}
	scratch.Sweep("")
	dir, err := scratch.MkdirTemp("", "mcpgen-pack")
	if err != nil {
		return err
	}
	defer dir.Remove() //nolint:errcheck // the next run removes it
	var programs []program
	if o.bundled || o.imaged {
		if programs, err = o.build(ctx, dir.Path, f.program); err != nil {
			return err
		}
	}
	var files []output.File
	for _, path := range o.outputs { // server.json, which has the sum of the bundle, is the last
		data, err := formatOf(path).make(o, f, programs, files)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		files = append(files, output.File{Path: path, Data: data, Plain: true})
	}
	if _, err := output.Write(output.Disk{}, files, ""); err != nil {
		return err
	}
	for _, file := range files {
		fmt.Fprintf(stderr, "%s: %d bytes\n", file.Path, len(file.Data))
	}
	return nil
}
