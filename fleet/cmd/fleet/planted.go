package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/client"
	"github.com/mcpgen/mcpgen/fleet/internal/fleet"
	"github.com/mcpgen/mcpgen/fleet/internal/run"
)

// planted builds replicas with a bug, one after the other, and lets fleets of them run at the same time: each must be
// found.
func planted(ctx context.Context, f flags, dir string) error {
	var wg sync.WaitGroup
	bugs := run.Bugs(f.replicas)
	results := make([]error, len(bugs))
	for i, bug := range bugs {
		if f.only != "" && f.only != bug.Name {
			continue
		}
		own := filepath.Join(dir, "planted-"+bug.Name)
		if err := os.Mkdir(own, 0o700); err != nil {
			return err
		}
		bin, err := fleet.BuildReplica(ctx, own, bug.Variant)
		if err != nil {
			return err
		}
		wg.Go(func() { results[i] = find(ctx, f, own, bin, bug) })
	}
	wg.Wait()
	return errors.Join(results...)
}

// find runs a fleet with one bug.
func find(ctx context.Context, f flags, dir, bin string, bug run.Planted) error {
	var out bytes.Buffer
	c := config(f, dir)
	c.Out = &out
	c.Revisions, c.Clients, c.Most, c.Tasks = []string{client.Modern}, 10, 12, 0
	c.Programs, c.Fleet.Program = []string{bin}, bin
	bug.Change(&c)
	r, err := run.Start(ctx, c)
	if err != nil {
		return err
	}
	defer r.Close()
	begun := time.Now()
	for round := range 3 {
		if err := r.Round(ctx, round); err != nil {
			return err
		}
		if err := r.JudgeTasks(ctx); err != nil {
			return err
		}
		if n := r.Found(); n > 0 {
			sayf("planted %-22s %s: found after %v, %d violations", bug.Name, bug.What, time.Since(begun).Round(time.Second), n)
			return nil
		}
	}
	return fmt.Errorf("planted %s (%s) was not found:\n%s", bug.Name, bug.What, out.String())
}
