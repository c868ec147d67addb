package run

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/client"
	"github.com/mcpgen/mcpgen/fleet/internal/exam"
	"github.com/mcpgen/mcpgen/fleet/internal/verdict"
)

// bound is the time in which an update must arrive while nothing is wrong.
const bound = 3 * time.Second

// Step is a part of a script: something that happens, after which everybody must know everything.
type Step struct {
	Name string
	Do   func(ctx context.Context, r *Run) error
}

// Play goes through a script. It ends early once something was found, if first is true.
func (r *Run) Play(ctx context.Context, steps []Step, first bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if first {
		go r.untilFound(ctx, cancel)
	}
	for _, s := range steps {
		begun := time.Now()
		err := s.Do(ctx, r)
		if ctx.Err() != nil {
			return nil // what was found is told later
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		r.count(func(c *Counts) { c.Rounds++ })
		r.sayf("  %-52s %6.1f s, %d violations", s.Name, time.Since(begun).Seconds(), r.Found())
	}
	return nil
}

// untilFound calls cancel once something was found.
func (r *Run) untilFound(ctx context.Context, cancel context.CancelFunc) {
	for r.Found() == 0 {
		select {
		case <-ctx.Done():
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
	cancel()
}

// witnesses starts clients that subscribe to notes all the time: a listen and a session with their streams at each
// replica. They send everything else through the balancer.
func (r *Run) witnesses(ctx context.Context) {
	for i, rep := range r.fleet.Replicas {
		for j, revision := range []string{client.Modern, "2025-11-25"} {
			n := []int64{exam.NotesOfListens, exam.NotesOfAll}[j]
			var uris []string
			for k := int64(1); k <= n; k++ {
				uris = append(uris, exam.URI("note", k))
			}
			c := client.NewConn(r.fleet.URL(), revision, r.checker.Client(fmt.Sprintf("%s at replica %d", revision, i)))
			c.Streams = rep.URL
			go client.Run(ctx, c, &client.Behaviour{URIs: uris, Most: len(uris), Pause: time.Millisecond,
				Random: client.NewRandom(r.Seed, uint64(5_000+2*i+j))})
		}
	}
}

// watch looks for processes that have ended by themselves.
func (r *Run) watch(ctx context.Context) {
	for ctx.Err() == nil {
		time.Sleep(200 * time.Millisecond)
		for i, rep := range r.fleet.Replicas {
			if rep.Crashed() {
				rep.MayEnd()
				r.checker.Report(verdict.Violation{Client: fmt.Sprint("replica ", i), Kind: verdict.Crash, Text: r.fleet.Log(i)})
			}
		}
	}
}

// Exams are steps in which nothing happens to the fleet. A replica that says that it has lost something then is wrong,
// if strict.
func Exams(name string, exams []exam.Exam, strict bool) Step {
	return Step{name, func(ctx context.Context, r *Run) error {
		if err := r.ready(ctx); err != nil {
			return err
		}
		before, still := r.resyncs(ctx), r.hall.Stalled()
		for begun := time.Now(); strict && ctx.Err() == nil && time.Since(begun) < falls; time.Sleep(200 * time.Millisecond) {
			if now := r.resyncs(ctx); !slices.Equal(now, before) { // still from the start
				before, begun = now, time.Now()
			}
		}
		r.hall.Sit(ctx, exams)
		after := r.resyncs(ctx)
		if strict && ctx.Err() == nil && !slices.Equal(before, after) && r.hall.Stalled()-still < time.Second {
			r.checker.Report(verdict.Violation{Client: "replicas", Kind: verdict.Resynced,
				Text: fmt.Sprintf("resyncs of each before %v and after %v", before, after)})
		}
		return nil
	}}
}

// ready waits until all replicas are ready.
func (r *Run) ready(ctx context.Context) error {
	for _, rep := range r.fleet.Replicas {
		if err := rep.AwaitReady(ctx, 30*time.Second); err != nil && ctx.Err() == nil {
			r.checker.Report(verdict.Violation{Client: fmt.Sprint("replica ", rep.Index), Kind: verdict.Refused,
				Text: fmt.Sprintf("not ready, 30 s after the last fault: %v", err)})
		}
	}
	return nil
}

func (r *Run) resyncs(ctx context.Context) (out []float64) {
	for _, rep := range r.fleet.Replicas {
		n, err := rep.Metric(ctx, "mcp_replica_resyncs_total")
		if err != nil {
			n = -1
		}
		out = append(out, n)
	}
	return out
}

// writeAt writes one note through a replica. What becomes of it is decided by what the file has.
func (r *Run) writeAt(ctx context.Context, replica int) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	c := client.NewConn(r.fleet.Replicas[replica].URL, client.Modern, r.checker.Client("writer"))
	defer r.checker.Remove(c.Seen)
	r.countMu.Lock()
	n := 1 + r.random.Int64N(exam.NotesOfListens)
	r.countMu.Unlock()
	_, err := r.hall.Write(ctx, c, fmt.Sprint("replica ", replica), "note", n)
	r.count(func(c *Counts) {
		if c.Writes++; err != nil {
			c.Failed++
		}
	})
}

// scene is a step with faults. Others write meanwhile if busy; half of them write after the faults have ended as well.
// Afterwards everybody must know everything, and then be told of single updates in time.
func scene(name string, busy func(r *Run) bool, do func(ctx context.Context, r *Run) error) Step {
	return Step{name, func(ctx context.Context, r *Run) error {
		b := busy(r)
		r.writing.Store(b)
		over := r.checker.Fault()
		err := do(ctx, r)
		over()
		if b {
			time.Sleep(r.upTo(time.Second))
		}
		r.writing.Store(false)
		if err != nil || ctx.Err() != nil {
			return err
		}
		took, err := r.settle(ctx)
		if r.slowest = max(r.slowest, took); err != nil || ctx.Err() != nil {
			return err
		}
		return Exams("", exam.Told(), false).Do(ctx, r)
	}}
}

// upTo returns a random time.
func (r *Run) upTo(most time.Duration) time.Duration {
	r.countMu.Lock()
	defer r.countMu.Unlock()
	return time.Duration(r.random.Int64N(int64(most) + 1))
}

// coin is true half of the time.
func (r *Run) coin() bool { return r.upTo(1) == 1 }

func never(*Run) bool       { return false }
func sometimes(r *Run) bool { return r.coin() }

// cast returns the replica of a scene and the other ones, in a random order.
func (r *Run) cast() (one int, others []int) {
	r.countMu.Lock()
	defer r.countMu.Unlock()
	order := r.random.Perm(len(r.fleet.Replicas))
	return order[0], order[1:]
}

// all runs functions at the same time.
func all(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Go(f)
	}
	wg.Wait()
}
