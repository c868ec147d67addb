// Package run is the proof: it starts a fleet, lets clients of all revisions subscribe and writers write, does to the
// fleet what happens to fleets, and judges what the clients have seen.
package run

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/client"
	"github.com/mcpgen/mcpgen/fleet/internal/exam"
	"github.com/mcpgen/mcpgen/fleet/internal/fleet"
	"github.com/mcpgen/mcpgen/fleet/internal/verdict"
	"github.com/mcpgen/mcpgen/fleet/serve"
)

// Config says how a run goes. All choices follow from Seed.
type Config struct {
	Seed  uint64
	Fleet fleet.Config
	// Programs are those that a rolling update goes through, one after the other; the first is that of the start.
	Programs []string
	// Most is how many resources each client subscribes to; 0 means 6.
	Most int
	// Clients is how many clients of each revision there are, and Revisions which.
	Clients   int
	Revisions []string
	// Tasks is how many clients create tasks, about four a second each.
	Tasks int
	// Rate is how many writes a second there are, about.
	Rate int
	// Change is how long half of the clients stay with a choice on average.
	Change time.Duration
	// Plan returns the faults of a round.
	Plan func(r *rand.Rand, round int) []Fault
	// Settle is how long after the last fault everybody may take to know everything, longer on a machine that others use
	// too; 0 means verdict.Settle.
	Settle time.Duration
	// TasksSettle is the same for the end of tasks; 0 means that of a lease, and of the clients that ask.
	TasksSettle time.Duration
	Out         io.Writer
}

// Run is a run. Its methods are for one goroutine.
type Run struct {
	Config
	fleet   *fleet.Fleet
	checker *verdict.Checker
	state   *serve.State
	writing atomic.Bool
	series  atomic.Uint64
	counts  Counts
	events  []string
	countMu sync.Mutex // of counts and events
	slowest time.Duration
	release int // of Programs, guarded by rollMu
	hall    *exam.Hall
	long    *client.TaskClient
	random  *rand.Rand // of the script
	rollMu  sync.Mutex
}

// Counts are what a run has done.
type Counts struct {
	Rounds, Writes, Failed                                int
	Kills, Failpoints, Stops, Brokers, Cuts, Rolls, Skews int
	Violations                                            int
}

// Start starts the fleet, the clients and the writers.
func Start(ctx context.Context, c Config) (*Run, error) {
	f, err := fleet.Start(ctx, c.Fleet)
	if err != nil {
		return nil, err
	}
	state, err := serve.Open(ctx, f.State(), time.Now)
	if err != nil {
		f.Close()
		return nil, err
	}
	if c.Most == 0 {
		c.Most = 6
	}
	if c.Change == 0 {
		c.Change = 6 * time.Second
	}
	if c.Settle == 0 {
		c.Settle = verdict.Settle
	}
	if c.TasksSettle == 0 {
		c.TasksSettle = tasksSettle
	}
	r := &Run{Config: c, fleet: f, checker: verdict.New(time.Now), state: state, random: client.NewRandom(c.Seed, 1<<42)}
	r.hall = r.examine(ctx, f, state)
	truth, err := state.Truth(ctx)
	if err != nil {
		r.Close()
		return nil, err
	}
	uris := make([]string, 0, len(truth))
	var listed []string
	for uri := range truth {
		if strings.HasPrefix(uri, "note:") {
			continue // those of the witnesses and exams
		}
		uris = append(uris, uri)
		if !history(uri) {
			listed = append(listed, uri)
		}
	}
	slices.Sort(uris)
	r.clients(ctx, uris, listed)
	r.witnesses(ctx)
	go r.watch(ctx)
	r.taskClients(ctx)
	for i := range 3 {
		go r.write(ctx, client.NewRandom(c.Seed, uint64(1_000+i)))
	}
	return r, nil
}

