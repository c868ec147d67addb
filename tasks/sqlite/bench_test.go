package sqlitetasks_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
	sqlitetasks "github.com/mcpgen/mcpgen/tasks/sqlite"
)

func openB(b *testing.B) *sqlitetasks.Store {
	b.Helper()
	s, err := sqlitetasks.Open(b.Context(), filepath.Join(b.TempDir(), "tasks.sqlite"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return s
}

func taskB(b *testing.B, n int, leased bool) *task.Record {
	b.Helper()
	now := task.Time(time.Now())
	r := &task.Record{ID: fmt.Sprintf("A%020d", n), Principal: fmt.Sprintf("p%d", n%100), Status: task.Working,
		Tool: "index", Args: []byte(`{}`), Created: now, Updated: now, LeaseUntil: now, Expires: now.Add(time.Hour)}
	if leased {
		r.Lease("owner", now.Add(time.Hour))
	}
	return r
}

// BenchmarkTask is the life of a task: created, claimed, begun, and completed with 2 KiB. Each is on the disk.
func BenchmarkTask(b *testing.B) {
	s := openB(b)
	limits := task.Limits{PerPrincipal: 1e6, Total: 1e6}
	n := 0
	for b.Loop() {
		n++
		if err := s.Create(b.Context(), taskB(b, n, false), limits); err != nil {
			b.Fatal(err)
		}
		r, err := s.Claim(b.Context(), "a", time.Now().Add(time.Second), time.Now().Add(time.Minute))
		if err != nil {
			b.Fatal(err)
		}
		r.Begun = true
		if err := s.Swap(b.Context(), r); err != nil {
			b.Fatal(err)
		}
		r.Status, r.Result = task.Completed, fmt.Appendf(nil, `"%02048d"`, n)
		if err := s.Swap(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNothingToClaim looks for a task to run while 10,000 have owners.
func BenchmarkNothingToClaim(b *testing.B) {
	s := openB(b)
	limits := task.Limits{PerPrincipal: 1e6, Total: 1e6}
	for n := range 10_000 {
		if err := s.Create(b.Context(), taskB(b, n, true), limits); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := s.Claim(b.Context(), "a", time.Now(), time.Now().Add(time.Minute)); !errors.Is(err, task.ErrNotFound) {
			b.Fatal(err)
		}
	}
}
