package taskrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// errKilled is what a process sees of its store after it was killed, so to speak.
var errKilled = errors.New("killed")

// failing is a store as one process has it. From a call on, nothing that the process does counts any more.
type failing struct {
	task.Store
	left   atomic.Int64                  // calls that are made yet; the last one fails
	after  bool                          // the last one is made, and its caller does not learn of it
	paused atomic.Pointer[chan struct{}] // calls wait until it is closed; nil while the store does not hang
}

func (f *failing) dead() bool { return f.left.Load() <= 0 }

// do makes a call, or not.
func (f *failing) do(call func() error) error {
	if c := f.paused.Load(); c != nil {
		<-*c
	}
	switch n := f.left.Add(-1); {
	case n < 0 || n == 0 && !f.after:
		return errKilled
	case n == 0:
		_ = call()
		return errKilled
	}
	return call()
}

func (f *failing) Create(ctx context.Context, r *task.Record, limits task.Limits) error {
	return f.do(func() error { return f.Store.Create(ctx, r, limits) })
}

func (f *failing) Get(ctx context.Context, id string) (r *task.Record, err error) {
	err = f.do(func() (err error) { r, err = f.Store.Get(ctx, id); return err })
	return r, err
}

func (f *failing) Head(ctx context.Context, id string) (h *task.Head, err error) {
	err = f.do(func() (err error) { h, err = f.Store.Head(ctx, id); return err })
	return h, err
}

func (f *failing) Swap(ctx context.Context, h *task.Head, b *task.Body, limits task.Limits) error {
	copied := *h
	err := f.do(func() error { return f.Store.Swap(ctx, &copied, b, limits) })
	if err == nil {
		*h = copied
	}
	return err
}

func (f *failing) Claim(ctx context.Context, c task.Claim) (h *task.Head, latest uint64, err error) {
	err = f.do(func() (err error) { h, latest, err = f.Store.Claim(ctx, c); return err })
	return h, latest, err
}

// process is an engine and what its handlers have done.
type process struct {
	*Engine
	store *failing
	ended atomic.Int64 // handlers that ran to their ends, while the process lived
	takes time.Duration
}

// newProcess returns a process over a store, which dies at call n of the store; 0 means never.
func newProcess(t *testing.T, shared task.Store, n int64, after bool) *process {
	p := &process{store: &failing{Store: shared, after: after}, takes: 25 * time.Second}
	p.store.left.Store(n)
	if n == 0 {
		p.store.left.Store(1 << 60)
	}
	p.Engine = New(Config{
		Options: task.Options{Store: p.store}, Log: slog.New(slog.DiscardHandler),
		Known: func(string) bool { return true }, Changed: func(string) {},
		Run: func(ctx context.Context, r *Run) {
			steps := len(r.Checkpoint())
			for ; steps < 5; steps++ {
				r.SetStatus(fmt.Sprint("step ", steps))
				select {
				case <-time.After(p.takes / 5):
				case <-ctx.Done():
					return
				}
				if err := r.SaveCheckpoint(make([]byte, steps+1)); err != nil {
					return
				}
			}
			if !p.store.dead() {
				p.ended.Add(1)
			}
			r.End(Outcome{Result: json.RawMessage(`{"content":[]}`)})
		},
	})
	p.Begin()
	t.Cleanup(func() { p.Close(time.Millisecond) })
	return p
}

func newRecord(restart bool) *task.Record {
	return &task.Record{Head: task.Head{Principal: "p", Tool: "tool", Restart: restart, Revision: "2026-07-28"}}
}

// status is the state of a task in a store.
func status(t *testing.T, s task.Store, id string) *task.Record {
	t.Helper()
	r, err := s.Get(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A process is killed at each call of its store, before and after the store has made it. Another takes over: a task
// that may run again completes, and one that may not has run at most once and has ended.
func TestKillAtEachCall(t *testing.T) {
	for _, restart := range []bool{true, false} {
		for _, after := range []bool{true, false} {
			for n := int64(1); n <= 24; n++ {
				t.Run(fmt.Sprintf("restart=%v after=%v n=%d", restart, after, n), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { killAt(t, restart, after, n) })
				})
			}
		}
	}
}

func killAt(t *testing.T, restart, after bool, n int64) {
	shared := new(task.Memory)
	a, b := newProcess(t, shared, n, after), newProcess(t, shared, 0, false)
	r := newRecord(restart)
	err := a.Create(t.Context(), r, time.Hour)
	time.Sleep(10 * time.Minute)
	if err != nil { // it is kept only if the process has ended after the call that creates it
		_, err := shared.Get(t.Context(), r.ID)
		if gone := errors.Is(err, task.ErrNotFound); !gone && !after {
			t.Errorf("a task was kept whose creation was refused: %v", err)
		} else if gone {
			return
		}
	}
	got, runs := status(t, shared, r.ID), a.ended.Load()+b.ended.Load()
	switch {
	case restart && (got.Status != task.Completed || runs == 0):
		t.Errorf("%s after %d runs, and must be completed", got.Status, runs)
	case !restart && (runs > 1 || got.Status != task.Completed && string(got.Error) != string(interrupted)):
		t.Errorf("%s, error %s, after %d runs", got.Status, got.Error, runs)
	case got.Status == task.Completed && runs == 0:
		t.Error("completed, and did not run")
	}
}

