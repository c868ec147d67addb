package task_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

func record(id, principal string, now time.Time) *task.Record {
	return &task.Record{
		ID: id, Principal: principal, Status: task.Working, Tool: "index",
		Created: now, Updated: now, LeaseUntil: now, Expires: now.Add(time.Hour),
	}
}

func TestMemory(t *testing.T) {
	var m task.Memory
	ctx, now := t.Context(), time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	limits := task.Limits{PerPrincipal: 2, Total: 3}
	a := record("A1", "a", now)
	if err := m.Create(ctx, a, limits); err != nil || a.Version == 0 {
		t.Fatalf("Create: version %d, %v", a.Version, err)
	}
	if err := m.Create(ctx, record("A1", "a", now), limits); !errors.Is(err, task.ErrExists) {
		t.Errorf("Create again: %v", err)
	}
	for _, id := range []string{"A3", "B2", "A2"} {
		err := m.Create(ctx, record(id, "ab"[id[0]-'A':][:1], now), limits)
		if full := id == "A2"; full != errors.Is(err, task.ErrFull) || !full && err != nil {
			t.Errorf("Create %s: %v", id, err)
		}
	}
	leased, err := m.Claim(ctx, "one", now, now.Add(30*time.Second))
	if err != nil || leased.ID != "A1" || leased.Owner != "one" || leased.Fence != 1 {
		t.Fatalf("Claim: %+v, %v", leased, err)
	}
	a.Message = "from an owner that was paused"
	if err := m.Swap(ctx, a); !errors.Is(err, task.ErrChanged) {
		t.Errorf("Swap of an old version: %v", err)
	}
	leased.Status = task.Completed
	if err := m.Swap(ctx, leased); err != nil {
		t.Errorf("Swap: %v", err)
	}
	list, err := m.List(ctx, "a", "", 1)
	if err != nil || len(list) != 1 || list[0].ID != "A1" || list[0].Status != task.Completed {
		t.Errorf("List: %v, %v", list, err)
	}
	if list, err = m.List(ctx, "a", "A1", 5); err != nil || len(list) != 1 || list[0].ID != "A3" {
		t.Errorf("List after A1: %v, %v", list, err)
	}
	n, err := m.Expire(ctx, now.Add(time.Hour), 2)
	if err != nil || n != 2 {
		t.Errorf("Expire: %d, %v", n, err)
	}
	if n, err = m.Expire(ctx, now.Add(time.Hour), 2); err != nil || n != 1 {
		t.Errorf("Expire: %d, %v", n, err)
	}
	if _, err := m.Get(ctx, "A1"); !errors.Is(err, task.ErrNotFound) {
		t.Errorf("Get after Expire: %v", err)
	}
}

// A principal and a memory that are full still let what they keep be claimed and ended.
func TestMemoryFull(t *testing.T) {
	m := task.Memory{MaxBytes: 80 << 10}
	ctx, now := t.Context(), time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	limits := task.Limits{PerPrincipal: 1000, Total: 1000}
	var err error
	n := 0
	for _, principal := range "abcde" {
		size := 5000
		for size > 0 { // until not one byte more fits
			r := record(fmt.Sprintf("A%03d", n), string(principal), now)
			r.Args = []byte(`"` + strings.Repeat("x", size) + `"`)
			if err = m.Create(ctx, r, limits); err != nil {
				size /= 2
				continue
			}
			n++
		}
		if !errors.Is(err, task.ErrFull) {
			t.Fatal(err)
		}
	}
	for range n {
		r, err := m.Claim(ctx, strings.Repeat("o", 26), now, now.Add(time.Minute))
		if err != nil {
			t.Fatalf("Claim in a full memory: %v", err)
		}
		r.Checkpoint = make([]byte, 80<<10)
		if err := m.Swap(ctx, r); !errors.Is(err, task.ErrFull) {
			t.Errorf("Swap of a record that is much larger: %v", err)
		}
		r.Checkpoint = nil
		r.Message = strings.Repeat("m", 1000)
		if err := m.Swap(ctx, r); err != nil {
			t.Errorf("Swap of a record that is a little larger: %v", err)
		}
		r.Status, r.Args = task.Failed, nil
		if err := m.Swap(ctx, r); err != nil {
			t.Errorf("Swap that ends the task: %v", err)
		}
	}
	if err := m.Create(ctx, record("B", "a", now), limits); err != nil {
		t.Errorf("Create after all have ended: %v", err)
	}
}

// What HTML escapes takes no more room than it has.
func TestEncodePlain(t *testing.T) {
	r := record("A", "a", time.Time{})
	r.Result = []byte(`"<&>"`)
	if data, err := r.Encode(); err != nil || !strings.Contains(string(data), `"Result":"<&>"`) ||
		strings.HasSuffix(string(data), "\n") {
		t.Errorf("%q, %v", data, err)
	}
}