// examine returns a hall for a fleet.
func (r *Run) examine(ctx context.Context, f *fleet.Fleet, state *serve.State) *exam.Hall {
	h := &exam.Hall{
		Front: f.URL(), Checker: r.checker, State: state, Seed: r.Seed, Bound: bound,
		Stop: func(i int) { f.Replicas[i].Stop(stopTime) },
		Start: func(ctx context.Context, i int) error {
			if err := f.Replicas[i].Start(ctx); err != nil {
				return err
			}
			return f.Replicas[i].AwaitReady(ctx, readyTime)
		},
	}
	for _, rep := range f.Replicas {
		h.Replicas = append(h.Replicas, rep.URL)
	}
	go h.Measure(ctx)
	return h
}

// stopTime is how long a replica may take to end, and readyTime until it is ready.
const (
	stopTime  = 15 * time.Second
	readyTime = 20 * time.Second
)

// history reports whether a resource is in no list.
func history(uri string) bool { return len(uri) > 8 && uri[len(uri)-8:] == "/history" }

// Close ends the fleet.
func (r *Run) Close() {
	r.fleet.Close()
	_ = r.state.Close()
}

// clients starts all clients.
func (r *Run) clients(ctx context.Context, uris, listed []string) {
	for i := range r.Clients {
		for j, revision := range r.Revisions {
			b := &client.Behaviour{
				URIs: uris, Most: r.Most, Pause: 20 * time.Millisecond, Hold: func() bool { return !r.writing.Load() },
				Random: client.NewRandom(r.Seed, uint64(i*len(r.Revisions)+j)),
			}
			if i%2 == 1 {
				b.Change = r.Change
			}
			if i == 0 && revision == client.Modern {
				b.Always = listed
			}
			c := client.NewConn(r.fleet.URL(), revision, r.checker.Client(fmt.Sprintf("%s-%d", revision, i)))
			go client.Run(ctx, c, b)
		}
	}
}

