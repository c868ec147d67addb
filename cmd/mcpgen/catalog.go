package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/gen"
)

// parseCatalog is the command mcpgen catalog: the exact lists that clients get. It is the one command that builds
// and runs code of the user.
func parseCatalog(fs *flag.FlagSet, args []string) (task, error) {
	opts := gen.CatalogOptions{}
	fs.StringVar(&opts.New, "new", "",
		"the function that returns the Impl of a server; default mcpCatalog, or mcpCatalogNAME with several servers")
	fs.DurationVar(&opts.Timeout, "timeout", 30*time.Second, "how long the servers may take to answer")
	fs.Func("revision", "ask in this revision only; may be repeated", func(s string) error {
		opts.Revisions = append(opts.Revisions, strings.Split(s, ",")...)
		return nil
	})
	var err error
	if opts.Patterns, err = parseMixed(fs, args); err != nil {
		return nil, err
	}
	if opts.Timeout <= 0 {
		return nil, errors.New("-timeout must be more than 0")
	}
	return func(s *streams) error { return catalog(s, opts) }, nil
}

func catalog(s *streams, opts gen.CatalogOptions) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	text, r, err := gen.Catalog(context.Background(), opts)
	switch {
	case errors.Is(err, gen.ErrCatalog):
		fmt.Fprintln(s.stderr, err)
		return errReported
	case err != nil:
		return err
	}
	p := &diag.Printer{Dir: dir, Source: r.Source}
	if err := p.Print(s.stderr, r.Diags); err != nil {
		return err
	}
	if r.Diags.HasErrors() {
		return errReported
	}
	_, err = s.stdout.Write(text)
	return err
}
