// Command fleet runs the proof: a fleet on this machine, clients of all revisions, and faults by a seeded schedule.
// Run it in the folder of its module: make fleet.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/client"
	"github.com/mcpgen/mcpgen/fleet/internal/fleet"
	"github.com/mcpgen/mcpgen/fleet/internal/run"
)

type flags struct {
	seed      uint64
	engine    string
	tasks     string
	revisions string
	clients   int
	rate      int
	replicas  int
	dir       string
	planted   bool
	only      string
	seeds     int
	parallel  int
	short     bool
	repeat    int
	long      bool
	wall      time.Duration
	resume    string
	events    string
}

func main() {
	var f flags
	flag.Uint64Var(&f.seed, "seed", 0, "repeat the run with this `seed`; 0 means a new one")
	flag.StringVar(&f.engine, "engine", "", "nats, redis or none; the seed decides without it")
	flag.StringVar(&f.tasks, "tasks", fleet.InBroker, "where tasks are kept: broker, or sqlite for a file")
	flag.StringVar(&f.revisions, "revisions", strings.Join(slices.Concat(client.Revisions, []string{client.GoSDK,
		client.TSSDK1, client.TSSDK2}), ","), "revisions that clients speak, "+
		client.GoSDK+" for clients of the official Go SDK, and "+
		client.TSSDK1+" and "+client.TSSDK2+" for those of the TypeScript SDK")
	flag.IntVar(&f.clients, "clients", 2, "clients of each revision")
	flag.IntVar(&f.rate, "rate", 40, "writes a second")
	flag.IntVar(&f.replicas, "replicas", 3, "how many replicas")
	flag.StringVar(&f.dir, "dir", "", "`folder` for logs and state; empty means a temporary one, which is removed "+
		"if nothing was broken")
	flag.BoolVar(&f.planted, "planted", false, "find the planted bugs, and do nothing else")
	flag.StringVar(&f.only, "only", "", "of the planted bugs only those with these `names`")
	flag.IntVar(&f.seeds, "seeds", 3, "with how many seeds a planted bug is looked for")
	flag.IntVar(&f.parallel, "parallel", 2, "how many planted bugs are looked for at the same time")
	flag.BoolVar(&f.short, "short", false, "a shorter script")
	flag.IntVar(&f.repeat, "repeat", 1, "how often, each with the next seed")
	flag.BoolVar(&f.long, "long", false, "until there were 1,000,000 writes, 300 kills and 100 restarts of the broker")
	flag.DurationVar(&f.wall, "wall", 0, "end a long run after this `time`; 0 means when it is done")
	flag.StringVar(&f.resume, "resume", "", "`file` that a long run goes on from, and writes to after each round")
	flag.StringVar(&f.events, "events", "", "prove instead that events arrive at webhooks: `short` or long; "+
		"they are in a file, or with -engine nats in NATS")
	flag.Parse()
	if f.events == "" {
		if err := f.withoutMissing(); err != nil {
			fmt.Fprintln(os.Stderr, "fleet:", err)
			os.Exit(1)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := start(ctx, f); err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1) //nolint:gocritic // the process ends, and so does what stop would end
	}
}

// withoutMissing leaves clients out whose SDK is not installed. In CI that is an error.
func (f *flags) withoutMissing() error {
	list := strings.Split(f.revisions, ",")
	ts := func(name string) bool { return name == client.TSSDK1 || name == client.TSSDK2 }
	if !slices.ContainsFunc(list, ts) {
		return nil
	}
	err := client.MissingTS()
	if err == nil {
		return nil
	}
	if os.Getenv("CI") == "true" {
		return err
	}
	sayf("without them: %v", err)
	f.revisions = strings.Join(slices.DeleteFunc(list, ts), ",")
	return nil
}

func start(ctx context.Context, f flags) (err error) {
	dir := f.dir
	if dir == "" {
		if dir, err = os.MkdirTemp(shm(), "fleet"); err != nil {
			return err
		}
		defer func() {
			if err != nil && !f.planted {
				sayf("logs and state are in %s", dir)
				return
			}
			_ = os.RemoveAll(dir)
		}()
	} else if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	if f.seed == 0 {
		f.seed = uint64(time.Now().UnixNano()) % 1_000_000
	}
	switch {
	case f.events != "":
		return events(ctx, f, dir)
	case f.long:
		return long(ctx, f, dir)
	case f.planted:
		return planted(ctx, f, dir)
	}
	return repeated(ctx, f, dir)
}

