package sessiontest

import (
	"testing"
	"time"
)

// testRestart: while the store is away, its methods return errors. When it is back, everything that was saved before it
// was killed is there, with its version.
func testRestart(f *fixture, stop, start func(t *testing.T)) {
	ids := make(map[string]uint64)
	for range 20 {
		id := newID()
		ids[id] = f.save(f.one, id, f.save(f.two, id, 0, "made", long), "saved", long)
	}
	gone := newID()
	f.save(f.one, gone, 0, "deleted", long)
	if err := f.two.Delete(f.limit(), gone); err != nil {
		f.Fatal(err)
	}
	stop(f.T)
	id := newID()
	for name, call := range f.calls(f.one, id, 0) {
		f.unavailable(name, call, 200*time.Millisecond)
	}
	start(f.T)
	f.available()
	for id, version := range ids {
		f.expect(f.one, id, "saved", version)
		f.expect(f.two, id, "saved", f.save(f.two, id, version, "saved", long))
	}
	f.missing(f.one, gone)
}

// testHang: while the store hangs, each method returns when ctx ends.
func testHang(f *fixture, pause, resume func(t *testing.T)) {
	id := newID()
	v := f.save(f.one, id, 0, "first", long)
	f.expect(f.two, id, "first", v)
	pause(f.T)
	func() {
		defer resume(f.T)
		for name, call := range f.calls(f.one, newID(), 0) {
			f.unavailable(name, call, 200*time.Millisecond)
		}
	}()
	f.available()
	f.expect(f.two, id, "first", v)
}

// available waits until both handles reach the store.
func (f *fixture) available() {
	f.Helper()
	limit := time.Now().Add(patience)
	for _, store := range []int{1, 2} {
		for {
			s := f.one
			if store == 2 {
				s = f.two
			}
			err := s.Delete(f.limit(), newID())
			if err == nil {
				break
			}
			if time.Now().After(limit) {
				f.Fatalf("the store is back, and cannot be reached: %v", err)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}
