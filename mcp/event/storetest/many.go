package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
)

func ids(of []event.Stored) []string {
	out := []string{}
	for _, s := range of {
		out = append(out, s.Subscription.ID)
	}
	return out
}

func testChanged(f *fixture) {
	a, _ := f.create("a", 1)
	b, _ := f.create("a", 2)
	c, _ := f.create("a", 1)
	changed := func(after uint64, limit int, shards ...int) []string {
		f.Helper()
		out, err := f.two.Changed(f.limit(), shards, after, limit)
		f.must(err)
		for _, s := range out {
			f.is(s.Subscription, s.Progress)
		}
		return ids(out)
	}
	same(f, "one shard", changed(0, 10, 1), []string{a.ID, c.ID})
	same(f, "two shards", changed(0, 10, 2, 1), []string{a.ID, b.ID, c.ID})
	same(f, "no shards", changed(0, 10), []string{})
	same(f, "a limit", changed(0, 2, 1, 2), []string{a.ID, b.ID})
	same(f, "after a version", changed(a.Version, 10, 1, 2), []string{b.ID, c.ID})
	same(f, "after the last", changed(c.Version, 10, 1, 2), []string{})
	before := c.Version
	f.put(f.one, a, nil)
	same(f, "a change", changed(before, 10, 1, 2), []string{a.ID})
	same(f, "all in order", changed(0, 10, 1, 2), []string{b.ID, c.ID, a.ID})
}

func testList(f *fixture) {
	var want []string
	for i := range 5 {
		s, _ := f.create("a", i)
		want = append(want, s.ID)
	}
	other, _ := f.create("b", 0)
	slices.Sort(want)
	same(f, "a principal", ids(f.list("a", "", 10)), want)
	same(f, "a page", ids(f.list("a", want[1], 2)), want[2:4])
	same(f, "another principal", ids(f.list("b", "", 10)), []string{other.ID})
	same(f, "nobody", ids(f.list("c", "", 10)), []string{})
	all := append(slices.Clone(want), other.ID)
	slices.Sort(all)
	same(f, "all", ids(f.list("", "", 10)), all)
}

func testLimits(f *fixture) {
	limits := event.SubscriptionLimits{PerPrincipal: 2, Total: 3}
	add := func(principal string) (*event.Subscription, error) {
		s, p := subscription(principal, 0)
		return s, f.one.Put(f.limit(), s, p, limits)
	}
	a, err := add("a")
	f.must(err)
	_, err = add("a")
	f.must(err)
	if _, err = add("a"); !errors.Is(err, event.ErrPrincipalFull) {
		f.Fatalf("a third one of a principal: %v", err)
	}
	f.must(f.two.Put(f.limit(), a, nil, limits)) // a change needs no room
	b, err := add("b")
	f.must(err)
	if _, err = add("c"); !errors.Is(err, event.ErrFull) || errors.Is(err, event.ErrPrincipalFull) {
		f.Fatalf("a fourth one in all: %v", err)
	}
	a.State = event.Ended
	f.must(f.two.Put(f.limit(), a, nil, limits))
	_, err = add("c")
	f.must(err)
	a.State = event.Live
	if err = f.one.Put(f.limit(), a, nil, limits); !errors.Is(err, event.ErrFull) {
		f.Fatalf("one that becomes live again: %v", err)
	}
	b.Expires = start
	f.must(f.one.Put(f.limit(), b, nil, limits))
	if n, err := f.two.Expire(f.limit(), start, 10); n != 1 || err != nil {
		f.Fatalf("Expire: %d %v", n, err)
	}
	f.must(f.one.Put(f.limit(), a, nil, limits))
}

