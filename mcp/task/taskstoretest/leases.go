package taskstoretest

import (
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// testClaimable: only a task that works, has no lease that holds, and has not expired can be claimed; both ends are
// exact to the millisecond.
func testClaimable(f *fixture) {
	now := after(time.Minute)
	const tick = time.Millisecond
	refused := map[string]func(r *task.Record){
		"it has a lease":                          func(r *task.Record) { r.LeaseUntil = now.Add(tick) },
		"it has a lease of an owner":              func(r *task.Record) { r.Owner, r.LeaseUntil = "a", now.Add(time.Hour) },
		"it waits for the client":                 func(r *task.Record) { r.Status = task.InputRequired },
		"it is completed":                         func(r *task.Record) { r.Status = task.Completed },
		"it has failed":                           func(r *task.Record) { r.Status = task.Failed },
		"it is cancelled":                         func(r *task.Record) { r.Status = task.Cancelled },
		"it expires now":                          func(r *task.Record) { r.Expires = now },
		"it has expired, and was never run":       func(r *task.Record) { r.Expires = now.Add(-time.Second) },
		"it has expired, and its lease has ended": func(r *task.Record) { r.Owner, r.Expires = "a", now.Add(-tick) },
	}
	for why, change := range refused {
		r := record("p")
		change(r)
		f.create(f.one, r)
		f.idle(f.one, now, why)
		f.idle(f.two, now, why)
		f.empty()
		// The same by Swap.
		r = f.create(f.one, record("p"))
		change(r)
		f.swap(f.two, r)
		f.idle(f.one, now, why)
		f.empty()
	}
	claimable := map[string]func(r *task.Record){
		"the lease ends now":   func(r *task.Record) { r.Owner, r.LeaseUntil = "a", now },
		"the lease has ended":  func(r *task.Record) { r.Owner, r.LeaseUntil = "a", now.Add(-time.Hour) },
		"it has no owner":      func(r *task.Record) { r.LeaseUntil = now.Add(-tick) },
		"it had never a lease": func(r *task.Record) { r.LeaseUntil = time.Time{} },
		"it expires soon":      func(r *task.Record) { r.Expires = now.Add(tick) },
	}
	for why, change := range claimable {
		r := record("p")
		change(r)
		f.create(f.one, r)
		if got, err := f.two.Claim(f.limit(), "b", now, now.Add(time.Minute)); err != nil || got.ID != r.ID {
			f.Fatalf("Claim returned %v: %s", err, why)
		}
		f.empty()
		r = record("p")
		r.Status = task.InputRequired
		f.create(f.two, r)
		f.idle(f.one, now, "it waits for the client")
		r.Status = task.Working
		change(r)
		f.swap(f.two, r)
		if got, err := f.one.Claim(f.limit(), "b", now, now.Add(time.Minute)); err != nil || got.ID != r.ID {
			f.Fatalf("Claim after Swap returned %v: %s", err, why)
		}
		f.empty()
	}
}

// testLease: a claim changes the owner, the lease, the fence and the version, and nothing else. The lease can be
// renewed and given back by Swap.
func testLease(f *fixture) {
	r := record("p")
	r.Begun, r.Runs, r.Checkpoint, r.Answers = true, 2, []byte("half"), []byte(`["k",1]`)
	f.create(f.one, r)
	leased := f.take(f.two, "a", after(time.Second), after(31*time.Second))
	want := *r
	want.Owner, want.LeaseUntil, want.Fence, want.Version = "a", after(31*time.Second), 1, leased.Version
	if leased.Version == r.Version || leased.Version == 0 {
		f.Fatalf("Claim returned version %d of a record that had %d", leased.Version, r.Version)
	}
	f.same("Claim", leased, &want)
	f.expect(f.one, leased)
	f.idle(f.one, after(30*time.Second), "it has a lease")
	// Renewed.
	leased.LeaseUntil = after(time.Minute)
	f.swap(f.two, leased)
	f.idle(f.one, after(31*time.Second), "its lease was renewed")
	f.idle(f.one, after(time.Minute-time.Millisecond), "its lease was renewed")
	f.expect(f.one, leased)
	// Given back.
	leased.LeaseUntil = after(40 * time.Second)
	f.swap(f.two, leased)
	next := f.take(f.one, "b", after(41*time.Second), after(2*time.Minute))
	if next.Owner != "b" || next.Fence != 2 || !next.LeaseUntil.Equal(after(2*time.Minute)) {
		f.Fatalf("Claim returned owner %q, fence %d, lease until %v", next.Owner, next.Fence, next.LeaseUntil)
	}
}

// testOldest: those that wait longest are claimed first.
func testOldest(f *fixture) {
	since := make(map[string]int)
	for _, n := range []int{5, 1, 4, 2, 9, 3} {
		r := record("p")
		r.LeaseUntil = after(time.Duration(n) * time.Second)
		since[f.create(f.one, r).ID] = n
	}
	for _, want := range []int{1, 2, 3, 4, 5, 9} {
		r := f.take(f.two, "a", after(10*time.Second), after(time.Hour-time.Second))
		if since[r.ID] != want {
			f.Fatalf("Claim returned a task that waits since second %d, and one waits since second %d", since[r.ID], want)
		}
	}
}

// testExcept: a store that can leave out principals claims the oldest task of the others, and theirs later.
func testExcept(f *fixture) {
	s, selects := f.one.(task.SelectiveStore)
	if !selects {
		return
	}
	for i, principal := range []string{"p", "q", "p", "r"} {
		r := record(principal)
		r.LeaseUntil = after(time.Duration(i) * time.Second)
		f.create(f.two, r)
	}
	now, until := after(time.Minute), after(time.Hour-time.Second)
	for _, c := range []struct {
		except []string
		want   string
	}{
		{[]string{"p"}, "q"}, {[]string{"r", "p"}, ""}, {[]string{"p", "q"}, "r"}, {nil, "p"}, {[]string{"p"}, ""},
		{[]string{"q"}, "p"},
	} {
		r, err := s.ClaimExcept(f.limit(), "a", now, until, c.except)
		if c.want == "" {
			f.only("ClaimExcept", err, task.ErrNotFound)
		} else if err != nil || r.Principal != c.want || r.Owner != "a" {
			f.Fatalf("ClaimExcept %v returned %v, %v, want a task of %s", c.except, r, err, c.want)
		}
	}
}

// testFence: each owner has a higher fence than the one before, and who was owner before can change nothing.
func testFence(f *fixture) {
	f.create(f.one, record("p"))
	now := start
	var before *task.Record
	for i := range uint64(6) {
		s, other := f.one, f.two
		if i%2 == 1 {
			s, other = other, s
		}
		r := f.take(s, "owner", now, now.Add(30*time.Second))
		if r.Fence != i+1 {
			f.Fatalf("fence %d after %d claims", r.Fence, i+1)
		}
		if before != nil {
			before.Status, before.Message = task.Completed, "by a former owner"
			f.only("Swap of a former owner", other.Swap(f.limit(), before), task.ErrChanged)
		}
		r.Begun = true
		f.swap(s, r)
		f.expect(other, r)
		f.idle(other, now.Add(30*time.Second-time.Millisecond), "it has a lease")
		before, now = r, now.Add(30*time.Second)
	}
}

// testExpiry: a record is removed at its time and not before, whatever its status, at most as many as are asked for.
func testExpiry(f *fixture) {
	const each = 3
	var all []*task.Record
	for i, status := range []task.Status{
		task.Working, task.InputRequired, task.Completed, task.Failed, task.Cancelled,
	} {
		for range each {
			r := record("p")
			r.Status, r.Expires = status, after(time.Duration(i+1)*time.Minute)
			all = append(all, f.create(f.one, r))
		}
	}
	remove := func(now time.Time, limit, want int) {
		f.Helper()
		n, err := f.two.Expire(f.limit(), now, limit)
		if err != nil || n != want {
			f.Fatalf("Expire of at most %d at %v returned %d and %v, want %d", limit, now.Sub(start), n, err, want)
		}
	}
	remove(after(time.Minute-time.Millisecond), 100, 0)
	for i := range all {
		f.expect(f.one, all[i])
	}
	remove(after(time.Minute), 0, 0)
	remove(after(time.Minute), 2, 2)
	remove(after(time.Minute), 2, 1)
	remove(after(time.Minute), 2, 0)
	_, err := f.one.Get(f.limit(), all[0].ID)
	f.only("Get of what has expired", err, task.ErrNotFound)
	f.only("Swap of what has expired", f.one.Swap(f.limit(), all[1]), task.ErrNotFound)
	f.expect(f.one, all[each])
	// A change of the time counts, in both directions.
	later, sooner := all[each], all[len(all)-1]
	later.Expires = after(time.Hour)
	f.swap(f.one, later)
	sooner.Expires = after(2 * time.Minute)
	f.swap(f.two, sooner)
	remove(after(3*time.Minute), 100, 2*each)
	f.expect(f.one, later)
	_, err = f.one.Get(f.limit(), sooner.ID)
	f.only("Get of what has expired", err, task.ErrNotFound)
	list, err := f.one.List(f.limit(), "p", "", 100)
	if err != nil || len(list) != 2*each {
		f.Fatalf("List returned %d records and %v, want %d", len(list), err, 2*each)
	}
	remove(after(time.Hour), 100, 2*each)
	remove(after(time.Hour), 100, 0)
}
