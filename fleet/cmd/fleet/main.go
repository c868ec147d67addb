// Command fleet runs the proof: a fleet on this machine, clients of all revisions, and faults by a seeded schedule.
// Run it in the folder of its module: make fleet.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/client"
	"github.com/mcpgen/mcpgen/fleet/internal/fleet"
	"github.com/mcpgen/mcpgen/fleet/internal/run"
)

type flags struct {
	seed      uint64
	rounds    int
	engine    string
	tasks     string
	revisions string
	clients   int
	rate      int
	replicas  int
	dir       string
	calm      bool
	planted   bool
	only      string
	long      bool
	wall      time.Duration
	resume    string
}

func main() {
	var f flags
	flag.Uint64Var(&f.seed, "seed", 0, "repeat the run with this `seed`; 0 means a new one")
	flag.IntVar(&f.rounds, "rounds", 3, "how many rounds of faults")
	flag.StringVar(&f.engine, "engine", fleet.NATS, "nats, redis or none")
	flag.StringVar(&f.tasks, "tasks", fleet.NATS, "where tasks are kept: nats, if that is the engine, or sqlite")
	flag.StringVar(&f.revisions, "revisions", strings.Join(slices.Concat(client.Revisions, []string{client.GoSDK,
		client.TSSDK1, client.TSSDK2}), ","), "revisions that clients speak, "+client.GoSDK+" for clients of the official Go SDK, and "+
		client.TSSDK1+" and "+client.TSSDK2+" for those of the TypeScript SDK")
	flag.IntVar(&f.clients, "clients", 4, "clients of each revision")
	flag.IntVar(&f.rate, "rate", 40, "writes a second")
	flag.IntVar(&f.replicas, "replicas", 3, "how many replicas")
	flag.StringVar(&f.dir, "dir", "", "`folder` for logs and state; empty means a temporary one, which is removed")
	flag.BoolVar(&f.calm, "calm", false, "no faults")
	flag.BoolVar(&f.planted, "planted", false, "then find the planted bugs")
	flag.StringVar(&f.only, "only", "", "find only the planted bug with this `name`, and do nothing else")
	flag.BoolVar(&f.long, "long", false, "until there were 1,000,000 writes, 300 kills and 100 restarts of the broker")
	flag.DurationVar(&f.wall, "wall", 0, "end a long run after this `time`; 0 means when it is done")
	flag.StringVar(&f.resume, "resume", "", "`file` that a long run goes on from, and writes to after each round")
	flag.Parse()
	if err := f.withoutMissing(); err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
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

func start(ctx context.Context, f flags) error {
	dir := f.dir
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp(shm(), "fleet"); err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
	}
	if f.tasks == fleet.NATS && f.engine != fleet.NATS {
		f.tasks = fleet.SQLite
	}
	if f.seed == 0 {
		f.seed = uint64(time.Now().UnixNano()) % 1_000_000
	}
	if f.only != "" {
		return planted(ctx, f, dir)
	}
	var err error
	if f.long {
		err = long(ctx, f, dir)
	} else {
		err = short(ctx, f, dir)
	}
	if err == nil && f.planted {
		err = planted(ctx, f, dir)
	}
	return err
}

// config is what all runs have in common.
func config(f flags, dir string) run.Config {
	return run.Config{
		Seed: f.seed, Clients: f.clients, Revisions: strings.Split(f.revisions, ","), Rate: f.rate, Out: os.Stdout,
		Plan:  run.OneOfEach(f.replicas, f.engine != fleet.None),
		Fleet: fleet.Config{Dir: dir, Engine: f.engine, Replicas: f.replicas, Tasks: f.tasks}, Tasks: 4,
	}
}

// build builds the two releases.
func build(ctx context.Context, c *run.Config, dir string) error {
	for _, v := range []fleet.Variant{
		{Name: "replica", Changes: slices.Concat(fleet.Skewed(), fleet.Hurried())},
		{Name: "replica-next", Tags: []string{"fleet_next"}, Changes: slices.Concat(fleet.Skewed(), fleet.Hurried())},
	} {
		bin, err := fleet.BuildReplica(ctx, dir, v)
		if err != nil {
			return err
		}
		c.Programs = append(c.Programs, bin)
	}
	c.Fleet.Program = c.Programs[0]
	return nil
}

// short is a run of a few rounds.
func short(ctx context.Context, f flags, dir string) error {
	sayf("seed %d", f.seed)
	c := config(f, dir)
	if f.calm {
		c.Plan = func(*rand.Rand, int) []run.Fault { return run.Calm(nil, 0) }
	}
	if err := build(ctx, &c, dir); err != nil {
		return err
	}
	r, err := run.Start(ctx, c)
	if err != nil {
		return err
	}
	defer r.Close()
	for round := range f.rounds {
		if err := r.Round(ctx, round); err != nil {
			return err
		}
	}
	if err := r.JudgeTasks(ctx); err != nil {
		return err
	}
	return verdictOf(r, f)
}

// verdictOf prints what a run has found.
func verdictOf(r *run.Run, f flags) error {
	n := r.Violations()
	t := r.Totals()
	sayf("seed %d: %s", f.seed, r.Counts())
	sayf("clients: %d streams, %d updates, %d reads, %d lists; slowest settling %v", t.Streams, t.Updates, t.Reads, t.Lists,
		r.Slowest().Round(time.Millisecond))
	sayf("%d violations", n)
	if n > 0 {
		return fmt.Errorf("%d violations: repeat with -seed %d, and -dir for the logs", n, f.seed)
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
