package taskrun

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// work is what handlers of a second have done.
type work struct {
	start time.Time

	mu    sync.Mutex
	began map[string]int             // runs by id
	ended map[string][]time.Duration // by principal, when their runs have ended
}

func newWork() *work {
	return &work{start: time.Now(), began: make(map[string]int), ended: make(map[string][]time.Duration)}
}

func (w *work) run(ctx context.Context, r *Run) {
	record := r.Record()
	w.mu.Lock()
	w.began[record.ID]++
	w.mu.Unlock()
	if record.Principal == "endless" {
		<-ctx.Done()
		return
	}
	time.Sleep(time.Second)
	w.mu.Lock()
	w.ended[record.Principal] = append(w.ended[record.Principal], time.Since(w.start))
	w.mu.Unlock()
	r.End(Outcome{Result: []byte(`{}`)})
}

// by returns how many tasks of a principal have ended by a time.
func (w *work) by(principal string, d time.Duration) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, at := range w.ended[principal] {
		if at <= d {
			n++
		}
	}
	return n
}

// twice returns the ids of tasks that have run more than once.
func (w *work) twice() (ids []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, n := range w.began {
		if n > 1 {
			ids = append(ids, id)
		}
	}
	return ids
}

// createOf makes n tasks of a principal.
func createOf(t *testing.T, e *Engine, principal string, n int) {
	t.Helper()
	for range n {
		r := newRecord(true)
		r.Principal = principal
		if err := e.Create(t.Context(), r, time.Hour); err != nil {
			t.Fatal(err)
		}
	}
}

// many lets 64 tasks run, half of them of one principal.
var many = task.Options{MaxRunning: 64, MaxPerPrincipal: 1000}

// Tasks that wait run as soon as there is room for them, and are left where they are until then.
func TestWaitingRunAtOnce(t *testing.T) {
	for _, shared := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			o := many
			if shared {
				o.Store = new(task.Memory)
			}
			w := newWork()
			e := newEngine(t, o, w.run)
			createOf(t, e, "p", 200)
			time.Sleep(7500 * time.Millisecond)
			for i := range 7 {
				at := time.Duration(i+1)*time.Second + 100*time.Millisecond
				if n := w.by("p", at); n != min(200, 32*(i+1)) {
					t.Errorf("shared %v: %d have ended after %v, want %d", shared, n, at, min(200, 32*(i+1)))
				}
			}
			if ids := w.twice(); ids != nil {
				t.Errorf("%d tasks ran more than once", len(ids))
			}
		})
	}
}

// A principal whose tasks do not end has half of the room, and what it has waiting delays nobody.
func TestWaitingDelayNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWork()
		e := newEngine(t, many, w.run)
		createOf(t, e, "endless", 500)
		createOf(t, e, "p", 100)
		time.Sleep(6 * time.Second)
		if n := w.by("p", 5100*time.Millisecond); n != 100 {
			t.Errorf("%d of 100 have ended after 5 seconds", n)
		}
		time.Sleep(2 * sweepEvery) // which claims what cannot run
		createOf(t, e, "q", 64)
		from := time.Since(w.start)
		time.Sleep(5 * time.Second)
		if n := w.by("q", from+4100*time.Millisecond); n != 64 {
			t.Errorf("%d of 64 have ended after 4 seconds", n)
		}
	})
}

// Two processes have twice the room of one, and each task runs in one of them.
func TestWaitingInTwoProcesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWork()
		o := many
		o.Store = new(task.Memory)
		a, b := newEngine(t, o, w.run), newEngine(t, o, w.run)
		a.Left, b.Left = b.Claim, a.Claim
		createOf(t, a, "p", 240)
		time.Sleep(2 * time.Minute)
		if n := w.by("p", 4100*time.Millisecond); n != 240 {
			t.Errorf("%d of 240 have ended after 4 seconds", n)
		}
		if ids := w.twice(); ids != nil {
			t.Errorf("%d tasks ran more than once", len(ids))
		}
	})
}

// What a process has left unfinished that has died is told to be interrupted, although its principal has no room.
func TestWaitingAreInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWork()
		o := many
		o.Store = new(task.Memory)
		e := newEngine(t, o, w.run)
		createOf(t, e, "endless", 100)
		now := task.Time(time.Now())
		r := newRecord(false)
		r.ID, r.Principal, r.Status, r.Begun = newID(now), "endless", task.Working, true
		r.Created, r.Updated, r.Expires = now, now, now.Add(time.Hour)
		r.Lease("dead", now.Add(time.Second))
		if err := o.Store.Create(t.Context(), r, task.Limits{PerPrincipal: 1000, Total: 1000}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(leaseTime + 2*sweepEvery)
		got, err := e.Get(t.Context(), r.ID)
		if err != nil || got.Status != task.Failed || e.counts.Ended[labels.TaskInterrupted].Load() != 1 {
			t.Errorf("%v, %v", got, err)
		}
	})
}

// What waits keeps its order, also of many for long: nobody touches it while there is no room for it.
func TestWaitingKeepTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var began []string
		full := make(chan struct{})
		o := task.Options{Store: new(task.Memory), MaxRunning: 2, MaxPerPrincipal: 1000}
		e := newEngine(t, o, func(_ context.Context, r *Run) {
			mu.Lock()
			began = append(began, r.ID())
			mu.Unlock()
			<-full
			r.End(Outcome{Result: []byte(`{}`)})
		})
		for range 2 * maxClaims {
			createOf(t, e, "p", 1)
			time.Sleep(time.Millisecond)
		}
		time.Sleep(2*leaseTime + 3*sweepEvery)
		close(full)
		time.Sleep(time.Minute)
		mu.Lock()
		defer mu.Unlock()
		if len(began) != 2*maxClaims || !slices.IsSorted(began) {
			t.Errorf("%d of %d have run, in order: %v", len(began), 2*maxClaims, slices.IsSorted(began))
		}
	})
}

// When a server closes, what waits does not begin.
func TestWaitingAtClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWork()
		e := newEngine(t, task.Options{MaxRunning: 8}, w.run)
		createOf(t, e, "p", 10)
		time.Sleep(1500 * time.Millisecond)
		e.Close(grace)
		if ended := w.ended["p"]; len(w.began) != 8 || len(ended) != 8 || slices.Max(ended) > 2100*time.Millisecond {
			t.Errorf("%d have begun, and ended at %v", len(w.began), ended)
		}
	})
}
