package main

import (
	"flag"
	"fmt"

	"github.com/mcpgen/mcpgen/internal/version"
)

// parseVersion is the command mcpgen version.
func parseVersion(fs *flag.FlagSet, args []string) (task, error) {
	if _, err := parseMixed(fs, args); err != nil {
		return nil, err
	}
	return func(s *streams) error {
		_, err := fmt.Fprintln(s.stdout, "mcpgen", version.Version)
		return err
	}, nil
}
