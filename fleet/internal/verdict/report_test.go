package verdict

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// A violation says who has what and since when, and which write was the last one.
func TestViolationSaysWhatWasSeenWhen(t *testing.T) {
	w := newWorld()
	w.listen(1, "a", "b")
	w.advance(time.Second)
	w.Wrote("a", "2", "replica 1", nil)
	w.Wrote("a", "3", "replica 2", errors.New("locked"))
	w.advance(time.Second)
	w.client.Updated(1, "t", "a")
	behind := w.Behind(map[string]string{"a": "2"})
	if len(behind) != 1 {
		t.Fatal(behind)
	}
	text := behind[0].String()
	for _, part := range []string{
		"13:00:02.000 c: stale a", "has 1 (read at 13:00:00.000, told at 13:00:02.000)", "want 2",
		`last commit "2" at 13:00:01.000 through replica 1, last failure "3" at 13:00:01.000 through replica 2: locked`,
	} {
		if !strings.Contains(text, part) {
			t.Errorf("%s\nhas no %s", text, part)
		}
	}
	if last := behind[0].Before[len(behind[0].Before)-1]; last != "13:00:02.000 updated 1 a" {
		t.Error(last)
	}
}

// Who does not subscribe, or does no longer, need not know; nor is anybody asked about other values.
func TestBehindAsksOnlyWhoSubscribes(t *testing.T) {
	w := newWorld()
	w.session()
	w.client.Unsubscribe("a")
	w.client.Unsubscribed("a")
	w.Client("another")
	if behind := w.Behind(map[string]string{"a": "2", "b": "2"}); len(behind) > 0 {
		t.Error(behind)
	}
	w.client.Subscribe("b")
	if behind := w.Behind(map[string]string{"a": "2"}); len(behind) > 0 {
		t.Error(behind)
	}
	if behind := w.Behind(map[string]string{"b": "2"}); len(behind) != 1 {
		t.Error(behind)
	}
}

// What others find counts like what the checker finds, and each kind is counted.
func TestReport(t *testing.T) {
	w := newWorld()
	w.client.Logf("wrote %s", "a")
	v := w.client.Violation(Unheard, "a", "not within %v", time.Second)
	w.Report(v, Violation{Client: "replicas", Kind: Resynced})
	list, counts := w.Violations()
	if len(list) != 2 || counts[Unheard] != 1 || counts[Resynced] != 1 || list[1].At != w.clock.now {
		t.Fatal(list, counts)
	}
	if got := list[0].Before; len(got) != 1 || got[0] != "13:00:00.000 wrote a" || list[0].Text != "not within 1s" {
		t.Error(list[0])
	}
}

// A task of a replica to which nothing has happened is not interrupted, and a checkpoint that was confirmed is not
// lost. Each is recorded once, however often all are judged.
func TestSafeTasksAndCheckpoints(t *testing.T) {
	w := newWorld()
	tasks := w.Tasks()
	tasks.Created("A", "k", true)
	tasks.Created("B", "l", true)
	tasks.Safe("B")
	tasks.Seen("A", taskInterrupted)
	tasks.Seen("B", taskInterrupted)
	for range 2 {
		tasks.Judge(map[string]int{"k": 1, "l": 1}, func(string) bool { return true })
		tasks.Forgotten(map[string]string{"k": "process 2 began at step 0, and step 3 was confirmed before"})
	}
	list, counts := w.Violations()
	if counts[TaskWrong] != 1 || counts[TaskForgotten] != 1 || len(counts) != 2 || list[0].URI != "B" {
		t.Error(list)
	}
}
