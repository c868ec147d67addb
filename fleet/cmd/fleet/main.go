// Command fleet runs the proof: a fleet on this machine, clients of all revisions, and faults by a seeded schedule. Run it
// in the folder of its module: make fleet.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
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
	revisions string
	clients   int
	rate      int
	dir       string
	calm      bool
	replicas  int
}

func main() {
	var f flags
	flag.Uint64Var(&f.seed, "seed", 0, "repeat the run with this `seed`; 0 means a new one")
	flag.IntVar(&f.rounds, "rounds", 3, "how many rounds of faults")
	flag.StringVar(&f.engine, "engine", fleet.NATS, "nats, redis or none")
	flag.StringVar(&f.revisions, "revisions", strings.Join(client.Revisions, ","), "revisions that clients speak")
	flag.IntVar(&f.clients, "clients", 4, "clients of each revision")
	flag.IntVar(&f.rate, "rate", 40, "writes a second")
	flag.StringVar(&f.dir, "dir", "", "`folder` for logs; empty means a temporary one, which is removed unless something is wrong")
	flag.BoolVar(&f.calm, "calm", false, "no faults")
	flag.IntVar(&f.replicas, "replicas", 3, "how many replicas")
	flag.Parse()
	if f.seed == 0 {
		f.seed = uint64(time.Now().UnixNano()) % 1_000_000
	}
	if err := start(context.Background(), f); err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
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
	fmt.Printf("seed %d\n", f.seed)
	c := run.Config{
		Seed: f.seed, Clients: f.clients, Revisions: strings.Split(f.revisions, ","), Rate: f.rate, Out: os.Stdout,
		Plan:  run.OneOfEach(f.replicas, f.engine != fleet.None),
		Fleet: fleet.Config{Dir: dir, Engine: f.engine, Replicas: f.replicas},
	}
	if f.calm {
		c.Plan = func(*rand.Rand, int) []run.Fault { return nil }
	}
	var err error
	for _, v := range []fleet.Variant{{Name: "replica"}, {Name: "replica-next", Tags: []string{"fleet_next"}}} {
		bin, err := fleet.BuildReplica(ctx, dir, v)
		if err != nil {
			return err
		}
		c.Programs = append(c.Programs, bin)
	}
	c.Fleet.Program = c.Programs[0]
	if f.engine == fleet.NATS {
		if c.Fleet.Server, err = fleet.BuildNATS(ctx, dir); err != nil {
			return err
		}
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
	n := r.Violations()
	fmt.Printf("seed %d: %s; slowest %v; %d violations\n", f.seed, r.Counts(), r.Slowest().Round(time.Millisecond), n)
	if n > 0 {
		keep, _ := filepath.Abs("fleet-failed")
		return fmt.Errorf("%d violations; repeat with -seed %d -dir %s", n, f.seed, keep)
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
