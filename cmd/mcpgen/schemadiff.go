package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/protocolgen"
)

// schemaDiffTask is the command mcpgen schema diff.
type schemaDiffTask struct{ format, older, newer string }

func parseSchemaDiff(fs *flag.FlagSet, args []string) (task, error) {
	var d schemaDiffTask
	fs.StringVar(&d.format, "format", "text", "the `form` of the report: "+strings.Join(protocolgen.Formats, ", "))
	rest, err := parseMixed(fs, args)
	if err != nil {
		return nil, err
	}
	if len(rest) != 2 {
		return nil, fmt.Errorf("schema diff needs two revisions or files, the older one first")
	}
	if !slices.Contains(protocolgen.Formats, d.format) {
		return nil, fmt.Errorf("-format %q is not one of %s", d.format, strings.Join(protocolgen.Formats, ", "))
	}
	d.older, d.newer = rest[0], rest[1]
	return d.run, nil
}

func (d *schemaDiffTask) run(s *streams) error {
	diff, err := protocolgen.Diff(d.older, d.newer)
	if err != nil {
		return err
	}
	text, err := diff.Format(d.format)
	if err == nil {
		_, err = s.stdout.Write(text)
	}
	return err
}
