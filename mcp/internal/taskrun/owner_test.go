package taskrun

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// refusing is a store that fails swaps of some records while refuse is set, and may keep what it says it has not.
type refusing struct {
	task.Store
	refuse atomic.Pointer[func(b *task.Body) bool]
	lies   bool // Create keeps the record and fails
}

func (s *refusing) Swap(ctx context.Context, h *task.Head, b *task.Body, limits task.Limits) error {
	if refuse := s.refuse.Load(); refuse != nil && b != nil && (*refuse)(b) {
		return errKilled
	}
	return s.Store.Swap(ctx, h, b, limits)
}

func (s *refusing) Create(ctx context.Context, r *task.Record, limits task.Limits) error {
	err := s.Store.Create(ctx, r, limits)
	if s.lies && err == nil {
		return errKilled
	}
	return err
}

// takeFrom claims a task whose owner is taken for dead.
func takeFrom(t *testing.T, s task.Store, owner string, still uint64) *task.Head {
	t.Helper()
	now := time.Now()
	h, _, err := s.Claim(context.Background(), task.Claim{Owner: owner, Now: now, Until: now, Still: still})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// newEngine returns an engine over a store, with handlers of its own.
func newEngine(t *testing.T, o task.Options, run func(ctx context.Context, r *Run)) *Engine {
	e := New(Config{
		Options: o, Log: slog.New(slog.DiscardHandler), Known: func(string) bool { return true }, Changed: func(string) {},
		Run: run,
	})
	e.Begin()
	t.Cleanup(func() { e.Close(time.Millisecond) })
	return e
}

// The outcome of a run could not be written, and the task went to another owner and came back. The outcome does not end
// the run that goes on now, although that has the same owner.
func TestOwnerAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := new(task.Memory)
		store := &refusing{Store: shared}
		refuse := func(b *task.Body) bool { return string(b.Result) == `{"run":1}` }
		store.refuse.Store(&refuse)
		runs, finish := 0, make(chan struct{})
		e := newEngine(t, task.Options{Store: store}, func(_ context.Context, r *Run) {
			if runs++; runs == 1 {
				r.End(Outcome{Result: json.RawMessage(`{"run":1}`)})
				return
			}
			<-finish
			r.End(Outcome{Result: json.RawMessage(`{"run":2}`)})
		})
		r := newRecord(true)
		if err := e.Create(t.Context(), r, time.Hour); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		other := takeFrom(t, shared, "other", status(t, shared, r.ID).Version)
		other.Release(time.Now())
		if err := shared.Swap(t.Context(), other, nil, e.limits); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if runs != 2 {
			t.Fatalf("%d runs, want 2", runs)
		}
		store.refuse.Store(nil)
		time.Sleep(20 * time.Second)
		if got := status(t, shared, r.ID); got.Status != task.Working {
			t.Errorf("%s, result %s: the first run has ended the second", got.Status, got.Result)
		}
		close(finish)
		synctest.Wait()
		if got := status(t, shared, r.ID); string(got.Result) != `{"run":2}` {
			t.Errorf("%s, result %s", got.Status, got.Result)
		}
	})
}

// A task whose runs never come to an end is given up.
func TestInterruptedOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := new(task.Memory)
		runs := 0
		e := newEngine(t, task.Options{Store: shared}, func(context.Context, *Run) { runs++ })
		r := newRecord(true)
		if err := e.Create(t.Context(), r, time.Hour); err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Minute)
		got := status(t, shared, r.ID)
		if got.Status != task.Failed || string(got.Error) != string(interrupted) || runs != maxInterrupted {
			t.Errorf("%s after %d runs, want %d", got.Status, runs, maxInterrupted)
		}
	})
}

// A store has kept a task and says that it has not. It is cancelled, for its client does not know of it.
func TestWithdraw(t *testing.T) {
	t.Attr("requirements", "task-created")
	synctest.Test(t, func(t *testing.T) {
		shared := new(task.Memory)
		runs := 0
		e := newEngine(t, task.Options{Store: &refusing{Store: shared, lies: true}}, func(context.Context, *Run) { runs++ })
		r := newRecord(true)
		if err := e.Create(t.Context(), r, time.Hour); !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		if got := status(t, shared, r.ID); got.Status != task.Cancelled || runs != 0 {
			t.Errorf("%s after %d runs", got.Status, runs)
		}
		if n := e.Counts(); n.Created.Load() != 1 || n.Ended[labels.TaskCancelled].Load() != 1 {
			t.Errorf("%d tasks created, %d cancelled", n.Created.Load(), n.Ended[labels.TaskCancelled].Load())
		}
	})
}

// The time of a task ends while its handler runs: so does the context of the handler, and nobody finds the task.
func TestExpiresWhileItRuns(t *testing.T) {
	t.Attr("requirements", "task-bounds")
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		e := newEngine(t, task.Options{}, func(ctx context.Context, _ *Run) {
			<-ctx.Done()
			ended <- context.Cause(ctx)
		})
		r := newRecord(false)
		if err := e.Create(t.Context(), r, 10*time.Second); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		select {
		case err := <-ended:
			if !errors.Is(err, task.ErrNotFound) {
				t.Error(err)
			}
		default:
			t.Error("the handler runs on")
		}
		if _, err := e.Get(t.Context(), r.ID); !errors.Is(err, task.ErrNotFound) {
			t.Errorf("Get of a task that has expired: %v", err)
		}
	})
}

// A task that was answered while there was no room for it runs as soon as there is, and was not interrupted.
func TestAnsweredWithoutRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine(t, task.Options{MaxRunning: 1}, func(_ context.Context, r *Run) {
			switch record := r.Record(); {
			case record.Tool == "long":
				time.Sleep(time.Second)
				r.End(Outcome{Result: json.RawMessage(`{}`)})
			case record.Answers == nil:
				r.End(Outcome{Asked: []byte(`{"q":{}}`)})
			default:
				r.End(Outcome{Result: record.Answers})
			}
		})
		asks, long := newRecord(true), newRecord(true)
		long.Tool = "long"
		for _, r := range []*task.Record{asks, long} {
			if err := e.Create(t.Context(), r, time.Hour); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		err := e.Update(t.Context(), asks.ID, func(r *task.Record) bool {
			r.Asked, r.Answers = nil, json.RawMessage(`{"q":1}`)
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(1500 * time.Millisecond)
		got, err := e.Get(t.Context(), asks.ID)
		if err != nil || got.Status != task.Completed || got.Runs != 0 {
			t.Errorf("%s, interrupted %d times, %v", got.Status, got.Runs, err)
		}
	})
}
