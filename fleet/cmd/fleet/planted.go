package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/run"
	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
)

// trial is what became of one bug.
type trial struct {
	bug     failpoint.Bug
	found   []string // seeds
	seconds []string
	first   string
	err     error
}

// planted lets fleets with one bug each go through the same script, with each seed. A bug is found if one of these runs
// has a violation. Each bug is in the same program, and off unless the environment names it.
func planted(ctx context.Context, f flags, dir string) error {
	programs, err := programs(ctx, f, dir, true)
	if err != nil {
		return err
	}
	var trials []*trial
	for _, bug := range failpoint.Table {
		if f.only == "" || slices.Contains(strings.Split(f.only, ","), bug.Name) {
			trials = append(trials, &trial{bug: bug})
		}
	}
	if len(trials) == 0 {
		return fmt.Errorf("no bug is called %s", f.only)
	}
	var wg sync.WaitGroup
	room := make(chan struct{}, f.parallel)
	for _, t := range trials {
		room <- struct{}{}
		wg.Go(func() {
			defer func() { <-room }()
			t.search(ctx, f, dir, programs)
			sayf("%s", t)
		})
	}
	wg.Wait()
	wanted := mustFind
	if f.only != "" {
		wanted = len(trials)
	}
	return summary(trials, wanted)
}

// search runs a fleet with each seed.
func (t *trial) search(ctx context.Context, f flags, dir string, programs []string) {
	for i := range f.seeds {
		seed := f.seed + uint64(i)
		own := filepath.Join(dir, fmt.Sprintf("planted-%s-%d", t.bug.Name, seed))
		begun := time.Now()
		first, err := find(ctx, f, own, programs, t.bug.Name, seed)
		if err != nil { // such as a port that another program has taken: that is no sign of the bug
			t.err = errors.Join(t.err, fmt.Errorf("%s, seed %d: %w", t.bug.Name, seed, err))
			continue
		}
		if f.dir == "" {
			_ = os.RemoveAll(own)
		}
		t.seconds = append(t.seconds, fmt.Sprintf("%.0f", time.Since(begun).Seconds()))
		if first == "" {
			continue
		}
		t.found = append(t.found, fmt.Sprint(seed))
		if t.first == "" {
			t.first = first
		}
	}
}

// find returns the first violation of a fleet with a bug; "" if there is none.
func find(ctx context.Context, f flags, dir string, programs []string, bug string, seed uint64) (string, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	var out bytes.Buffer
	f.seed = seed
	f = f.settled()
	c := config(f, dir)
	c.Out, c.Programs = &out, programs
	c.Fleet.Program, c.Fleet.Env = programs[0], []string{"MCPGEN_PLANTED=" + bug}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := run.Start(ctx, c)
	if err != nil {
		return "", err
	}
	defer r.Close()
	if err := r.Play(ctx, f.script(), true); err != nil && r.Found() == 0 {
		return "", err
	}
	if err := r.JudgeTasks(ctx); err != nil {
		return "", err
	}
	if f.dir != "" {
		r.Violations()
		_ = os.WriteFile(filepath.Join(dir, "violations.txt"), out.Bytes(), 0o600)
	}
	return r.First(), ctx.Err()
}

// String returns the row of the table.
func (t *trial) String() string {
	first := t.first
	if first == "" {
		first = "not found; " + t.bug.Test
	}
	if t.err != nil {
		first += "; " + strings.ReplaceAll(t.err.Error(), "\n", "; ")
	}
	return fmt.Sprintf("| %s | %s | %s | %s |", t.bug.Name, strings.Join(t.found, " "), strings.Join(t.seconds, " "),
		strings.ReplaceAll(first, "|", "/"))
}

// mustFind is how many of all planted bugs the script has to find. Each has a test of a package that finds it as well.
const mustFind = 20

// summary prints the table, and fails if fewer bugs than wanted were found.
func summary(trials []*trial, wanted int) error {
	sayf("\n| bug | seeds that found it | seconds | first violation |\n|---|---|---|---|")
	found := 0
	var errs []error
	for _, t := range trials {
		sayf("%s", t)
		switch {
		case len(t.found) > 0:
			found++
		case t.err != nil:
			errs = append(errs, t.err)
		}
	}
	sayf("%d of %d found", found, len(trials))
	if found < wanted {
		errs = append(errs, fmt.Errorf("only %d planted bugs were found, want %d", found, wanted))
	}
	return errors.Join(errs...)
}
