package sqlitetasks_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
	sqlitetasks "github.com/mcpgen/mcpgen/tasks/sqlite"
)

// environment names the file of a process that TestProcesses starts.
const environment = "MCPGEN_TASKS_FILE"

func TestMain(m *testing.M) {
	if file := os.Getenv(environment); file != "" {
		if err := work(context.Background(), file, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if file := os.Getenv(serveFile); file != "" {
		if err := serveJobs(context.Background(), file); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// patience is how long anything may take that happens at all.
const patience = 2 * time.Minute

// lease is how long the processes lease a task.
const lease = 300 * time.Millisecond

// work is one of the processes. It creates tasks, claims those of all, and completes them, until it is killed. It says
// what the store has confirmed, one line each, before it goes on.
func work(ctx context.Context, file string, out io.Writer) error {
	s, err := sqlitetasks.Open(ctx, file)
	if err != nil {
		return err
	}
	owner := rand.Text()
	limits := task.Limits{PerPrincipal: 10_000, Total: 100_000}
	var still, mark uint64 // versions of two leases and of one ago
	marked := time.Now()
	for n := 0; ; n++ {
		now := task.Time(time.Now())
		if n%2 == 0 && n < 40 {
			r := &task.Record{Body: task.Body{Args: []byte(`[1]`)}, Head: task.Head{ID: rand.Text(), Principal: "p",
				Status: task.Working, Created: now, Updated: now, LeaseUntil: now, Expires: now.Add(time.Hour)}}
			if err := s.Create(ctx, r, limits); err != nil {
				return fmt.Errorf("create: %w", err)
			}
			fmt.Fprintln(out, "created", r.ID, r.Fence)
		}
		h, latest, err := s.Claim(ctx, task.Claim{Owner: owner, Now: now, Until: now.Add(lease), Still: still})
		if latest > 0 && time.Since(marked) > lease {
			still, mark, marked = mark, latest, time.Now()
		}
		if errors.Is(err, task.ErrNotFound) {
			time.Sleep(time.Millisecond)
			continue
		}
		if err != nil {
			return fmt.Errorf("claim: %w", err)
		}
		fmt.Fprintln(out, "claimed", h.ID, h.Fence)
		h.Begun = true
		if err := s.Swap(ctx, h, nil, limits); errors.Is(err, task.ErrChanged) {
			continue // it took longer than the lease
		} else if err != nil {
			return fmt.Errorf("begin: %w", err)
		}
		h.Status = task.Completed
		b := &task.Body{Result: fmt.Appendf(nil, `[%d]`, h.Fence)}
		if err := s.Swap(ctx, h, b, limits); errors.Is(err, task.ErrChanged) {
			continue
		} else if err != nil {
			return fmt.Errorf("complete: %w", err)
		}
		fmt.Fprintln(out, "done", h.ID, h.Fence)
	}
}

// history is what the processes have said.
type history struct {
	mu      sync.Mutex
	created map[string]bool
	leases  map[string]int    // by id and fence
	done    map[string]string // fence by id
	twice   []string
}

// process starts a process; wait returns when it has ended and all that it has said is known.
func (h *history) process(t *testing.T, file string) (p *exec.Cmd, wait func()) {
	t.Helper()
	p = exec.CommandContext(t.Context(), os.Args[0])
	p.Env = append(os.Environ(), environment+"="+file)
	var failed strings.Builder
	p.Stderr = &failed
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if word := strings.Fields(lines.Text()); len(word) == 3 {
				h.note(word[0], word[1], word[2])
			}
		}
	}()
	return p, func() {
		<-read
		_ = p.Wait() // it was killed
		if failed.Len() > 0 {
			t.Errorf("a process says: %s", failed.String())
		}
	}
}

func (h *history) note(what, id, fence string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch what {
	case "created":
		h.created[id] = true
	case "claimed":
		if h.leases[id+" "+fence]++; h.leases[id+" "+fence] > 1 {
			h.twice = append(h.twice, id)
		}
	case "done":
		if h.done[id] != "" {
			h.twice = append(h.twice, id)
		}
		h.done[id] = fence
	}
}

// Three processes work on one file, and are killed in the middle of what they do. What the store has confirmed to any
// of them is there, each lease has one owner, and all tasks are completed in the end.
func TestProcesses(t *testing.T) {
	kills := 40
	if testing.Short() {
		kills = 6
	}
	file := filepath.Join(t.TempDir(), "tasks.sqlite")
	h := &history{created: map[string]bool{}, leases: map[string]int{}, done: map[string]string{}}
	type running struct {
		cmd  *exec.Cmd
		wait func()
	}
	var all [3]running
	for i := range all {
		cmd, wait := h.process(t, file)
		all[i] = running{cmd, wait}
	}
	for i := range kills {
		r := &all[i%len(all)]
		time.Sleep(time.Duration(20+i*37%60) * time.Millisecond)
		_ = r.cmd.Process.Kill()
		r.wait()
		r.cmd, r.wait = h.process(t, file)
	}
	store := open(t, file)
	h.await(t, store) // each process creates twenty
	for _, r := range all {
		_ = r.cmd.Process.Kill()
		r.wait()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.twice) > 0 {
		t.Errorf("tasks with two owners of one lease, or completed twice: %q", h.twice)
	}
	for id := range h.created {
		r, err := store.Get(t.Context(), id)
		if err != nil {
			t.Errorf("a task that was confirmed: %v", err)
		} else if r.Status == task.Completed && string(r.Result) != fmt.Sprintf("[%d]", r.Fence) {
			t.Errorf("the result is of another owner: %s with fence %d", r.Result, r.Fence)
		}
	}
	for id, fence := range h.done {
		r, err := store.Get(t.Context(), id)
		if err != nil || r.Status != task.Completed || fmt.Sprint(r.Fence) != fence {
			t.Errorf("a completion that was confirmed is gone: %v, %+v", err, r)
		}
	}
	t.Logf("%d kills, %d tasks created, %d claims, %d done", kills, len(h.created), len(h.leases), len(h.done))
	whole(t, file)
}

// await waits until all tasks are completed.
func (h *history) await(t *testing.T, s *sqlitetasks.Store) {
	t.Helper()
	limit := time.Now().Add(patience)
	for {
		list, err := s.List(t.Context(), "p", "", 10_000)
		if err != nil {
			t.Fatal(err)
		}
		open := 0
		for _, r := range list {
			if r.Status != task.Completed {
				open++
			}
		}
		if open == 0 && len(list) > 0 {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("%d of %d tasks are not completed", open, len(list))
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// whole checks the file.
func whole(t *testing.T, file string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var text string
	if err := db.QueryRowContext(t.Context(), `PRAGMA integrity_check`).Scan(&text); err != nil || text != "ok" {
		t.Errorf("the file is damaged: %s, %v", text, err)
	}
}
