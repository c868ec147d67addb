package taskstoretest

import (
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// testRestart: while the store is away, its methods return errors. When it is back, everything that was written before
// it was killed is there, and the leases hold.
func testRestart(f *fixture, stop, start func(t *testing.T)) {
	var kept []*task.Record
	for i := range 20 {
		r := f.create(f.one, record("p"))
		if i%2 == 0 {
			grow(f, r, 10<<10)
			f.swap(f.two, r)
		}
		kept = append(kept, r)
	}
	leased := f.take(f.two, "a", after(0), after(time.Hour-1))
	kept = append(kept, leased)
	gone := record("p")
	gone.Expires = after(time.Second)
	f.create(f.one, gone)
	if n, err := f.two.Expire(f.limit(), after(time.Second), 10); n != 1 || err != nil {
		f.Fatalf("Expire returned %d and %v", n, err)
	}
	stop(f.T)
	for name, call := range calls(f.one, leased) {
		f.unavailable(name, call, 200*time.Millisecond)
	}
	start(f.T)
	f.available(gone.ID)
	for _, r := range kept {
		if r.ID == leased.ID {
			r = leased
		}
		f.expect(f.one, r)
		f.expect(f.two, r)
	}
	ids := make(map[string]bool)
	for range len(kept) - 2 {
		r := f.take(f.one, "b", after(time.Minute), after(time.Hour-1))
		if r.ID == leased.ID || ids[r.ID] {
			f.Fatal("a task was claimed twice")
		}
		ids[r.ID] = true
	}
	f.idle(f.two, after(time.Minute), "all have leases")
}

// testHang: while the store hangs, each method returns when ctx ends.
func testHang(f *fixture, pause, resume func(t *testing.T)) {
	r := record("p")
	r.Status, r.Expires = task.Completed, after(3*time.Hour)
	f.create(f.one, r)
	f.expect(f.two, r)
	other := f.create(f.one, record("p"))
	pause(f.T)
	func() {
		defer resume(f.T)
		for name, call := range calls(f.one, other) { // the store may carry them out when it goes on
			f.unavailable(name, call, 200*time.Millisecond)
		}
	}()
	f.available(newID())
	f.expect(f.two, r)
}

// available waits until both handles reach the store. It reads id, which must have no record.
func (f *fixture) available(id string) {
	f.Helper()
	limit := time.Now().Add(patience)
	for _, s := range []task.Store{f.one, f.two} {
		for {
			_, err := s.Get(f.limit(), id)
			if err != nil && isOurs(err) {
				f.only("Get", err, task.ErrNotFound)
				break
			}
			if time.Now().After(limit) {
				f.Fatalf("the store is back, and cannot be reached: %v", err)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}
