package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/fleet"
	"github.com/mcpgen/mcpgen/fleet/internal/run"
)

// What a long run is to reach.
const (
	wantWrites  = 1_000_000
	wantKills   = 300
	wantBrokers = 100
)

// progress is what a long run has done, and where it goes on.
type progress struct {
	Seed   uint64
	Counts run.Counts
	// Slowest is the longest time that it took to settle.
	Slowest time.Duration
	// Elapsed is the time of all parts.
	Elapsed time.Duration
}

// long is a run until there were enough of everything, or the time is over.
func long(ctx context.Context, f flags, dir string) error {
	p, err := load(f)
	if err != nil {
		return err
	}
	f.seed = p.Seed
	f = f.settled()
	sayf("seed %d, from round %d", f.seed, p.Counts.Rounds)
	c := config(f, dir)
	c.Plan = run.Long(f.replicas, f.engine != fleet.None)
	if c.Programs, err = programs(ctx, f, dir, false); err != nil {
		return err
	}
	c.Fleet.Program = c.Programs[0]
	r, err := run.Start(ctx, c)
	if err != nil {
		return err
	}
	defer r.Close()
	r.Add(p.Counts)
	begun, before := time.Now(), p.Elapsed
	for !enough(r.Counts(), f) {
		if f.wall > 0 && time.Since(begun) > f.wall {
			sayf("the time is over before the run is done; -resume goes on")
			break
		}
		if err := r.Round(ctx, r.Counts().Rounds); err != nil {
			return err
		}
		p.Counts, p.Slowest, p.Elapsed = r.Counts(), max(p.Slowest, r.Slowest()), before+time.Since(begun)
		p.Counts.Violations = r.Found()
		if err := save(f, p); err != nil {
			return err
		}
		if r.Found() > 0 {
			break
		}
	}
	if err := r.JudgeTasks(ctx); err != nil {
		return err
	}
	sayf("seed %d: %v in all, slowest settling of all parts %v", f.seed, p.Elapsed.Round(time.Second),
		p.Slowest.Round(time.Millisecond))
	return verdictOf(r, f)
}

// enough reports whether the run is done. Without a broker there is none to restart.
func enough(c run.Counts, f flags) bool {
	return c.Writes >= wantWrites && c.Kills >= wantKills && (c.Brokers >= wantBrokers || f.engine == fleet.None)
}

// load reads what an earlier part has done.
func load(f flags) (progress, error) {
	p := progress{Seed: f.seed}
	if f.resume == "" {
		return p, nil
	}
	text, err := os.ReadFile(f.resume)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err == nil && p.Counts.Violations > 0 {
		err = fmt.Errorf("%s: that run has %d violations", f.resume, p.Counts.Violations)
	}
	return p, err
}

func save(f flags, p progress) error {
	if f.resume == "" {
		return nil
	}
	text, err := json.MarshalIndent(p, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(f.resume, append(text, '\n'), 0o600)
}