// write writes while it may, until ctx ends.
func (r *Run) write(ctx context.Context, random *rand.Rand) {
	seen := r.checker.Client("writer")
	c := client.NewConn(r.fleet.URL(), client.Modern, seen)
	for ctx.Err() == nil {
		if !r.writing.Load() {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		n, pause := 1, 3*time.Second/time.Duration(max(1, r.Rate))
		if r.Rate > 100 && random.IntN(2) == 0 {
			n = r.Rate / 20
			pause *= time.Duration(n)
		}
		err := r.edit(ctx, c, random, n)
		r.count(func(c *Counts) {
			if err != nil {
				c.Failed++
				return
			}
			c.Writes += n
		})
		time.Sleep(pause)
	}
}

// edit writes something.
func (r *Run) edit(ctx context.Context, c *client.Conn, random *rand.Rand, n int) error {
	if n > 1 {
		args := map[string]any{
			"value": fmt.Sprintf("w%d", r.series.Add(1)), "count": n, "first": random.IntN(serve.Accounts),
		}
		_, err := c.Tool(ctx, "", "edit_many", args)
		return err
	}
	kind, number := "account", random.IntN(serve.Accounts)+1
	switch random.IntN(6) {
	case 0:
		kind, number = "card", random.IntN(serve.Cards)+1
	case 1:
		kind, number = "person", random.IntN(serve.People)+1
	case 2:
		kind, number = "note", random.IntN(exam.NotesOfListens)+1
	}
	_, err := r.hall.Write(ctx, c, "the balancer", kind, int64(number))
	return err
}

func (r *Run) count(f func(*Counts)) {
	r.countMu.Lock()
	defer r.countMu.Unlock()
	f(&r.counts)
}

// Counts returns what the run has done until now.
func (r *Run) Counts() Counts {
	r.countMu.Lock()
	defer r.countMu.Unlock()
	return r.counts
}

// Add counts what earlier parts of the run have done.
func (r *Run) Add(c Counts) { r.count(func(now *Counts) { *now = c }) }

// Totals returns what the clients have done and seen.
func (r *Run) Totals() verdict.Totals { return r.checker.Totals() }

// Slowest returns the longest time that everybody took to know everything after the last fault of a round.
func (r *Run) Slowest() time.Duration { return r.slowest }

// Round lets the faults of one round happen and waits until everybody knows everything.
func (r *Run) Round(ctx context.Context, round int) error {
	random := client.NewRandom(r.Seed, uint64(round)<<20)
	plan := r.Plan(random, round)
	r.writing.Store(true)
	var wg sync.WaitGroup
	begun := time.Now()
	var last time.Duration
	for _, f := range plan {
		last = max(last, f.At+f.For)
		wg.Go(func() {
			time.Sleep(f.At)
			over := r.checker.Fault()
			defer over()
			r.eventf("round %d: %s, for %v", round, f, f.For)
			err := r.happen(ctx, f)
			r.eventf("round %d: %s is over", round, f)
			if err != nil {
				r.sayf("  %s: %v", f, err)
			}
		})
	}
	// Writers go on after the last fault, or end before it, so that no later write makes up for one of which nobody heard.
	quiet := time.Duration((0.6 + 0.6*random.Float64()) * float64(last))
	time.Sleep(max(quiet, time.Second))
	r.writing.Store(false)
	wg.Wait()
	faults := time.Since(begun)
	took, err := r.settle(ctx)
	r.slowest = max(r.slowest, took)
	r.count(func(c *Counts) { c.Rounds++ })
	r.sayf("round %d: %d faults in %v, settled in %v; %s", round, len(plan), faults.Round(time.Second),
		took.Round(100*time.Millisecond), r.Counts())
	return err
}

// settle waits until everybody knows everything, and judges when the time is over.
func (r *Run) settle(ctx context.Context) (time.Duration, error) {
	begun := time.Now()
	for late := false; ; {
		truth, err := r.state.Truth(ctx)
		if err != nil {
			return 0, err
		}
		behind := r.checker.Behind(truth)
		took := time.Since(begun)
		if len(behind) == 0 || took > r.hall.Stretch(r.Settle) {
			r.checker.Judge(truth)
			return took, nil
		}
		if !late && took > r.Settle { // on a machine that others use too
			late = true
			r.sayf("  after %v there are %d who do not know everything: %s", r.Settle, len(behind), behind[0])
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// Found returns how much was broken until now.
func (r *Run) Found() (n int) {
	_, counts := r.checker.Violations()
	for _, c := range counts {
		n += c
	}
	return n
}

// First returns the first thing that was broken, in one line; "" if nothing was.
func (r *Run) First() string {
	list, _ := r.checker.Violations()
	if len(list) == 0 {
		return ""
	}
	line, _, _ := strings.Cut(list[0].String(), "\n")
	return line
}

// Violations prints what was broken, and returns how much.
func (r *Run) Violations() int {
	list, counts := r.checker.Violations()
	n := 0
	for kind, c := range counts {
		n += c
		r.sayf("%d × %s", c, kind)
	}
	said := map[verdict.Kind]int{}
	for _, v := range list {
		if said[v.Kind]++; said[v.Kind] > 5 {
			continue
		}
		r.sayf("%s", v)
		for _, e := range v.Before[max(0, len(v.Before)-12):] {
			r.sayf("      %s", e)
		}
	}
	if n > 0 {
		r.sayf("what happened last:")
		for _, e := range r.events {
			r.sayf("  %s", e)
		}
	}
	return n
}

// eventf notes what has happened to the fleet; the last few are said if something was broken.
func (r *Run) eventf(format string, args ...any) {
	r.countMu.Lock()
	defer r.countMu.Unlock()
	r.events = append(r.events, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
	r.events = r.events[max(0, len(r.events)-maxEvents):]
}

// maxEvents are those of about four rounds.
const maxEvents = 100

func (r *Run) sayf(format string, args ...any) { fmt.Fprintf(r.Out, format+"\n", args...) }

// String returns one line.
func (c Counts) String() string {
	return fmt.Sprintf("%d rounds, %d writes (%d failed), %d kills (%d after a commit), %d stops, %d brokers, %d cuts, "+
		"%d rolls, %d clocks",
		c.Rounds, c.Writes, c.Failed, c.Kills, c.Failpoints, c.Stops, c.Brokers, c.Cuts, c.Rolls, c.Skews)
}
