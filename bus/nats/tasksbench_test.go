package natsbus_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/bus/nats"
	"github.com/mcpgen/mcpgen/mcp/task"
)

func tasksB(b *testing.B) *natsbus.Tasks {
	b.Helper()
	conn, err := natsbus.Connect("nats://" + startB(b).Addr)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		b.Fatal(err)
	}
	s, err := natsbus.NewTasks(js, "bench", natsbus.TasksOptions{})
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func taskB(b *testing.B, n int, leased bool) *task.Record {
	b.Helper()
	now := task.Time(time.Now())
	r := &task.Record{Body: task.Body{Args: []byte(`{}`)}, Head: task.Head{
		ID: fmt.Sprintf("A%020d", n), Principal: fmt.Sprintf("p%d", n%100), Status: task.Working, Tool: "index",
		Created: now, Updated: now, LeaseUntil: now, Expires: now.Add(time.Hour),
	}}
	if leased {
		r.Lease("owner", now.Add(time.Hour))
	}
	return r
}

// BenchmarkTask is the life of a task: created, claimed, begun, and completed with 2 KiB.
func BenchmarkTask(b *testing.B) {
	s := tasksB(b)
	limits := task.Limits{PerPrincipal: 1e6, Total: 1e6}
	n := 0
	for b.Loop() {
		n++
		if err := s.Create(b.Context(), taskB(b, n, false), limits); err != nil {
			b.Fatal(err)
		}
		now := time.Now()
		h, _, err := s.Claim(b.Context(), task.Claim{Owner: "a", Now: now.Add(time.Second), Until: now.Add(time.Minute)})
		if err != nil {
			b.Fatal(err)
		}
		h.Begun = true
		if err := s.Swap(b.Context(), h, nil, limits); err != nil {
			b.Fatal(err)
		}
		h.Status = task.Completed
		if err := s.Swap(b.Context(), h, &task.Body{Result: fmt.Appendf(nil, `"%02048d"`, n)}, limits); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNothingToClaim looks for a task to run while 10,000 have owners.
func BenchmarkNothingToClaim(b *testing.B) {
	s := tasksB(b)
	limits := task.Limits{PerPrincipal: 1e6, Total: 1e6}
	for n := range 10_000 {
		if err := s.Create(b.Context(), taskB(b, n, true), limits); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		now := time.Now()
		_, _, err := s.Claim(b.Context(), task.Claim{Owner: "a", Now: now, Until: now.Add(time.Minute)})
		if !errors.Is(err, task.ErrNotFound) {
			b.Fatal(err)
		}
	}
}
