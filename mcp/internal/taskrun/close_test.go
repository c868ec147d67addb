package taskrun

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

const grace = 10 * time.Second

// closes closes a process in the middle of a task, and returns how long that has taken.
func closes(t *testing.T, p *process, restart bool) (id string, took time.Duration) {
	t.Helper()
	r := newRecord(restart)
	if err := p.Create(t.Context(), r, time.Hour); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	began := time.Now()
	p.Close(grace)
	return r.ID, time.Since(began)
}

// A server that closes gives what may run again back at once, and another process goes on with it at once. What must
// not run twice has the time of grace, and is then interrupted.
func TestClose(t *testing.T) {
	for _, restart := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			shared := new(task.Memory)
			a, b := newProcess(t, shared, 0, false), newProcess(t, shared, 0, false)
			a.Left = b.Claim
			time.Sleep(time.Millisecond)
			id, took := closes(t, a, restart)
			switch got := status(t, shared, id); {
			case restart && (took != 0 || got.Status != task.Working):
				t.Errorf("%s after %v", got.Status, took)
			case !restart && (took != grace || string(got.Error) != string(interrupted)):
				t.Errorf("%s, error %s, after %v", got.Status, got.Error, took)
			}
			synctest.Wait()
			if n := b.Running(); restart != (n == 1) {
				t.Errorf("restart %v: %d run at the other process", restart, n)
			}
			time.Sleep(time.Minute)
			if n := b.ended.Load(); restart != (n == 1) {
				t.Errorf("restart %v: %d ran to the end at the other process", restart, n)
			}
		})
	}
}

// What may run again waits, as all other tasks, if it would be gone with the process.
func TestCloseOfMemory(t *testing.T) {
	for _, takes := range []time.Duration{5 * time.Second, time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			e := New(Config{
				Log: slog.New(slog.DiscardHandler), Known: func(string) bool { return true }, Changed: func(string) {},
				Run: func(ctx context.Context, r *Run) {
					select {
					case <-time.After(takes):
						r.End(Outcome{Result: []byte(`{}`)})
					case <-ctx.Done():
					}
				},
			})
			e.Begin()
			r := newRecord(true)
			if err := e.Create(t.Context(), r, time.Hour); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			e.Close(grace)
			if took := time.Since(began); took != min(takes, grace) {
				t.Errorf("closed after %v", took)
			}
			got := status(t, e.store, r.ID)
			if ended := got.Status == task.Completed; ended != (takes < grace) {
				t.Errorf("a task of %v is %s", takes, got.Status)
			}
			if err := e.Create(t.Context(), newRecord(true), time.Hour); !errors.Is(err, ErrClosed) {
				t.Errorf("Create after Close: %v", err)
			}
		})
	}
}

// A handler can save how far it is once it notices that the server closes, and the next run goes on from there. Until
// it has returned, nobody else runs the task.
func TestCheckpointAtClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := new(task.Memory)
		a, b := newProcess(t, shared, 0, false), newProcess(t, shared, 0, false)
		a.Left = b.Claim
		a.Run = func(ctx context.Context, r *Run) {
			<-ctx.Done()
			time.Sleep(3 * time.Second)
			if b.Running() != 0 {
				t.Error("two processes run the task")
			}
			if err := r.SaveCheckpoint(make([]byte, 5)); err != nil {
				t.Error(err)
			}
		}
		id, took := closes(t, a, true)
		if took != 3*time.Second {
			t.Errorf("closed after %v", took)
		}
		synctest.Wait()
		if got := status(t, shared, id); got.Status != task.Completed || b.ended.Load() != 1 {
			t.Errorf("%s, with %d runs", got.Status, b.ended.Load())
		}
	})
}

