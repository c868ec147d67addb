package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/gen"
)

// schemaDiffTask is the command mcpgen schema diff.
type schemaDiffTask struct{ format, older, newer string }

func parseSchemaDiff(fs *flag.FlagSet, args []string) (task, error) {
	var d schemaDiffTask
	fs.StringVar(&d.format, "format", "text", "the `form` of the report: "+strings.Join(gen.DiffFormats, ", "))
	rest, err := parseMixed(fs, args)
	if err != nil {
		return nil, err
	}
	if len(rest) != 2 {
		return nil, fmt.Errorf("schema diff needs two revisions or files, the older one first")
	}
	if !slices.Contains(gen.DiffFormats, d.format) {
		return nil, fmt.Errorf("-format %q is not one of %s", d.format, strings.Join(gen.DiffFormats, ", "))
	}
	d.older, d.newer = rest[0], rest[1]
	return d.run, nil
}

func (d *schemaDiffTask) run(s *streams) error {
	diff, err := gen.DiffSchemas(d.older, d.newer)
	if err != nil {
		return err
	}
	text, err := diff.Format(d.format)
	if err == nil {
		_, err = s.stdout.Write(text)
	}
	return err
}
