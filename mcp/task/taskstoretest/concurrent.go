package taskstoretest

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// workers is how many goroutines use the store at once.
const workers = 16

// inParallel runs a function in all workers at once, half of them on each handle.
func (f *fixture) inParallel(do func(n int, s task.Store)) {
	begin := make(chan struct{})
	var wait sync.WaitGroup
	for n := range workers {
		s := f.one
		if n%2 == 1 {
			s = f.two
		}
		wait.Go(func() {
			<-begin
			do(n, s)
		})
	}
	close(begin)
	wait.Wait()
	if f.Failed() {
		f.FailNow()
	}
}

// refusedBy expects that err is want.
func (f *fixture) refusedBy(what string, err, want error) {
	if !errors.Is(err, want) {
		f.Errorf("%s returned %v, want %v", what, err, want)
	}
}

// testManyCreate: of many goroutines that create a record under one id, one succeeds, and its record is there.
func testManyCreate(f *fixture) {
	for range 5 {
		base := record("p")
		var winners atomic.Int32
		var winner atomic.Pointer[task.Record]
		ctx := f.limit()
		f.inParallel(func(n int, s task.Store) {
			r := *base
			r.Message = "by " + strconv.Itoa(n)
			if err := s.Create(ctx, &r, roomy); err == nil {
				winners.Add(1)
				winner.Store(&r)
			} else {
				f.refusedBy("Create of a record that exists", err, task.ErrExists)
			}
		})
		if n := winners.Load(); n != 1 {
			f.Fatalf("%d of %d created the same record", n, workers)
		}
		f.expect(f.two, winner.Load())
	}
}

// testManySwap: of many goroutines that replace one version, one succeeds, and its record is there.
func testManySwap(f *fixture) {
	r := f.create(f.one, record("p"))
	for i := range 8 {
		var winners atomic.Int32
		var winner atomic.Pointer[task.Record]
		ctx := f.limit()
		f.inParallel(func(n int, s task.Store) {
			next := *r
			next.Message = "by " + strconv.Itoa(n)
			next.LeaseUntil = after(time.Duration(i*workers+n) * time.Second)
			if err := swap(ctx, s, &next); err == nil {
				winners.Add(1)
				winner.Store(&next)
			} else {
				f.refusedBy("Swap of an old version", err, task.ErrChanged)
			}
		})
		if n := winners.Load(); n != 1 {
			f.Fatalf("%d of %d replaced the same version", n, workers)
		}
		f.expect(f.one, winner.Load())
		f.expect(f.two, winner.Load())
		r = winner.Load()
	}
	// The refused writes do not hide the record from Claim.
	leased := f.take(f.two, "a", r.LeaseUntil, r.LeaseUntil.Add(time.Minute))
	if leased.ID != r.ID || leased.Fence != 1 {
		f.Fatalf("Claim returned %s with fence %d", leased.ID, leased.Fence)
	}
	f.idle(f.one, r.LeaseUntil, "it has a lease")
}

// testManyChange: many goroutines that each read a record, change it and begin anew if it has changed lose no change.
func testManyChange(f *fixture) {
	const each = 3
	r := f.create(f.one, record("p"))
	ctx := f.limit()
	f.inParallel(func(_ int, s task.Store) {
		for i := 0; i < each; {
			next, err := s.Get(ctx, r.ID)
			if err != nil {
				f.Errorf("Get: %v", err)
				return
			}
			next.Runs++
			switch err := swap(ctx, s, next); {
			case err == nil:
				i++
			case !errors.Is(err, task.ErrChanged):
				f.Errorf("Swap: %v", err)
				return
			}
		}
	})
	if got := f.get(f.two, r.ID).Runs; got != workers*each {
		f.Fatalf("of %d changes %d are in the record", workers*each, got)
	}
}