// settled returns the flags with what the seed decides: two of three runs have NATS, and one of these has tasks in a
// file.
func (f flags) settled() flags {
	if f.engine == "" {
		f.engine = []string{fleet.NATS, fleet.Redis, fleet.NATS}[f.seed%3]
		if f.seed%3 == 2 {
			f.tasks = fleet.SQLite
		}
	}
	if f.tasks == fleet.InBroker && f.engine == fleet.None {
		f.tasks = fleet.SQLite
	}
	return f
}

// config is what all runs have in common.
func config(f flags, dir string) run.Config {
	return run.Config{
		Seed: f.seed, Clients: f.clients, Revisions: strings.Split(f.revisions, ","), Rate: f.rate, Out: os.Stdout,
		Fleet: fleet.Config{Dir: dir, Engine: f.engine, Replicas: f.replicas, Tasks: f.tasks, Leaf: f.engine == fleet.NATS},
		Tasks: 2,
	}
}

// script is what runs go through, the same for those without a bug and with any.
func (f flags) script() []run.Step {
	if f.short {
		return run.Short(f.engine != fleet.None)
	}
	return run.Full(f.engine != fleet.None)
}

// changes are those of the programs. No clock is off in a short script.
func (f flags) changes() []fleet.Change {
	if f.short && !f.long {
		return fleet.Brief()
	}
	return fleet.Quick()
}

// programs builds the two releases, with bugs that the environment can switch on or without any.
func programs(ctx context.Context, f flags, dir string, bugs bool) (out []string, err error) {
	var tags []string
	suffix := ""
	if bugs {
		tags, suffix = []string{"planted"}, "-planted"
	}
	for _, v := range []fleet.Variant{
		{Name: "replica" + suffix, Tags: tags, Changes: f.changes()},
		{Name: "replica-next" + suffix, Tags: append([]string{"fleet_next"}, tags...), Changes: f.changes()},
	} {
		bin, err := fleet.BuildReplica(ctx, dir, v)
		if err != nil {
			return nil, err
		}
		out = append(out, bin)
	}
	return out, nil
}

// repeated goes through the script as often as it was asked to.
func repeated(ctx context.Context, f flags, dir string) error {
	programs, err := programs(ctx, f, dir, false)
	if err != nil {
		return err
	}
	for i := range f.repeat {
		own := filepath.Join(dir, fmt.Sprint("run-", i))
		if err := os.Mkdir(own, 0o700); err != nil {
			return err
		}
		if err := once(ctx, f, own, programs); err != nil {
			return err
		}
		if f.dir == "" {
			_ = os.RemoveAll(own)
		}
		f.seed++
	}
	return nil
}

// once goes through the script.
func once(ctx context.Context, f flags, dir string, programs []string) error {
	f = f.settled()
	sayf("seed %d: %s, tasks in %s", f.seed, f.engine, f.tasks)
	c := config(f, dir)
	c.Programs, c.Fleet.Program = programs, programs[0]
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := run.Start(ctx, c)
	if err != nil {
		return err
	}
	defer r.Close()
	err = r.Play(ctx, f.script(), false)
	if err == nil {
		err = r.JudgeTasks(ctx)
	}
	return errors.Join(err, verdictOf(r, f))
}

// verdictOf prints what a run has found.
func verdictOf(r *run.Run, f flags) error {
	n := r.Violations()
	t := r.Totals()
	sayf("seed %d: %s", f.seed, r.Counts())
	sayf("clients: %d streams, %d updates, %d reads, %d lists; slowest settling %v",
		t.Streams, t.Updates, t.Reads, t.Lists,
		r.Slowest().Round(time.Millisecond))
	sayf("%d violations", n)
	if n > 0 {
		return fmt.Errorf("%d violations: repeat with -seed %d", n, f.seed)
	}
	return nil
}

// shm returns a folder in memory where there is one: what is written to disk costs time and shows nothing here.
func shm() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return ""
}

func sayf(format string, args ...any) { fmt.Fprintf(os.Stdout, format+"\n", args...) }
