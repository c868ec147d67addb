package taskstoretest

import (
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// testClaimable: a task can be claimed only if it is working and has no owner, from LeaseUntil until it expires; both
// times are exact to the millisecond.
func testClaimable(f *fixture) {
	now := after(time.Minute)
	const tick = time.Millisecond
	refused := map[string]func(r *task.Record){
		"it waits for its time":             func(r *task.Record) { r.LeaseUntil = now.Add(tick) },
		"it has an owner":                   func(r *task.Record) { r.Owner, r.LeaseUntil = "a", now.Add(time.Hour) },
		"the clock of its owner is behind":  func(r *task.Record) { r.Owner, r.LeaseUntil = "a", now.Add(-time.Hour) },
		"it waits for the client":           func(r *task.Record) { r.Status = task.InputRequired },
		"it is completed":                   func(r *task.Record) { r.Status = task.Completed },
		"it has failed":                     func(r *task.Record) { r.Status = task.Failed },
		"it is cancelled":                   func(r *task.Record) { r.Status = task.Cancelled },
		"it expires now":                    func(r *task.Record) { r.Expires = now },
		"it has expired, and was never run": func(r *task.Record) { r.Expires = now.Add(-time.Second) },
		"it has expired, and had an owner":  func(r *task.Record) { r.Fence, r.Expires = 1, now.Add(-tick) },
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
		"its time is now":     func(r *task.Record) { r.LeaseUntil = now },
		"its time has come":   func(r *task.Record) { r.LeaseUntil = now.Add(-tick) },
		"it was given back":   func(r *task.Record) { r.Fence, r.LeaseUntil = 7, now.Add(-time.Hour) },
		"it had never a time": func(r *task.Record) { r.LeaseUntil = time.Time{} },
		"it expires soon":     func(r *task.Record) { r.Expires = now.Add(tick) },
	}
	for why, change := range claimable {
		r := record("p")
		change(r)
		f.create(f.one, r)
		if got, err := takeFree(f.limit(), f.two, "b", now, now.Add(time.Minute)); err != nil || got.ID != r.ID {
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
		if got, err := takeFree(f.limit(), f.one, "b", now, now.Add(time.Minute)); err != nil || got.ID != r.ID {
			f.Fatalf("Claim after Swap returned %v: %s", err, why)
		}
		f.empty()
	}
}

// testStill: a task that has not changed since a version can be claimed from its owner, whatever the times in it. After
// a change of any kind it cannot.
func testStill(f *fixture) {
	for _, clock := range []time.Duration{-time.Hour, 0, time.Hour / 2} { // of the owner, from start
		r := record("p")
		r.LeaseUntil = start.Add(-2 * time.Hour)
		f.create(f.one, r)
		r = f.take(f.one, "a", start, after(clock+30*time.Second))
		still := f.latest(f.two)
		c := task.Claim{Owner: "b", Now: after(clock), Until: after(time.Minute), Still: still}
		for i := range 4 {
			switch i {
			case 1: // renewed
				r.LeaseUntil = r.LeaseUntil.Add(10 * time.Second)
				f.swapHead(f.one, &r.Head)
			case 2: // only the version changes
				f.swapHead(f.one, &r.Head)
			case 3:
				r.Checkpoint = []byte("half")
				f.swap(f.one, r)
			}
			if c.Still = still; i > 0 {
				f.none(f.two, c, "it has changed since")
			}
			still = f.latest(f.two)
		}
		c.Still = still
		next := f.taken(f.two, c)
		if next.ID != r.ID || next.Owner != "b" || next.Fence != 2 || string(next.Checkpoint) != "half" {
			f.Fatalf("Claim returned owner %q, fence %d", next.Owner, next.Fence)
		}
		f.none(f.two, c, "it has a new owner")
		f.empty()
	}
	testStillFree(f)
	for _, status := range []task.Status{task.InputRequired, task.Completed, task.Failed, task.Cancelled} {
		r := record("p")
		r.Status, r.Owner = status, "a"
		f.create(f.one, r)
		f.none(f.one, task.Claim{Owner: "b", Now: start, Still: f.latest(f.one)}, "it does not work")
	}
	r := record("p")
	r.Owner = "a"
	f.create(f.one, r)
	f.none(f.one, task.Claim{Owner: "b", Now: r.Expires, Still: f.latest(f.one)}, "it has expired")
}

// testStillFree: the same for a task without an owner whose LeaseUntil is far away. A claim with Owned does not get it.
func testStillFree(f *fixture) {
	r := record("p")
	r.LeaseUntil = after(50 * time.Minute)
	f.create(f.one, r)
	owned := task.Claim{Owner: "b", Now: after(55 * time.Minute), Still: f.latest(f.one), Owned: true}
	for range 2 {
		f.none(f.one, owned, "it has no owner")
		f.none(f.two, owned, "it has no owner")
	}
	silent := record("p")
	silent.Owner = "a"
	f.create(f.one, silent)
	owned.Still = f.latest(f.one)
	if got := f.taken(f.one, owned); got.ID != silent.ID {
		f.Fatalf("Claim returned %s, want %s, which has an owner", got.ID, silent.ID)
	}
	if got := f.taken(f.one, task.Claim{Owner: "b", Now: start, Still: f.latest(f.one)}); got.ID != r.ID {
		f.Fatalf("Claim returned %s, want %s", got.ID, r.ID)
	}
	f.empty()
}

// testLease: a claim changes the owner, the lease, the fence and the version, and nothing else. The task can be given
// back by Swap.
func testLease(f *fixture) {
	r := record("p")
	r.Begun, r.Runs, r.Checkpoint, r.Answers = true, 2, []byte("half"), []byte(`["k",1]`)
	f.create(f.one, r)
	leased := f.take(f.two, "a", after(time.Second), after(31*time.Second))
	want := *r
	want.Owner, want.LeaseUntil, want.Fence = "a", after(31*time.Second), 1
	want.Version, want.Size = leased.Version, leased.Size
	if leased.Version <= r.Version {
		f.Fatalf("Claim returned version %d of a record that had %d", leased.Version, r.Version)
	}
	f.sized(leased)
	f.same("Claim", leased, &want)
	f.expect(f.one, leased)
	f.idle(f.one, after(30*time.Second), "it has an owner")
	// Given back.
	leased.Release(after(40 * time.Second))
	f.swapHead(f.two, &leased.Head)
	f.idle(f.one, after(40*time.Second-time.Millisecond), "it was given back for later")
	next := f.take(f.one, "b", after(41*time.Second), after(2*time.Minute))
	if next.Owner != "b" || next.Fence != 2 || !next.LeaseUntil.Equal(after(2*time.Minute)) {
		f.Fatalf("Claim returned owner %q, fence %d, lease until %v", next.Owner, next.Fence, next.LeaseUntil)
	}
}

// testOldest: tasks that have not changed since Still are claimed first, and then those that wait longest.
func testOldest(f *fixture) {
	since := make(map[string]int)
	for range 3 {
		r := record("p")
		r.Owner = "a"
		since[f.create(f.one, r).ID] = len(since) - 3
	}
	still := f.latest(f.two)
	for _, n := range []int{5, 1, 4, 2, 9, 3} {
		r := record("p")
		r.LeaseUntil = after(time.Duration(n) * time.Second)
		since[f.create(f.one, r).ID] = n
	}
	for _, want := range []int{-3, -2, -1, 1, 2, 3, 4, 5, 9} {
		r := f.taken(f.two, task.Claim{Owner: "a", Now: after(10 * time.Second), Until: after(time.Hour / 2), Still: still})
		if since[r.ID] != want {
			f.Fatalf("Claim returned a task that waits since second %d, and one waits since second %d", since[r.ID], want)
		}
	}
}

// testExcept: a claim takes the oldest task of the principals that are not in Except. Tasks of the principals in Except
// can be claimed later.
func testExcept(f *fixture) {
	for i, principal := range []string{"p", "q", "p", "r"} {
		r := record(principal)
		r.LeaseUntil = after(time.Duration(i) * time.Second)
		f.create(f.two, r)
	}
	c := task.Claim{Owner: "a", Now: after(time.Minute), Until: after(time.Hour - time.Second)}
	claims := func(still uint64) {
		f.Helper()
		for _, x := range []struct {
			except []string
			want   string
		}{
			{[]string{"p"}, "q"}, {[]string{"r", "p"}, ""}, {[]string{"p", "q"}, "r"}, {nil, "p"}, {[]string{"p"}, ""},
			{[]string{"q"}, "p"},
		} {
			c.Except, c.Still = x.except, still
			r, _, err := f.one.Claim(f.limit(), c)
			if x.want == "" {
				f.only("Claim", err, task.ErrNotFound)
			} else if err != nil || r.Principal != x.want || r.Owner != "a" {
				f.Fatalf("Claim except %v returned %v, %v, want a task of %s", x.except, r, err, x.want)
			}
		}
	}
	claims(0)
	claims(f.latest(f.one))
}

// testFence: each owner has a higher fence than the one before, and a former owner can change nothing.
func testFence(f *fixture) {
	f.create(f.one, record("p"))
	var before *task.Record
	for i := range uint64(6) {
		s, other := f.one, f.two
		if i%2 == 1 {
			s, other = other, s
		}
		r := f.taken(s, task.Claim{Owner: "owner", Now: start, Until: after(30 * time.Second), Still: f.latest(s)})
		if r.Fence != i+1 {
			f.Fatalf("fence %d after %d claims", r.Fence, i+1)
		}
		if before != nil {
			before.Status, before.Message = task.Completed, "by a former owner"
			f.only("Swap of a former owner", swap(f.limit(), other, before), task.ErrChanged)
			f.only("Swap of a former owner", other.Swap(f.limit(), &before.Head, nil, roomy), task.ErrChanged)
		}
		r.Begun = true
		f.swap(s, r)
		f.expect(other, r)
		f.idle(other, after(time.Minute), "it has an owner")
		before = r
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
	f.only("Swap of what has expired", swap(f.limit(), f.one, all[1]), task.ErrNotFound)
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
