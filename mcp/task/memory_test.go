package task_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

func record(id, principal string, now time.Time) *task.Record {
	return &task.Record{Head: task.Head{
		ID: id, Principal: principal, Status: task.Working, Tool: "index",
		Created: now, Updated: now, LeaseUntil: now, Expires: now.Add(time.Hour),
	}}
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
	leased, latest, err := m.Claim(ctx, task.Claim{Owner: "one", Now: now, Until: now.Add(30 * time.Second)})
	if err != nil || leased.ID != "A1" || leased.Owner != "one" || leased.Fence != 1 || latest != 3 {
		t.Fatalf("Claim: %+v, %v", leased, err)
	}
	a.Message = "from an owner that was paused"
	if err := m.Swap(ctx, &a.Head, &a.Body, limits); !errors.Is(err, task.ErrChanged) {
		t.Errorf("Swap of an old version: %v", err)
	}
	leased.Status = task.Completed
	if err := m.Swap(ctx, leased, nil, limits); err != nil {
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
	t.Attr("requirements", "task-bounds")
	var m task.Memory
	ctx, now := t.Context(), time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	limits := task.Limits{PerPrincipal: 1000, Total: 1000, Bytes: 80 << 10}
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
		h, _, err := m.Claim(ctx, task.Claim{Owner: strings.Repeat("o", 26), Now: now, Until: now.Add(time.Minute)})
		if err != nil {
			t.Fatalf("Claim in a full memory: %v", err)
		}
		if err := m.Swap(ctx, h, &task.Body{Checkpoint: make([]byte, 80<<10)}, limits); !errors.Is(err, task.ErrFull) {
			t.Errorf("Swap of a record that is much larger: %v", err)
		}
		h.Message = strings.Repeat("m", 1000)
		if err := m.Swap(ctx, h, nil, limits); err != nil {
			t.Errorf("Swap of a record that is a little larger: %v", err)
		}
		h.Status = task.Failed
		if err := m.Swap(ctx, h, new(task.Body), limits); err != nil {
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
	head, body, err := r.Encode()
	if err != nil || body != nil || !strings.Contains(string(head), `"Result":"<&>"`) ||
		strings.HasSuffix(string(head), "\n") {
		t.Errorf("%q, %q, %v", head, body, err)
	}
}

// A small record is one text, as in releases that knew no other. A larger one is none that these take for a record.
func TestEncodeForOlderReleases(t *testing.T) {
	r := record("A", "a", time.Time{})
	r.Args, r.Message = []byte(`{"x":1}`), "half"
	head, _, err := r.Encode()
	var older struct {
		ID, Message string
		Args        json.RawMessage
	}
	if err := errors.Join(err, json.Unmarshal(head, &older)); err != nil || older.ID != "A" || older.Message != "half" ||
		string(older.Args) != string(r.Args) {
		t.Errorf("%+v, %v", older, err)
	}
	r.Args = []byte(`"` + strings.Repeat("x", 1<<20) + `"`)
	head, body, err := r.Encode()
	if err != nil || len(head) > 1<<10 || len(body) < 1<<20 || json.Unmarshal(head, &older) == nil {
		t.Errorf("%d and %d bytes, %v: %.100s", len(head), len(body), err, head)
	}
	// A large record of such a release is one text too.
	text, err := json.Marshal(r)
	var got task.Record
	err = errors.Join(err, got.Decode(text, nil))
	if err != nil || len(got.Args) != len(r.Args) || got.Message != "half" {
		t.Errorf("%d bytes of arguments, %v", len(got.Args), err)
	}
}

// However many others keep tasks that have ended, who has few is not refused. Creating looks at no other records.
func TestEndedOfOthers(t *testing.T) {
	var m task.Memory
	limits := task.Limits{PerPrincipal: 100, Total: 10_000, Bytes: 256 << 20}
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for i := range 10_000 {
		r := record(fmt.Sprintf("A%05d", i), fmt.Sprint("p", i%100), now)
		r.Status = task.Completed
		if err := m.Create(t.Context(), r, limits); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 50 {
		if err := m.Create(t.Context(), record(fmt.Sprintf("B%05d", i), "newcomer", now), limits); err != nil {
			t.Fatalf("task %d of a newcomer: %v", i, err)
		}
	}
}

// A change that needs bytes gets them from who has most bytes, also if there are more tasks than there may be.
func TestShortOfBytes(t *testing.T) {
	of := task.Limits{Total: 3}.Short(task.Holding{Tasks: 4}, task.Holding{Bytes: 1})
	if got := of(task.Holding{Tasks: 1, Bytes: 7}); got != 7 {
		t.Errorf("the amount is %d", got)
	}
}

// Whoever creates a task while the store is full does not look at all principals.
func TestMemoryFullCosts(t *testing.T) {
	ctx, now := t.Context(), time.Now()
	took := func(principals int) time.Duration {
		var m task.Memory
		limits := task.Limits{PerPrincipal: 10, Total: principals}
		create := func(n int) {
			r := record(fmt.Sprintf("A%08d", n), fmt.Sprint("p", n), now)
			r.Status = task.Completed
			if err := m.Create(ctx, r, limits); err != nil {
				t.Fatal(err)
			}
		}
		for n := range principals {
			create(n)
		}
		least := time.Hour
		for round := range 5 {
			began := time.Now()
			for n := range 200 {
				create(principals + 200*round + n)
			}
			least = min(least, time.Since(began))
		}
		return least
	}
	if few, many := took(100), took(50_000); many > 30*few+time.Millisecond {
		t.Errorf("200 tasks take %v beside 100 principals, and %v beside 50,000", few, many)
	}
}
