package sqlitetasks_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	sqlitetasks "github.com/mcpgen/mcpgen/tasks/sqlite"
)

// The tools, and whether their tasks may run twice.
var killed = map[string]bool{"once": false, "again": true, "wait": true}

// TestKill kills a server before and after each call of its store, one run for each, and starts it again: no task that
// was confirmed is lost, each has the end that it should, and none runs twice that must not.
func TestKill(t *testing.T) {
	most := 100
	if testing.Short() {
		most = 6
	}
	for _, when := range []string{"before", "after"} {
		died := true
		n := 0
		for died && n < most {
			n++
			died = killAt(t, fmt.Sprint(n, " ", when))
		}
		t.Logf("killed %s each of %d calls of the store", when, n-1)
	}
}

// killAt lets a server die at a call of its store, and reports whether it did.
func killAt(t *testing.T, death string) (died bool) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tasks.sqlite")
	store := open(t, file)
	c := startChild(t, file, death, false, "20ms")
	ids := make(map[string]string) // of confirmed tasks, by tool
	var err error
	for _, tool := range slices.Sorted(maps.Keys(killed)) {
		if err == nil {
			if ids[tool], err = c.create(tool, tool); err != nil {
				delete(ids, tool)
			}
		}
	}
	if err == nil {
		c.awaitNote(file, "wait", ids["wait"])
		err = c.ask("tasks/cancel", map[string]any{"taskId": ids["wait"]}, nil)
	}
	cancelled := err == nil
	if err == nil {
		err = c.watch(t, store, ids)
	}
	if err != nil && !errors.Is(err, errKilled) {
		t.Fatalf("%s: %v", death, err)
	}
	died = err != nil
	c.end()

	c = startChild(t, file, "", true, "20ms")
	defer c.end()
	if id := ids["wait"]; id != "" && !cancelled {
		if err := c.ask("tasks/cancel", map[string]any{"taskId": id}, nil); err != nil {
			t.Fatalf("%s: cancel: %v", death, err)
		}
	}
	for tool, id := range ids {
		checkEnd(t, death, tool, c.await(id), notes(t, file)[tool+" "+id])
	}
	// So do those that were created and not confirmed.
	for key, n := range notes(t, file) {
		tool, id, _ := strings.Cut(key, " ")
		again, ok := killed[tool]
		if n > 1 && ok && !again {
			t.Errorf("%s: %s ran %d times", death, tool, n)
		}
		if r, err := store.Get(t.Context(), id); err != nil && ids[tool] == id {
			t.Errorf("%s: a task that was confirmed and ran: %v, %v", death, r, err)
		}
	}
	return died
}

// checkEnd checks how a task has ended whose handler has begun so often.
func checkEnd(t *testing.T, death, tool string, got outcome, runs int) {
	t.Helper()
	switch {
	case tool == "wait" && got.Status == "cancelled":
	case got.Status == "completed" && len(got.Result.Content) == 1 && runs > 0 &&
		got.Result.Content[0].Text == "done "+tool:
	case tool == "once" && got.Status == "failed" && got.Error.Code == -32603 && got.Error.Message == "interrupted":
	default:
		t.Errorf("%s: the end of %s, which has begun %d times, is %+v", death, tool, runs, got)
	}
	if runs > 1 && !killed[tool] {
		t.Errorf("%s: %s ran %d times", death, tool, runs)
	}
}

// watch waits until the tasks have ended, without a call of the process's own store, and reports whether it has died.
// Then it asks about each of them once.
func (c *child) watch(t *testing.T, s *sqlitetasks.Store, ids map[string]string) error {
	t.Helper()
	for tool, id := range ids {
		for {
			r, err := s.Get(t.Context(), id)
			if err != nil {
				t.Fatalf("%s, which was confirmed: %v", tool, err)
			}
			if r.Status.Final() {
				break
			}
			select {
			case <-c.gone:
				return errKilled
			case <-time.After(2 * time.Millisecond):
			}
		}
	}
	for _, id := range ids {
		if err := c.ask("tasks/get", map[string]any{"taskId": id}, nil); err != nil {
			return err
		}
	}
	return nil
}

// notes returns what processes have noted, and how often: handlers that have begun, by key and id, and tasks that were
// somebody else's when they were to be changed, as "refused" and id.
func notes(t *testing.T, file string) map[string]int {
	t.Helper()
	text, err := os.ReadFile(file + ".notes")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	out := make(map[string]int)
	for line := range strings.Lines(string(text)) {
		out[strings.TrimSpace(line)]++
	}
	return out
}

// awaitNote waits until a note is there, or the process has died.
func (c *child) awaitNote(file, what, id string) {
	c.t.Helper()
	for limit := time.Now().Add(patience); notes(c.t, file)[what+" "+id] == 0; {
		select {
		case <-c.gone:
			return
		case <-time.After(time.Millisecond):
		}
		if time.Now().After(limit) {
			c.t.Fatalf("no note that %s %s\n%s", what, id, c.log.String())
		}
	}
}

// An owner that is taken for dead while it goes on, because it was paused, changes nothing any more: the end of a task
// is that of the second owner.
func TestTwoOwners(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tasks.sqlite")
	store := open(t, file)
	released := file + ".released"
	first := startChild(t, file, "", false, "0s "+released)
	defer first.end()
	ids := make(map[string]string)
	for _, tool := range []string{"once", "again"} {
		id, err := first.create(tool, tool)
		if err != nil {
			t.Fatal(err)
		}
		ids[tool] = id
		first.awaitNote(file, tool, id)
	}
	second := startChild(t, file, "", true, "20ms")
	defer second.end()
	if got := second.await(ids["once"]); got.Status != "failed" || got.Error.Message != "interrupted" {
		t.Errorf("the end of what must not run twice is %+v", got)
	}
	got := second.await(ids["again"])
	if got.Status != "completed" {
		t.Errorf("the end of what may run again is %+v", got)
	}
	runs := notes(t, file)
	if runs["once "+ids["once"]] != 1 || runs["again "+ids["again"]] != 2 {
		t.Errorf("the handlers have begun: %v, want once and twice", runs)
	}
	if err := os.WriteFile(released, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		first.awaitNote(file, "refused", id)
	}
	for tool, id := range ids {
		r, err := store.Get(t.Context(), id)
		if err != nil || r.Fence != 2 || string(r.Status) != map[string]string{"once": "failed", "again": "completed"}[tool] {
			t.Errorf("%s: %v, status %s, fence %d", tool, err, r.Status, r.Fence)
		}
		if other := first.await(id); other.Status != string(r.Status) {
			t.Errorf("%s: the first owner says %s, and the second %s", tool, other.Status, r.Status)
		}
	}
}