// testManyClaim: many goroutines that claim at once get each task once, and all of them.
func testManyClaim(f *fixture) {
	const n = 40
	for range n {
		f.create(f.one, record("p"))
	}
	for i := range 2 {
		now := after(time.Duration(i) * time.Minute)
		still := f.stills(i > 0)
		var got sync.Map
		var count atomic.Int32
		ctx := f.limit()
		f.inParallel(func(w int, s task.Store) {
			for {
				r, _, err := s.Claim(ctx, task.Claim{
					Owner: strconv.Itoa(w), Now: now, Until: now.Add(time.Minute), Still: still[w%2],
				})
				if errors.Is(err, task.ErrNotFound) {
					return
				}
				if err != nil {
					f.Errorf("Claim: %v", err)
					return
				}
				if _, twice := got.LoadOrStore(r.ID, true); twice {
					f.Errorf("two owners have claimed one task")
					return
				}
				if r.Owner != strconv.Itoa(w) || r.Fence != uint64(i+1) {
					f.Errorf("Claim returned owner %s and fence %d, want %d and %d", r.Owner, r.Fence, w, i+1)
				}
				count.Add(1)
			}
		})
		if count.Load() != n {
			f.Fatalf("of %d tasks %d were claimed", n, count.Load())
		}
		f.none(f.two, task.Claim{Owner: "nobody", Now: now, Still: still[1]}, "all have changed since")
	}
}

// stills returns the latest versions as both handles know them; zeros if known is false.
func (f *fixture) stills(known bool) [2]uint64 {
	if !known {
		return [2]uint64{}
	}
	return [2]uint64{f.latest(f.one), f.latest(f.two)}
}

// testClaimAgainstSwap: if an owner changes its task while others claim it because it has not changed, only one of them
// succeeds.
func testClaimAgainstSwap(f *fixture) {
	for i := range 12 {
		f.create(f.one, record("p"))
		held := f.take(f.one, "owner", start, after(30*time.Second))
		still := f.stills(true)
		var done, taken atomic.Int32
		var last atomic.Pointer[task.Head]
		ctx := f.limit()
		f.inParallel(func(n int, s task.Store) {
			if n%4 == 0 {
				r := *held
				r.Message = strconv.Itoa(n)
				if n%8 == 0 {
					r.Status, r.Result = task.Completed, []byte(`{}`)
				} else {
					r.LeaseUntil = after(time.Duration(n+60) * time.Second)
				}
				if err := swap(ctx, s, &r); err == nil {
					done.Add(1)
					last.Store(&r.Head)
				} else {
					f.refusedBy("Swap", err, task.ErrChanged)
				}
				return
			}
			r, _, err := s.Claim(ctx, task.Claim{Owner: "next", Now: start, Until: after(time.Minute), Still: still[n%2]})
			if errors.Is(err, task.ErrNotFound) {
				return
			}
			if err != nil {
				f.Errorf("Claim: %v", err)
				return
			}
			taken.Add(1)
			last.Store(r)
		})
		if done.Load()+taken.Load() != 1 {
			f.Fatalf("%d changes and %d claims of one version (%d)", done.Load(), taken.Load(), i)
		}
		f.sameHead("Get", &f.get(f.two, held.ID).Head, last.Load())
		f.empty()
	}
}

// testManyExpire: many goroutines that remove expired records at once remove each of them once.
func testManyExpire(f *fixture) {
	const n = 60
	for range n {
		f.create(f.one, record("p"))
	}
	kept := record("p")
	kept.Expires = after(2 * time.Hour)
	f.create(f.two, kept)
	var removed atomic.Int32
	ctx := f.limit()
	f.inParallel(func(_ int, s task.Store) {
		for {
			n, err := s.Expire(ctx, after(time.Hour), 3)
			if err != nil {
				f.Errorf("Expire: %v", err)
				return
			}
			if n == 0 {
				return
			}
			removed.Add(int32(n))
		}
	})
	f.expect(f.one, kept)
	if left := f.all(f.two, "p", 100); len(left) != 1 {
		f.Fatalf("%d records are left, want 1", len(left))
	}
	if removed.Load() != n {
		f.Fatalf("of %d records %d were counted as removed", n, removed.Load())
	}
}