// A process stands still for longer than its lease. What it does afterwards does not count.
func TestPausedOwner(t *testing.T) {
	for _, restart := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			shared := new(task.Memory)
			a, b := newProcess(t, shared, 0, false), newProcess(t, shared, 0, false)
			a.takes = 5 * time.Minute
			r := newRecord(restart)
			if err := a.Create(t.Context(), r, time.Hour); err != nil {
				t.Fatal(err)
			}
			a.store.paused.Store(new(make(chan struct{})))
			time.Sleep(2 * time.Minute)
			close(*a.store.paused.Load())
			time.Sleep(10 * time.Minute)
			got := status(t, shared, r.ID)
			if a.ended.Load() != 0 {
				t.Error("the owner that stood still went on after its lease")
			}
			if want := int64(0); restart && (b.ended.Load() != 1 || got.Status != task.Completed) ||
				!restart && (b.ended.Load() != want || string(got.Error) != string(interrupted)) {
				t.Errorf("restart %v: %s, error %s, and %d runs of the other", restart, got.Status, got.Error, b.ended.Load())
			}
			if a.Running()+b.Running() != 0 {
				t.Error("handlers run on")
			}
		})
	}
}

// A cancellation and the end of a handler come at the same time, from two processes. One of them wins, for ever.
func TestCancelAgainstComplete(t *testing.T) {
	t.Attr("requirements", "task-transitions task-cancel")
	won := map[task.Status]int{}
	for i := range 200 {
		synctest.Test(t, func(t *testing.T) {
			shared := new(task.Memory)
			a, b := newProcess(t, shared, 0, false), newProcess(t, shared, 0, false)
			r := newRecord(i%2 == 0)
			if err := a.Create(t.Context(), r, time.Hour); err != nil {
				t.Fatal(err)
			}
			time.Sleep(a.takes)
			if _, err := []*process{a, b}[i/2%2].Cancel(t.Context(), r.ID); err != nil {
				t.Fatal(err)
			}
			first := status(t, shared, r.ID)
			time.Sleep(time.Minute)
			last := status(t, shared, r.ID)
			if !first.Status.Final() || last.Version != first.Version {
				t.Errorf("%s at first and then %s", first.Status, last.Status)
			}
			won[last.Status]++
		})
	}
	t.Log(won)
}

// Questions are answered through another process, which runs the handler again.
func TestAnsweredElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := new(task.Memory)
		a, b := newProcess(t, shared, 0, false), newProcess(t, shared, 0, false)
		run := func(_ context.Context, r *Run) {
			if record := r.Record(); record.Answers == nil {
				r.End(Outcome{Asked: []byte(`{"q":{}}`)})
			} else {
				r.End(Outcome{Result: record.Answers})
			}
		}
		a.Run, b.Run = run, run
		r := newRecord(true)
		if err := a.Create(t.Context(), r, time.Hour); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := status(t, shared, r.ID); got.Status != task.InputRequired {
			t.Fatal(got.Status)
		}
		time.Sleep(time.Minute) // nobody runs it meanwhile
		err := b.Update(t.Context(), r.ID, func(r *task.Record) bool {
			r.Asked, r.Answers = nil, json.RawMessage(`{"q":1}`)
			return true
		})
		synctest.Wait()
		if got := status(t, shared, r.ID); err != nil || got.Status != task.Completed || string(got.Result) != `{"q":1}` {
			t.Errorf("%s %s, %v", got.Status, got.Result, err)
		}
	})
}

// One principal has at most half of what runs, and what waits runs later. Too many are refused.
func TestBounds(t *testing.T) {
	t.Attr("requirements", "task-bounds")
	synctest.Test(t, func(t *testing.T) {
		p := &process{}
		most := atomic.Int64{}
		running := atomic.Int64{}
		p.Engine = New(Config{
			Options: task.Options{MaxRunning: 4, MaxPerPrincipal: 10, MaxTotal: 15, MaxResultBytes: 100},
			Log:     slog.New(slog.DiscardHandler), Known: func(string) bool { return true }, Changed: func(string) {},
			Run: func(_ context.Context, r *Run) {
				most.Store(max(most.Load(), running.Add(1)))
				time.Sleep(time.Second)
				running.Add(-1)
				r.End(Outcome{Result: make([]byte, 101)})
			},
		})
		p.Begin()
		defer p.Close(time.Millisecond)
		var last string
		for i := range 11 {
			r := newRecord(true)
			err := p.Create(t.Context(), r, time.Hour)
			if i < 10 && err != nil || i == 10 && !errors.Is(err, task.ErrFull) {
				t.Errorf("task %d: %v", i, err)
			}
			if err == nil {
				last = r.ID
			}
		}
		if n := p.Running(); n != 2 {
			t.Errorf("%d run of one principal, want 2", n)
		}
		time.Sleep(5 * time.Minute)
		r, err := p.Get(t.Context(), last)
		if err != nil || r.Status != task.Failed || most.Load() != 2 {
			t.Errorf("the last is %v, %v; %d ran at once", r, err, most.Load())
		}
		time.Sleep(2 * time.Hour) // all have expired, and were removed
		if err := p.Create(t.Context(), newRecord(true), time.Hour); err != nil {
			t.Error(err)
		}
		if n := p.Counts().Expired.Load(); n != 10 {
			t.Errorf("%d were removed, want 10", n)
		}
	})
}