func testExpire(f *fixture) {
	early, _ := f.create("a", 0)
	late, _ := f.create("a", 0)
	never, _ := subscription("a", 0)
	never.Expires = time.Time{}
	f.put(f.one, never, &event.Progress{})
	early.Expires, late.Expires = start.Add(time.Minute), start.Add(2*time.Minute)
	f.put(f.one, early, nil)
	f.put(f.one, late, nil)
	expire := func(at time.Time, limit, want int) {
		f.Helper()
		n, err := f.two.Expire(f.limit(), at, limit)
		f.must(err)
		same(f, "removed", n, want)
	}
	expire(start.Add(time.Minute-1), 10, 0)
	expire(start.Add(time.Minute), 10, 1)
	if _, _, err := f.one.Get(f.limit(), early.ID); !errors.Is(err, event.ErrNoSubscription) {
		f.Fatalf("Get of an expired one: %v", err)
	}
	expire(start.Add(time.Hour), 0, 0)
	expire(start.Add(1000*time.Hour), 10, 1)
	same(f, "left", ids(f.list("", "", 10)), []string{never.ID})
	early.Version = 0
	f.put(f.two, early, &event.Progress{}) // the id is free again
	if early.Version <= never.Version {
		f.Fatal("a version is given twice")
	}
}

func testLeases(f *fixture) {
	name := "test " + f.Name()
	held, err := f.one.Leases(f.limit())
	f.must(err)
	beat := uint64(0)
	for _, l := range held {
		if l.Name == name {
			beat = l.Beat
		}
	}
	take := func(on event.Store, owner string, beat uint64) (uint64, bool) {
		f.Helper()
		taken, err := on.Take(f.limit(), []event.Lease{{Name: name, Owner: owner, Beat: beat}})
		f.must(err)
		if len(taken) == 0 {
			return 0, false
		}
		same(f, "taken", taken, []event.Lease{{Name: name, Owner: owner, Beat: beat + 1}})
		return taken[0].Beat, true
	}
	first, ok := take(f.one, "a", beat)
	if !ok {
		f.Fatal("a free lease is refused")
	}
	if _, ok := take(f.two, "b", beat); ok {
		f.Fatal("a lease with another beat is given")
	}
	second, ok := take(f.one, "a", first)
	if !ok {
		f.Fatal("a lease is not renewed")
	}
	third, ok := take(f.two, "b", second)
	if !ok {
		f.Fatal("a lease is not taken over")
	}
	if _, ok := take(f.one, "a", second); ok {
		f.Fatal("a lease is renewed by an owner that has lost it")
	}
	held, err = f.one.Leases(f.limit())
	f.must(err)
	if !slices.Contains(held, event.Lease{Name: name, Owner: "b", Beat: third}) {
		f.Fatalf("leases: %v", held)
	}
	two := []event.Lease{{Name: name, Beat: 0}, {Name: name + " 2", Owner: "a", Beat: 0}}
	if taken, err := f.one.Take(f.limit(), two); err != nil || len(taken) > 1 {
		f.Fatalf("Take: %v %v", taken, err)
	}
}

// Of many that put one version, one wins.
func testManyPut(f *fixture) {
	s, _ := f.create("a", 0)
	for range 20 {
		var won atomic.Int32
		var next atomic.Pointer[event.Subscription]
		f.together(8, func(i int) error {
			mine := s.Clone()
			mine.URL = fmt.Sprint(i)
			err := f.handle(i).Put(f.limit(), mine, nil, roomy)
			if err == nil {
				won.Add(1)
				next.Store(mine)
			} else if !errors.Is(err, event.ErrChanged) {
				return err
			}
			return nil
		})
		same(f, "winners", won.Load(), 1)
		s = next.Load()
		if got, _, _ := f.two.Get(f.limit(), s.ID); got.URL != s.URL {
			f.Fatalf("kept %s, the winner is %s", got.URL, s.URL)
		}
	}
}

func testManyTake(f *fixture) {
	name := fmt.Sprint("many ", time.Now().UnixNano())
	for beat := range uint64(20) {
		var won atomic.Int32
		f.together(8, func(i int) error {
			taken, err := f.handle(i).Take(f.limit(), []event.Lease{{Name: name, Owner: fmt.Sprint(i), Beat: beat}})
			won.Add(int32(len(taken)))
			return err
		})
		same(f, "winners", won.Load(), 1)
	}
}

func (f *fixture) handle(i int) event.Store { return []event.Store{f.one, f.two}[i%2] }

func (f *fixture) together(n int, do func(i int) error) {
	f.Helper()
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			if err := do(i); err != nil {
				f.Error(err)
			}
		})
	}
	all.Wait()
}
