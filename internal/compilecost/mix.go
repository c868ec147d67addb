package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// perFile is how many declarations stand in one source file.
const perFile = 300

// writePackage writes a package of n declarations: resources, templates with two variables, and tools whose arguments
// and results are structs of their own.
func writePackage(dir, name string, n int) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	for first := 0; first < n; first += perFile {
		var b strings.Builder
		if first == 0 {
			fmt.Fprintf(&b, "// Package %s is large.\n//\n//mcp:server name=%s version=1.0.0\n", name, name)
		}
		fmt.Fprintf(&b, "package %s\n\nimport \"context\"\n\n", name)
		for i := first; i < min(first+perFile, n); i++ {
			fmt.Fprintf(&b, declarations[i%len(declarations)], i)
		}
		file := filepath.Join(dir, fmt.Sprintf("part%d.go", first/perFile))
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			return err
		}
	}
	return nil
}

var declarations = []string{
	`// Page%[1]d returns a page.
//
//mcp:resource uri=mix:///page/%[1]d
func Page%[1]d(ctx context.Context) (string, error) { return "page", nil }

`,
	`// Item%[1]d returns an item of a group.
//
//mcp:resource uri=mix:///item%[1]d/{group}/{number} list=none
func Item%[1]d(ctx context.Context, group string, number int) (string, error) { return group, nil }

`,
	`// Args%[1]d are the arguments of Work%[1]d.
type Args%[1]d struct {
	// Name of the thing.
	Name  string   ` + "`json:\"name\"`" + `
	Count int      ` + "`json:\"count,omitempty\" jsonschema:\"minimum=1,maximum=100\"`" + `
	Tags  []string ` + "`json:\"tags,omitempty\"`" + `
}

// Done%[1]d is the result of Work%[1]d.
type Done%[1]d struct {
	// ID of the thing.
	ID    string  ` + "`json:\"id\"`" + `
	Score float64 ` + "`json:\"score\"`" + `
	Ready bool    ` + "`json:\"ready\"`" + `
}

// Work%[1]d works.
//
//mcp:tool
func Work%[1]d(ctx context.Context, in Args%[1]d) (Done%[1]d, error) { return Done%[1]d{ID: in.Name}, nil }

`,
}
