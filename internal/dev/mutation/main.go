// Command mutation is the mutation test of generated files. It changes them in one place at a time and lists the
// changes that neither the compiler nor the tests of the package detect; such a line is not needed or not tested. Every
// surviving change needs a reason in reasons.go; without one the command fails.
//
//	go run ./internal/dev/mutation [-v] [-o docs/mutation.md] [package folder...]
//
// Nothing is written into the packages: the go command gets the changed files as an overlay.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mcpgen/mcpgen/internal/scratch"
)

// defaults are the packages that are looked at: a small server and the one with every shape.
var defaults = []string{"golden/notes", "golden/shapes"}

func main() {
	out := flag.String("o", "", "write the report to this `file`")
	verbose := flag.Bool("v", false, "print every mutant and who noticed it")
	flag.Parse()
	folders := flag.Args()
	if len(folders) == 0 {
		folders = defaults
	}
	scratch.Main("mutation", func(temp string) error {
		return run(context.Background(), temp, folders, *out, *verbose)
	})
}

func run(ctx context.Context, temp string, folders []string, out string, verbose bool) error {
	var reports []*report
	for i, folder := range folders {
		r, err := examine(ctx, folder, filepath.Join(temp, fmt.Sprint(i)))
		if err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
		_, _ = fmt.Fprintln(os.Stdout, r.summary())
		if verbose {
			r.list(os.Stdout)
		}
		reports = append(reports, r)
	}
	unexplained := explain(reports)
	for _, m := range unexplained {
		_, _ = fmt.Fprintf(os.Stdout, "%s: survives without a reason\n", m)
	}
	if out != "" {
		if err := os.WriteFile(out, markdown(reports), 0o644); err != nil {
			return err
		}
	}
	if len(unexplained) > 0 {
		return fmt.Errorf("%d survivors without a reason: test them, do not emit them, or explain them in reasons.go",
			len(unexplained))
	}
	return nil
}

// examine makes all mutants of the generated file of one package and finds out who notices them.
func examine(ctx context.Context, folder, temp string) (*report, error) {
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return nil, err
	}
	p, err := openPackage(ctx, folder)
	if err != nil {
		return nil, err
	}
	r := &report{folder: filepath.ToSlash(folder), mutants: p.mutate()}
	var alive []*mutant
	for _, m := range r.mutants {
		if m.note = p.compile(m); m.note != "" {
			m.fate = byCompiler
		} else {
			alive = append(alive, m)
		}
	}
	return r, p.test(ctx, alive, temp)
}
