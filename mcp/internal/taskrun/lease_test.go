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
