package sqlitetasks_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
	sqlitetasks "github.com/mcpgen/mcpgen/tasks/sqlite"
)

func execute(t *testing.T, file, text string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), text); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// A file of something else, of a newer program, or that is no database, is refused and stays as it is.
func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, want string }{
		"of something else":    {`CREATE TABLE notes (n)`, "something else"},
		"with another id":      {`PRAGMA application_id = 7`, "something else"},
		"of a newer program":   {`PRAGMA application_id = 1835233396; PRAGMA user_version = 99`, "update it"},
		"with another version": {`PRAGMA user_version = 1`, "something else"},
	} {
		file := filepath.Join(dir, name)
		execute(t, file, c.text)
		s, err := sqlitetasks.Open(t.Context(), file)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("a file %s: %v, want %q", name, err, c.want)
		}
		if err == nil {
			_ = s.Close()
		}
	}
	file := filepath.Join(dir, "text")
	if err := os.WriteFile(file, []byte(strings.Repeat("no database\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlitetasks.Open(t.Context(), file); err == nil {
		t.Error("a text file is taken")
	}
	if _, err := sqlitetasks.Open(t.Context(), filepath.Join(dir, "none", "file")); err == nil {
		t.Error("a file in no folder is taken")
	}
}

// Nobody but its user reads what a file has that was made here.
func TestOpenMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no mode")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "tasks.sqlite")
	s, err := sqlitetasks.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("there are %d files, %v; want the database, its log and its index", len(entries), err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v", e.Name(), info.Mode(), err)
		}
	}
}

// Many open a file at once that is not there.
func TestOpenAtOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tasks.sqlite")
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			s, err := sqlitetasks.Open(t.Context(), file)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := s.Expire(t.Context(), time.Now(), 1); err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
}

// A writer waits for another one, and no longer than its context; readers do not wait.
func TestLocked(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tasks.sqlite")
	s := open(t, file)
	now := task.Time(time.Now())
	r := &task.Record{Head: task.Head{ID: "A", Principal: "p", Status: task.Working, Created: now, Updated: now,
		LeaseUntil: now, Expires: now.Add(time.Hour)}}
	limits := task.Limits{PerPrincipal: 9, Total: 9}
	if err := s.Create(t.Context(), r, limits); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", file+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	for name, err := range map[string]error{
		"Swap":   s.Swap(ctx, &r.Head, nil, limits),
		"Create": s.Create(ctx, &task.Record{Head: task.Head{ID: "B", Principal: "p"}}, limits),
	} {
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s while another process writes: %v", name, err)
		}
	}
	if _, err := s.Get(t.Context(), "A"); err != nil {
		t.Errorf("Get while another process writes: %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Swap(t.Context(), &r.Head, nil, limits) }()
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("Swap after the other process: %v", err)
	}
}

// The queries that run again and again use the indexes.
func TestIndexes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tasks.sqlite")
	open(t, file)
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for query, index := range map[string]string{
		`SELECT record FROM tasks INDEXED BY tasks_to_claim
			WHERE status = 'working' AND lease_until <= 1 AND owned = 0 AND expires > 1
			ORDER BY lease_until LIMIT 1`: "tasks_to_claim",
		`SELECT record FROM tasks INDEXED BY tasks_unchanged
			WHERE status = 'working' AND version <= 1 AND expires > 1 ORDER BY version LIMIT 1`: "tasks_unchanged",
		`SELECT record FROM tasks WHERE principal = 'p' AND id > 'a' ORDER BY id LIMIT 9`: "tasks_of_principal",
		`SELECT id FROM tasks WHERE expires <= 1 ORDER BY expires LIMIT 9`:                "tasks_to_expire",
		`SELECT tasks FROM holders WHERE principal = 'p'`:                                 "sqlite_autoindex_holders",
		`SELECT principal FROM holders WHERE ended > 0 AND principal <> '' AND tasks >= 1 ORDER BY tasks DESC LIMIT 1`://
		"holders_by_tasks",
		`SELECT principal FROM holders WHERE ended > 0 AND principal <> '' AND bytes >= 1 ORDER BY bytes DESC LIMIT 1`://
		"holders_by_bytes",
		`SELECT id FROM tasks WHERE principal = 'p' AND status IN ('completed', 'failed', 'cancelled') AND id <> 'a'
			ORDER BY id LIMIT 1`: "tasks_of_principal",
	} {
		rows, err := db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query)
		if err != nil {
			t.Fatal(err)
		}
		var plan []string
		for rows.Next() {
			var id, parent, none int
			var detail string
			if err := rows.Scan(&id, &parent, &none, &detail); err != nil {
				t.Fatal(err)
			}
			plan = append(plan, detail)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(plan, "; ")
		if !strings.Contains(text, index) || strings.Contains(text, "SCAN") || strings.Contains(text, "TEMP B-TREE") {
			t.Errorf("%s\nis done by %s", query, text)
		}
	}
}
