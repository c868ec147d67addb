package sqlitetasks_test

import (
	"database/sql"
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
	r := &task.Record{Body: task.Body{Args: []byte(`{}`)}, Head: task.Head{
		ID: fmt.Sprintf("A%020d", n), Principal: fmt.Sprintf("p%d", n%100), Status: task.Working, Tool: "index",
		Created: now, Updated: now, LeaseUntil: now, Expires: now.Add(time.Hour),
	}}
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
	s := openB(b)
	limits := task.Limits{PerPrincipal: 1e6, Total: 1e6}
	for n := range 10_000 {
		if err := s.Create(b.Context(), taskB(b, n, true), limits); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		now := time.Now()
		_, _, err := s.Claim(b.Context(), task.Claim{Owner: "a", Now: now, Until: now.Add(time.Minute), Still: 1})
		if !errors.Is(err, task.ErrNotFound) {
			b.Fatal(err)
		}
	}
}

// BenchmarkCreate creates a task among as many.
func BenchmarkCreate(b *testing.B) {
	for _, n := range []int{10, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			file := filepath.Join(b.TempDir(), "tasks.sqlite")
			s, err := sqlitetasks.Open(b.Context(), file)
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			db, err := sql.Open("sqlite", file)
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			_, err = db.ExecContext(b.Context(), `
				WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT ?)
				INSERT INTO tasks (id, principal, status, lease_until, expires, version, record)
				SELECT printf('Z%020d', value), printf('p%d', value % 100), 'working', 9000000000000, 9000000000000, 1, x'7b7d'
				FROM n`, n)
			if err != nil {
				b.Fatal(err)
			}
			i := 0
			for b.Loop() {
				i++
				limits := task.Limits{PerPrincipal: 1e6, Total: 1e7}
				if err := s.Create(b.Context(), taskB(b, i, false), limits); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
