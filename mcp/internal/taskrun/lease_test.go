package taskrun

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// The store of an owner fails, at once or by hanging. The context of the handler ends while its last lease still holds,
// so that the next owner never runs beside it.
func TestLapse(t *testing.T) {
	for _, hangs := range []bool{false, true} {
		for _, ms := range []int{0, 9000, 11000, 19999, 25000} {
			from := time.Duration(ms) * time.Millisecond
			t.Run(fmt.Sprintf("hangs=%v from=%v", hangs, from), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { lapse(t, hangs, from) })
			})
		}
	}
}

func lapse(t *testing.T, hangs bool, from time.Duration) {
	memory := new(task.Memory)
	store := &failing{Store: memory}
	store.left.Store(1 << 60)
	ended := make(chan time.Time, 1)
	e := New(Config{
		Options: task.Options{Store: store}, Log: slog.New(slog.DiscardHandler),
		Known: func(string) bool { return true }, Changed: func(string) {},
		Run: func(ctx context.Context, _ *Run) {
			<-ctx.Done()
			ended <- time.Now()
		},
	})
	e.Begin()
	defer e.Close(time.Millisecond)
	r := newRecord(true)
	if err := e.Create(t.Context(), r, time.Hour); err != nil {
		t.Fatal(err)
	}
	time.Sleep(from)
	synctest.Wait()
	if hangs {
		hung := make(chan struct{})
		store.paused.Store(&hung)
		defer close(hung)
	} else {
		store.left.Store(0)
	}
	lease := status(t, memory, r.ID).LeaseUntil
	if at := <-ended; !at.Before(lease) {
		t.Errorf("the context of the handler ends %v after the lease", at.Sub(lease))
	}
}

// Logs do not have the id of a task, by which anybody could ask for its result whose caller has no subject.
func TestLogsHaveNoID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text bytes.Buffer
		store := &failing{Store: new(task.Memory)}
		store.left.Store(1 << 60)
		e := outcomes(t, task.Options{Store: store}, Outcome{})
		e.Log = slog.New(slog.NewTextHandler(&text, nil))
		e.Run = func(ctx context.Context, r *Run) {
			r.SetStatus("going on")
			time.Sleep(5 * time.Second)
			r.End(Outcome{Result: []byte(`{}`)})
		}
		r := newRecord(true)
		if err := e.Create(t.Context(), r, time.Hour); err != nil {
			t.Fatal(err)
		}
		store.left.Store(0)
		time.Sleep(10 * time.Second)
		e.Close(time.Millisecond)
		got := text.String()
		if strings.Contains(got, r.ID) || strings.Count(got, "task="+logged(r.ID)) < 2 {
			t.Errorf("the id is %s, and the log\n%s", r.ID, got)
		}
		if again := newID(time.Now()); logged(again) == logged(newID(time.Now())) {
			t.Error("logs do not tell two tasks apart")
		}
	})
}

// skewed is a store as a process has it whose clock is off: the times of what it writes and asks are.
type skewed struct {
	task.Store
	by time.Duration
}

func (s skewed) Claim(ctx context.Context, c task.Claim) (*task.Head, uint64, error) {
	c.Now, c.Until = c.Now.Add(s.by), c.Until.Add(s.by)
	return s.Store.Claim(ctx, c)
}

func (s skewed) Swap(ctx context.Context, h *task.Head, b *task.Body, limits task.Limits) error {
	off := *h
	off.LeaseUntil = off.LeaseUntil.Add(s.by)
	err := s.Store.Swap(ctx, &off, b, limits)
	h.Version, h.Size = off.Version, off.Size
	return err
}

// A process whose clock is off by many leases interrupts no task of a healthy one. When it dies, its tasks are taken
// over as soon as others.
func TestClocks(t *testing.T) {
	for _, by := range []time.Duration{-time.Hour / 2, -90 * time.Second, 90 * time.Second, time.Hour / 2} {
		t.Run(by.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				shared := new(task.Memory)
				healthy := newProcess(t, shared, 0, false)
				healthy.takes = 3 * time.Minute
				off := newProcess(t, skewed{shared, by}, 0, false)
				off.takes = healthy.takes
				create := func(p *process, restart bool) string {
					r := newRecord(restart)
					if err := p.Create(t.Context(), r, 2*time.Hour); err != nil {
						t.Fatal(err)
					}
					return r.ID
				}
				ids := []string{create(healthy, false), create(healthy, true), create(off, false), create(off, true)}
				time.Sleep(4 * time.Minute)
				for _, id := range ids {
					if got := status(t, shared, id); got.Status != task.Completed || got.Fence != 1 {
						t.Errorf("%s, error %s, of owner %d", got.Status, got.Error, got.Fence)
					}
				}
				dies := create(off, true)
				time.Sleep(20 * time.Second)
				off.store.left.Store(0)
				time.Sleep(leaseTime + renewEvery + 2*claimEvery)
				if got := status(t, shared, dies); got.Owner != healthy.owner {
					t.Errorf("a task of a process that has died has owner %q, fence %d", got.Owner, got.Fence)
				}
			})
		})
	}
}

// Silence is known after a lease and not before, and forgotten with the store.
func TestSilence(t *testing.T) {
	var s silence
	now := time.Now()
	at := func(seconds int) time.Time { return now.Add(time.Duration(seconds) * time.Second) }
	for i := range 100 {
		s.note(at(i), uint64(100+i))
		got, want := s.still(at(i)), uint64(max(0, 100+i-30))
		if i >= 32 && (got > want || got+2 < want) || i < 30 && got != 0 {
			t.Errorf("after %d seconds version %d, want about %d", i, got, want)
		}
	}
	if len(s.seen) > 60 {
		t.Errorf("%d versions are kept", len(s.seen))
	}
	s.note(at(100), 0)
	s.note(at(101), 7)
	if got := s.still(at(102)); got != 0 {
		t.Errorf("version %d of a store that is new", got)
	}
	if got := s.still(at(131)); got != 7 {
		t.Errorf("version %d of a store that is new, want 7", got)
	}
}
