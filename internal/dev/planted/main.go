// Planted runs the tests of packages that [failpoint.Table] names: each must pass without a bug, and fail with its own.
// Arguments are names of bugs; without any it runs all. It prints a table, and exits with 1 if a test finds nothing.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/internal/scratch"
)

// patience is how long one run of a test may take, and longPatience that without a bug, on a busy machine. A test that
// hangs with a bug has found it: it may take slower times as long as without one, so that no slow one seems to hang.
const (
	patience     = 2 * time.Minute
	longPatience = 10 * time.Minute
	slower       = 3
)

func main() {
	scratch.Main("planted", func(temp string) error {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		return run(ctx, temp, os.Args[1:])
	})
}

func run(ctx context.Context, dir string, only []string) error {
	p := prover{dir: dir, passes: map[string]*pass{}}
	var errs []error
	n := 0
	fmt.Println("| bug | test | result | seconds |\n|---|---|---|---|")
	for _, bug := range failpoint.Table {
		if len(only) > 0 && !slices.Contains(only, bug.Name) {
			continue
		}
		begun := time.Now()
		err := p.prove(ctx, bug)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		result := "found"
		if n++; err != nil {
			result = err.Error()
			errs = append(errs, fmt.Errorf("%s: %w", bug.Name, err))
		}
		fmt.Printf("| %s | %s | %s | %.1f |\n", bug.Name, bug.Test, result, time.Since(begun).Seconds())
	}
	if n == 0 {
		return fmt.Errorf("no bug is called %s", strings.Join(only, " "))
	}
	fmt.Printf("%d of %d found\n", n-len(errs), n)
	return errors.Join(errs...)
}

// prover runs tests in the folder of the repository.
type prover struct {
	dir    string           // of the programs that it builds, one for each package
	passes map[string]*pass // what became of a test without a bug
}

type pass struct {
	err  error
	took time.Duration
}

// prove returns an error if the test of a bug fails without it, or passes with it.
func (p prover) prove(ctx context.Context, bug failpoint.Bug) error {
	pkg, test, _ := strings.Cut(bug.Test, " ")
	program := filepath.Join(p.dir, strings.ReplaceAll(pkg, "/", "_")+".test")
	if _, err := os.Stat(program); err != nil {
		build := exec.CommandContext(ctx, "go", "test", "-C", pkg, "-c", "-tags", "planted", "-o", program, ".")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("%s does not build: %w\n%s", pkg, err, out)
		}
	}
	once := func(name string, limit time.Duration) (string, error) {
		args := []string{"-test.run", "^" + test + "$", "-test.v", "-test.timeout", limit.String()}
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Dir = pkg
		cmd.Env = append(os.Environ(), failpoint.Environment+"="+name)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	clean, known := p.passes[bug.Test]
	if !known {
		begun := time.Now()
		out, err := once("", longPatience)
		clean = &pass{took: time.Since(begun)}
		switch {
		case err != nil:
			clean.err = fmt.Errorf("%s fails without a bug: %w\n%s", test, err, out)
		case !strings.Contains(out, "--- PASS: "+test+" "):
			clean.err = fmt.Errorf("%s did not run", test)
		}
		p.passes[bug.Test] = clean
	}
	if clean.err != nil {
		return clean.err
	}
	if _, err := once(bug.Name, max(patience, slower*clean.took)); err == nil {
		return errors.New("not found")
	}
	return nil
}
