package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// perFile is about how many declarations stand in one source file.
const perFile = 300

// kind is a kind of package to measure.
type kind struct {
	// server begins the names of the packages and of their servers.
	server  string
	imports []string
	// opening stands at the top of each file, whose number it takes.
	opening string
	// declarations take the number of the file and a number that they share with those beside them.
	declarations []string
}

// kinds are the values of -kind.
var kinds = map[string]kind{"mix": mix, "wide": wide}

// write writes a package of n declarations, or of a few more so that none lacks what belongs to it.
func (k kind) write(dir, name string, n int) error {
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o750)); err != nil { // nothing of an earlier run
		return err
	}
	size := len(k.declarations)
	for first, file := 0, 0; first < n; file++ {
		var b strings.Builder
		if first == 0 {
			fmt.Fprintf(&b, "// Package %s is large.\n//\n//mcp:server name=%s version=1.0.0\n", name, name)
		}
		fmt.Fprintf(&b, "package %s\n\nimport (\n", name)
		for _, path := range k.imports {
			fmt.Fprintf(&b, "\t%q\n", path)
		}
		b.WriteString(")\n\n")
		if k.opening != "" {
			fmt.Fprintf(&b, k.opening, file)
		}
		for end := first + perFile; first < min(end, n); first += size {
			for _, text := range k.declarations {
				fmt.Fprintf(&b, text, file, first/size)
			}
		}
		path := filepath.Join(dir, fmt.Sprintf("part%d.go", file))
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// mix is a package of resources, templates with two variables, and tools whose arguments and results are structs of
// their own, a third each. All are functions.
var mix = kind{
	server:  "mix",
	imports: []string{"context"},
	declarations: []string{
		`// Page%[2]d returns a page.
//
//mcp:resource uri=mix:///page/%[2]d
func Page%[2]d(ctx context.Context) (string, error) { return "page", nil }

`,
		`// Item%[2]d returns an item of a group.
//
//mcp:resource uri=mix:///item%[2]d/{group}/{number} list=none
func Item%[2]d(ctx context.Context, group string, number int) (string, error) { return group, nil }

`,
		`// Args%[2]d are the arguments of Work%[2]d.
type Args%[2]d struct {
	// Name of the thing.
	Name  string   ` + "`json:\"name\"`" + `
	Count int      ` + "`json:\"count,omitempty\" jsonschema:\"minimum=1,maximum=100\"`" + `
	Tags  []string ` + "`json:\"tags,omitempty\"`" + `
}

// Done%[2]d is the result of Work%[2]d.
type Done%[2]d struct {
	// ID of the thing.
	ID    string  ` + "`json:\"id\"`" + `
	Score float64 ` + "`json:\"score\"`" + `
	Ready bool    ` + "`json:\"ready\"`" + `
}

// Work%[2]d works.
//
//mcp:tool
func Work%[2]d(ctx context.Context, in Args%[2]d) (Done%[2]d, error) { return Done%[2]d{ID: in.Name}, nil }

`,
	},
}
