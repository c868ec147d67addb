package main

import (
	"context"
	"flag"
	"os"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/gen"
	"github.com/mcpgen/mcpgen/internal/overview"
)

// parseList is the command mcpgen list: what annotated packages serve. It writes no file.
func parseList(fs *flag.FlagSet, args []string) (task, error) {
	schemas := fs.Bool("schemas", false, "print the extensions that servers define, with their JSON schemas, as JSON")
	patterns, err := parseMixed(fs, args)
	if err != nil {
		return nil, err
	}
	return func(s *streams) error {
		r, err := gen.Packages(context.Background(), gen.Options{Patterns: patterns})
		if err != nil {
			return err
		}
		dir, err := os.Getwd()
		if err != nil {
			return err
		}
		if r.Diags.HasErrors() {
			p := &diag.Printer{Dir: dir, Source: r.Source}
			if err := p.Print(s.stderr, r.Diags); err != nil {
				return err
			}
			return errReported
		}
		if *schemas {
			return overview.WriteSchemas(s.stdout, r.Packages)
		}
		return overview.Write(s.stdout, r.Packages, dir)
	}, nil
}