// A call that becomes a task while the server closes is left to others. Who waits for a task that does not run here
// waits no longer.
func TestWhileClosing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := new(task.Memory)
		a, b := newProcess(t, shared, 0, false), newProcess(t, shared, 0, false)
		a.Left = b.Claim
		a.takes, b.takes = grace/2, time.Hour
		there, here := newRecord(false), newRecord(false)
		for p, r := range map[*process]*task.Record{b: there, a: here} {
			if err := p.Create(t.Context(), r, 2*time.Hour); err != nil {
				t.Fatal(err)
			}
		}
		waits := func(r *task.Record) <-chan error {
			c := make(chan error, 1)
			go func() {
				_, err := a.Wait(t.Context(), r.ID, func(h *task.Head) bool { return h.Status.Final() })
				c <- err
			}()
			return c
		}
		forThere, forHere := waits(there), waits(here)
		go a.Close(time.Minute)
		synctest.Wait()
		if err := <-forThere; !errors.Is(err, ErrClosed) {
			t.Errorf("the wait for a task of another process: %v", err)
		}
		r := newRecord(false)
		if err := a.Create(t.Context(), r, time.Hour); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if got := status(t, shared, r.ID); got.Owner != b.owner {
			t.Errorf("a new task is run by %q", got.Owner)
		}
		if err := <-forHere; err != nil {
			t.Errorf("the wait for a task of this process: %v", err)
		}
	})
}

// Once a server closes, nobody goes on waiting for a task whose handler has asked the client and returned.
func TestWaitAtClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asks, returns := make(chan struct{}), make(chan struct{})
		e := newEngine(t, task.Options{}, func(_ context.Context, r *Run) {
			<-asks
			r.End(Outcome{Asked: []byte(`{"q":{}}`)})
			<-returns
		})
		r := newRecord(true)
		if err := e.Create(t.Context(), r, time.Hour); err != nil {
			t.Fatal(err)
		}
		waited := make(chan error, 1)
		go func() {
			_, err := e.Wait(context.Background(), r.ID, func(h *task.Head) bool { return h.Status.Final() })
			waited <- err
		}()
		go e.Close(grace)
		synctest.Wait()
		close(asks)
		synctest.Wait() // who waits has seen the question
		began := time.Now()
		close(returns)
		if err, took := <-waited, time.Since(began); !errors.Is(err, ErrClosed) || took > 0 {
			t.Errorf("told after %v: %v", took, err)
		}
	})
}

// A handler that may run again and fails because the server closes has not failed: it runs again elsewhere. One that
// must not run twice has failed.
func TestFailureAtClose(t *testing.T) {
	for name, failed := range map[string]Outcome{
		"tool error": {Result: []byte(`{}`), IsError: true}, "error": {Error: wire.NewError(wire.CodeInternal, "gone")},
	} {
		for _, restart := range []bool{true, false} {
			t.Run(fmt.Sprint(name, " ", restart), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					shared := new(task.Memory)
					e := newEngine(t, task.Options{Store: struct{ task.Store }{shared}}, func(ctx context.Context, r *Run) {
						<-ctx.Done()
						r.End(failed)
					})
					r := newRecord(restart)
					if err := e.Create(t.Context(), r, time.Hour); err != nil {
						t.Fatal(err)
					}
					e.Close(grace)
					got := status(t, shared, r.ID)
					if again := got.Claimable(time.Now(), 0) && !got.Begun; again != restart {
						t.Errorf("%s, can be claimed: %v", got.Status, again)
					}
				})
			})
		}
	}
}

// pausing is a store whose Swap waits for a second, and looks at its context then.
type pausing struct{ task.Store }

func (p pausing) Swap(ctx context.Context, h *task.Head, b *task.Body, limits task.Limits) error {
	time.Sleep(time.Second)
	if err := ctx.Err(); err != nil {
		return err
	}
	return p.Store.Swap(ctx, h, b, limits)
}

// A checkpoint that is being written when the server closes is kept.
func TestCheckpointWhileClosing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared, saved := new(task.Memory), make(chan error, 1)
		e := newEngine(t, task.Options{Store: pausing{shared}}, func(ctx context.Context, r *Run) {
			saved <- r.SaveCheckpoint([]byte("half"))
			<-ctx.Done()
		})
		r := newRecord(true)
		if err := e.Create(t.Context(), r, time.Hour); err != nil {
			t.Fatal(err)
		}
		time.Sleep(500 * time.Millisecond)
		e.Close(grace)
		got := status(t, shared, r.ID)
		if err := <-saved; err != nil || got.Checkpoint == nil || !got.Claimable(time.Now(), 0) {
			t.Errorf("%v, checkpoint %q, %s", err, got.Checkpoint, got.Status)
		}
	})
}
