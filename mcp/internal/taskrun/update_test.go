package taskrun

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// hooked is a store that calls a function around swaps that make a task work.
type hooked struct {
	task.Store
	before, after atomic.Pointer[func()] // called once, at the next one
}

func once(f *atomic.Pointer[func()]) {
	if f := f.Swap(nil); f != nil {
		(*f)()
	}
}

func (s *hooked) Swap(ctx context.Context, h *task.Head, b *task.Body, limits task.Limits) error {
	if h.Status != task.Working {
		return s.Store.Swap(ctx, h, b, limits)
	}
	once(&s.before)
	err := s.Store.Swap(ctx, h, b, limits)
	if err == nil {
		once(&s.after)
	}
	return err
}

// asking is an engine with a task that asks once, and works until it may finish once it was answered.
type asking struct {
	*Engine
	store  *hooked
	id     string
	began  atomic.Int64 // handlers that have the answer
	ended  atomic.Int64 // of these, those whose contexts have ended
	finish chan struct{}
}

func newAsking(t *testing.T, o task.Options) *asking { return newAskingOver(t, new(task.Memory), o) }

func newAskingOver(t *testing.T, s task.Store, o task.Options) *asking {
	x := &asking{store: &hooked{Store: s}, finish: make(chan struct{})}
	o.Store = x.store
	x.Engine = newEngine(t, o, func(ctx context.Context, r *Run) {
		if r.Record().Answers == nil {
			r.End(Outcome{Asked: []byte(`{"q":{}}`)})
			return
		}
		x.began.Add(1)
		select {
		case <-x.finish:
			r.End(Outcome{Result: json.RawMessage(`{}`)})
		case <-ctx.Done():
			x.ended.Add(1)
		}
	})
	x.id = x.create(t, newRecord(true))
	return x
}

func (x *asking) create(t *testing.T, r *task.Record) string {
	t.Helper()
	if err := x.Create(t.Context(), r, time.Hour); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	return r.ID
}

func (x *asking) answer(t *testing.T) {
	t.Helper()
	err := x.Update(t.Context(), x.id, func(r *task.Record) bool {
		r.Asked, r.Answers = nil, json.RawMessage(`{"q":1}`)
		return true
	})
	if err != nil {
		t.Error(err)
	}
}

func (x *asking) status(t *testing.T) *task.Record {
	t.Helper()
	return status(t, x.store, x.id)
}

// Of two updates at the same moment the one that comes too late does not hold up the run: it begins at once, also if
// there is room for one only.
func TestUpdatesAtOnce(t *testing.T) {
	for _, room := range []int{1, 2, 0} {
		synctest.Test(t, func(t *testing.T) {
			x := newAsking(t, task.Options{MaxRunning: room})
			late := make(chan struct{})
			wait := func() { <-late }
			x.store.before.Store(&wait)
			go x.answer(t)
			synctest.Wait()
			x.answer(t)
			close(late)
			synctest.Wait()
			if n, waits := x.began.Load(), x.counts.Deferred.Load(); n != 1 || waits != 0 {
				t.Errorf("room for %d: %d runs have begun, want 1; deferred %d times", room, n, waits)
			}
			close(x.finish)
			time.Sleep(time.Minute)
			if r := x.status(t); r.Status != task.Completed || r.Runs != 0 {
				t.Errorf("%s, interrupted %d times", r.Status, r.Runs)
			}
		})
	}
}

// A store has kept questions and says that it has not, and the client has answered them before the next try, when there
// is no room to go on. They are not asked again.
func TestAnsweredBeforeAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lying := &unsure{Store: new(task.Memory)}
		lying.lies.Store(1)
		x := newAskingOver(t, lying, task.Options{MaxRunning: 1})
		x.answer(t)
		close(x.finish)
		time.Sleep(time.Minute)
		if r := x.status(t); r.Status != task.Completed || r.Runs != 0 {
			t.Errorf("%s, interrupted %d times", r.Status, r.Runs)
		}
	})
}

// A task that is cancelled just when it was answered does not go on, though its handler has not begun yet then.
func TestUpdateThenCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newAsking(t, task.Options{})
		cancel := func() {
			if _, err := x.Cancel(t.Context(), x.id); err != nil {
				t.Error(err)
			}
		}
		x.store.after.Store(&cancel)
		x.answer(t)
		synctest.Wait()
		if x.Running() != 0 || x.began.Load() != x.ended.Load() {
			t.Error("the handler of a task runs that was cancelled")
		}
	})
}

// The room for an answered task goes to another one before it can take it: it runs later, and was not interrupted.
func TestUpdateLosesItsRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newAsking(t, task.Options{MaxRunning: 1})
		other := newRecord(true)
		other.Answers = json.RawMessage(`{}`)
		takes := func() { x.create(t, other) }
		x.store.after.Store(&takes)
		x.answer(t)
		synctest.Wait()
		if n := x.began.Load(); n != 1 {
			t.Fatalf("%d runs have begun, want that of the other task", n)
		}
		close(x.finish)
		time.Sleep(2 * claimEvery)
		synctest.Wait()
		if r := x.status(t); r.Status != task.Completed || r.Runs != 0 {
			t.Errorf("%s, interrupted %d times", r.Status, r.Runs)
		}
	})
}
