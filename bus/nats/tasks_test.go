package natsbus_test

import (
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/bus/nats"
	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/task/taskstoretest"
)

func newTasks(address string, options natsbus.TasksOptions) func(t *testing.T) task.Store {
	return func(t *testing.T) task.Store {
		t.Helper()
		js, err := jetstream.New(connect(t, address))
		if err != nil {
			t.Fatal(err)
		}
		store, err := natsbus.NewTasks(js, "tasks", options)
		if err != nil {
			t.Fatal(err)
		}
		return store
	}
}

func TestTasks(t *testing.T) {
	b := start(t, "")
	taskstoretest.Run(t, newTasks(b.Addr, natsbus.TasksOptions{}))
}

func TestTasksFaults(t *testing.T) {
	b := start(t, "")
	taskstoretest.RunFaults(t, newTasks(b.Addr, natsbus.TasksOptions{}), taskstoretest.Faults{
		Stop:   func(t *testing.T) { do(t, b.Kill) },
		Start:  func(t *testing.T) { do(t, func() error { return b.Start(t.Context()) }) },
		Pause:  func(t *testing.T) { do(t, b.Pause) },
		Resume: func(t *testing.T) { do(t, b.Resume) },
	})
}

// A bucket that is full says so, and what is in it stays.
func TestTasksFull(t *testing.T) {
	b := start(t, "")
	store := newTasks(b.Addr, natsbus.TasksOptions{MaxBytes: 64 << 10})(t)
	now := task.Time(time.Now())
	limits := task.Limits{PerPrincipal: 1000, Total: 1000}
	r := &task.Record{Head: task.Head{ID: "A", Principal: "p", Status: task.Working, LeaseUntil: now,
		Expires: now.Add(time.Hour)}}
	if err := store.Create(limit(t), r, limits); err != nil {
		t.Fatal(err)
	}
	large := *r
	large.Checkpoint = make([]byte, 100<<10)
	if err := store.Swap(limit(t), &large.Head, &large.Body, limits); !errors.Is(err, task.ErrFull) {
		t.Errorf("Swap in a bucket that is full: %v", err)
	}
	large.ID = "B"
	if err := store.Create(limit(t), &large, limits); !errors.Is(err, task.ErrFull) {
		t.Errorf("Create in a bucket that is full: %v", err)
	}
	got, _, err := store.Claim(limit(t), task.Claim{Owner: "a", Now: now, Until: now.Add(time.Minute)})
	if err != nil || got.ID != "A" {
		t.Errorf("Claim: %v", err)
	}
}
