package taskrun

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// outcomes returns an engine whose handlers end with an outcome at once.
func outcomes(t *testing.T, o task.Options, outcome Outcome) *Engine {
	e := New(Config{
		Options: o, Log: slog.New(slog.DiscardHandler), Known: func(string) bool { return true }, Changed: func(string) {},
		Run: func(_ context.Context, r *Run) { r.End(outcome) },
	})
	e.Begin()
	t.Cleanup(func() { e.Close(time.Millisecond) })
	return e
}

// The largest arguments and the largest result of a task fit into its store, whatever their characters are.
func TestLargest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := []byte(`"` + strings.Repeat("<", 4<<20-2) + `"`)
		e := outcomes(t, task.Options{MaxResultBytes: 4 << 20}, Outcome{Result: text})
		r := newRecord(true)
		r.Args = text
		if err := e.Create(t.Context(), r, time.Hour); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		got, err := e.Get(t.Context(), r.ID)
		if err != nil || got.Status != task.Completed || len(got.Result) != len(text) || got.Args != nil {
			t.Errorf("%s, %d bytes, %v", got.Status, len(got.Result), err)
		}
	})
}

// A task for whose outcome there is no room fails, and gives its place back.
func TestNoRoom(t *testing.T) {
	large := []byte(`"` + strings.Repeat("x", 1<<20-2) + `"`)
	for name, outcome := range map[string]Outcome{
		"result":    {Result: large},
		"error":     {Error: wire.NewError(1, string(large))},
		"questions": {Asked: []byte(`{"q":` + string(large) + `}`)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := outcomes(t, task.Options{MaxBytes: 1 << 20}, outcome)
				r := newRecord(true)
				if err := e.Create(t.Context(), r, time.Hour); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second)
				got, err := e.Get(t.Context(), r.ID)
				if err != nil || got.Status != task.Failed || string(got.Error) != string(errNoRoom.AppendJSON(nil)) {
					t.Errorf("%s %s, %v", got.Status, got.Error, err)
				}
				if e.Running() != 0 {
					t.Error("it keeps its place")
				}
			})
		})
	}
}

// unsure is a store that reports an error for a swap that it has made, or makes somebody else change the record first.
type unsure struct {
	task.Store
	lies, busy atomic.Int64
}

func (u *unsure) Swap(ctx context.Context, h *task.Head, b *task.Body, limits task.Limits) error {
	if u.busy.Add(-1) >= 0 {
		other, err := u.Head(ctx, h.ID)
		if err != nil {
			return err
		}
		if err := u.Store.Swap(ctx, other, nil, limits); err != nil {
			return err
		}
	}
	err := u.Store.Swap(ctx, h, b, limits)
	if err == nil && u.lies.Add(-1) >= 0 {
		h.Version--
		return errors.New("the connection was lost")
	}
	return err
}

// An outcome counts once, however often its write is tried, and those who wait learn of it.
func TestOutcomeCountsOnce(t *testing.T) {
	for name, u := range map[string]*unsure{"lies": {}, "busy": {}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				u.Store = new(task.Memory)
				var changed atomic.Int64
				e := outcomes(t, task.Options{Store: u}, Outcome{Result: []byte(`{}`)})
				e.Changed = func(string) { changed.Add(1) }
				if name == "lies" {
					u.lies.Store(1)
				} else {
					u.busy.Store(3)
				}
				if err := e.Create(t.Context(), newRecord(true), time.Hour); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second)
				if n := e.Counts().Ended[labels.TaskCompleted].Load(); n != 1 {
					t.Errorf("the outcome counts %d times", n)
				}
				if n := changed.Load(); n != 1 {
					t.Errorf("%d changes were reported, want 1", n)
				}
			})
		})
	}
}
