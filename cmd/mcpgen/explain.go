package main

import (
	"errors"
	"flag"
	"fmt"

	"github.com/mcpgen/mcpgen/internal/diag"
)

// parseExplain is the command mcpgen explain: one diagnostic at length, or all of them in a line each.
func parseExplain(fs *flag.FlagSet, args []string) (task, error) {
	rest, err := parseMixed(fs, args)
	if err != nil {
		return nil, err
	}
	if len(rest) > 1 {
		return nil, errors.New("explain takes one diagnostic, such as MCP502")
	}
	if len(rest) == 0 {
		return listCodes, nil
	}
	text, ok := diag.Explain(rest[0])
	if !ok {
		return nil, fmt.Errorf("no diagnostic is called %s; mcpgen explain lists them", rest[0])
	}
	return func(s *streams) error {
		_, err := fmt.Fprint(s.stdout, text)
		return err
	}, nil
}

func listCodes(s *streams) error {
	for _, c := range diag.Codes() {
		if _, err := fmt.Fprintf(s.stdout, "%s %-7s %s\n", c.ID, c.Severity, c.Meaning); err != nil {
			return err
		}
	}
	return nil
}
