// Package storetest tests an implementation of [event.Store] against what its documentation promises:
//
//	func TestSubscriptions(t *testing.T) {
//		file := filepath.Join(t.TempDir(), "events.sqlite")
//		storetest.Run(t, func(t *testing.T) event.Store { return open(t, file) })
//	}
package storetest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// start is the time at which each test begins.
var start = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// roomy are limits that do not matter.
var roomy = event.SubscriptionLimits{PerPrincipal: 10_000, Total: 100_000}

// Run tests a store. Each call of newStore returns another handle of the same store, as another replica would open it,
// and closes it by t.Cleanup. All subscriptions of the store are removed: do not test a store that is in use.
func Run(t *testing.T, newStore func(t *testing.T) event.Store) {
	t.Helper()
	for _, c := range []struct {
		name string
		test func(*fixture)
	}{
		{"one subscription", testOne},
		{"versions", testVersions},
		{"lives", testLives},
		{"progress", testProgress},
		{"copies", testCopies},
		{"changed", testChanged},
		{"list", testList},
		{"limits", testLimits},
		{"expire", testExpire},
		{"leases", testLeases},
		{"many put", testManyPut},
		{"many take", testManyTake},
		{"end of ctx", testEnd},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fixture{t, newStore(t), newStore(t)}
			f.empty()
			c.test(f)
		})
	}
}

// fixture is a test with two handles on one empty store, as two replicas have them.
type fixture struct {
	*testing.T

	one, two event.Store
}

// limit returns a context that ends a test that hangs.
func (f *fixture) limit() context.Context {
	ctx, cancel := context.WithTimeout(f.Context(), 30*time.Second)
	f.Cleanup(cancel)
	return ctx
}

func (f *fixture) empty() {
	f.Helper()
	all := f.list("", "", 1_000_000)
	for _, s := range all {
		s.Subscription.Expires = start
		f.put(f.one, s.Subscription, nil)
	}
	if n, err := f.two.Expire(f.limit(), start, len(all)); err != nil || n != len(all) {
		f.Fatalf("Expire removed %d of %d: %v", n, len(all), err)
	}
}

// must fails the test if err is not nil.
func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) put(on event.Store, s *event.Subscription, p *event.Progress) {
	f.Helper()
	f.must(on.Put(f.limit(), s, p, roomy))
}

func (f *fixture) list(principal, after string, limit int) []event.Stored {
	f.Helper()
	out, err := f.one.List(f.limit(), principal, after, limit)
	f.must(err)
	return out
}

// create puts a new subscription and returns it with its progress.
func (f *fixture) create(principal string, shard int) (*event.Subscription, *event.Progress) {
	f.Helper()
	s, p := subscription(principal, shard)
	f.put(f.one, s, p)
	return s, p
}

// is fails the test unless both handles have s and p.
func (f *fixture) is(s *event.Subscription, p *event.Progress) {
	f.Helper()
	for _, handle := range []event.Store{f.one, f.two} {
		gotS, gotP, err := handle.Get(f.limit(), s.ID)
		f.must(err)
		if got, want := text(gotS, gotP), text(s, p); got != want {
			f.Fatalf("the store has\n%s\nwant\n%s", got, want)
		}
	}
}

func text(v ...any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// subscription returns a new subscription and its progress, with all fields set that the store does not set.
func subscription(principal string, shard int) (*event.Subscription, *event.Progress) {
	s := &event.Subscription{
		ID: fmt.Sprintf("%016X", time.Now().UnixNano()) + rand.Text(), Shard: shard, Principal: principal,
		Caller: event.Caller{Subject: principal, Scopes: []string{"a", "b"}, Roles: []string{"r"}},
		Name:   "incident.opened", Arguments: fmt.Appendf(nil, "{%q:%q}", "service", "ü€"), Schema: 2,
		URL: "https://example.com/hook?a=b", Secrets: []byte{0, 1, 255}, State: event.Live,
		Why:     &event.Error{Kind: event.Forbidden, Message: "m", Reason: "r", Max: 3},
		Created: start, Verified: start.Add(time.Second), Expires: start.Add(time.Hour),
	}
	p := &event.Progress{
		At:      event.Position{Epoch: "e", Seq: 1<<53 + 1},
		Pending: []event.Pending{{Seq: 1<<53 + 2, Tries: 1, Next: start.Add(time.Minute)}, {Seq: 1<<53 + 3, Done: true}},
		Gap:     true, Notice: event.Pending{Tries: 2, Next: start}, LastDelivery: start,
		FailedSince: start, LastError: "timeout", Recent: [2]event.Tally{{Attempts: 3, Failures: 2}, {}}, Period: start,
	}
	return s, p
}

func testOne(f *fixture) {
	if _, _, err := f.one.Get(f.limit(), "nobody"); !errors.Is(err, event.ErrNoSubscription) {
		f.Fatalf("Get of none: %v", err)
	}
	s, p := f.create("a", 3)
	if s.Version == 0 || s.Birth != s.Version || p.Birth != s.Birth || p.ID != s.ID {
		f.Fatalf("Put has not set version, birth and id: %s", text(s, p))
	}
	f.is(s, p)
}

func testVersions(f *fixture) {
	s, p := f.create("a", 3)
	again, progress := s.Clone(), p.Clone()
	again.Version = 0
	if err := f.two.Put(f.limit(), again, progress, roomy); !errors.Is(err, event.ErrChanged) {
		f.Fatalf("Put of one that exists: %v", err)
	}
	f.is(s, p)
	before := s.Version
	s.URL, s.State = "https://example.com/other", event.Ending
	f.put(f.two, s, nil)
	if s.Version <= before {
		f.Fatalf("version %d after %d", s.Version, before)
	}
	f.is(s, p)
	stale := s.Clone()
	stale.Version = before
	if err := f.one.Put(f.limit(), stale, nil, roomy); !errors.Is(err, event.ErrChanged) {
		f.Fatalf("Put with an old version: %v", err)
	}
	other, _ := f.create("b", 4)
	if other.Version <= s.Version {
		f.Fatalf("version %d of another subscription after %d", other.Version, s.Version)
	}
	unknown, _ := subscription("a", 3)
	unknown.Version = s.Version
	if err := f.one.Put(f.limit(), unknown, nil, roomy); !errors.Is(err, event.ErrChanged) {
		f.Fatalf("Put of a version that is not there: %v", err)
	}
}

// Progress of an earlier life does not come back.
func testLives(f *fixture) {
	s, late := f.create("a", 3)
	if refused, err := f.one.Save(f.limit(), []*event.Progress{late}); err != nil || len(refused) != 0 {
		f.Fatalf("Save: %v %v", refused, err)
	}
	late = late.Clone()
	late.Fence, late.At.Seq = 100, late.At.Seq+9
	_, fresh := subscription("a", 3)
	f.put(f.two, s, fresh)
	if fresh.Birth != s.Version || fresh.Birth == late.Birth {
		f.Fatalf("birth %d of a new life, %d before", fresh.Birth, late.Birth)
	}
	f.is(s, fresh)
	refused, err := f.one.Save(f.limit(), []*event.Progress{late})
	if err != nil || !slices.Equal(refused, []string{s.ID}) {
		f.Fatalf("Save for an earlier life: %v %v", refused, err)
	}
	f.is(s, fresh)
}

func testProgress(f *fixture) {
	s, p := f.create("a", 3)
	other, q := f.create("b", 3)
	p.Fence, p.At.Seq, p.Pending, p.Gap, p.LastError = 5, p.At.Seq+9, nil, false, ""
	q.Fence, q.Suspended, q.FailedSince = 7, 4, time.Time{}
	gone := &event.Progress{ID: "nobody"}
	refused, err := f.two.Save(f.limit(), []*event.Progress{p, gone, q})
	if err != nil || !slices.Equal(refused, []string{"nobody"}) {
		f.Fatalf("Save: %v %v", refused, err)
	}
	f.is(s, p)
	f.is(other, q)
	late := p.Clone()
	late.Fence, late.At.Seq = 4, 1
	refused, err = f.one.Save(f.limit(), []*event.Progress{late})
	if err != nil || !slices.Equal(refused, []string{s.ID}) {
		f.Fatalf("Save with a smaller fence: %v %v", refused, err)
	}
	f.is(s, p)
	p.At.Seq++
	if refused, err = f.one.Save(f.limit(), []*event.Progress{p}); err != nil || len(refused) != 0 {
		f.Fatalf("Save with the same fence: %v %v", refused, err)
	}
	version := s.Version
	f.is(s, p)
	if got, _, _ := f.one.Get(f.limit(), s.ID); got.Version != version {
		f.Fatal("Save has changed the version")
	}
}

func testCopies(f *fixture) {
	s, p := f.create("a", 3)
	wantS, wantP := s.Clone(), p.Clone()
	spoil(s, p)
	f.is(wantS, wantP)
	gotS, gotP, err := f.one.Get(f.limit(), wantS.ID)
	f.must(err)
	spoil(gotS, gotP)
	f.is(wantS, wantP)
	save := wantP.Clone()
	_, err = f.one.Save(f.limit(), []*event.Progress{save})
	f.must(err)
	spoil(gotS, save)
	f.is(wantS, wantP)
}

func spoil(s *event.Subscription, p *event.Progress) {
	s.Arguments[0], s.Secrets[0], s.Caller.Scopes[0], s.Caller.Roles[0], s.Why.Message = 'x', 9, "x", "x", "x"
	p.Pending[0].Seq = 0
}

func testEnd(f *fixture) {
	s, p := f.create("a", 3)
	ctx, cancel := context.WithCancel(f.Context())
	cancel()
	_, _, get := f.one.Get(ctx, s.ID)
	_, save := f.one.Save(ctx, []*event.Progress{p})
	_, changed := f.one.Changed(ctx, []int{3}, 0, 10)
	_, list := f.one.List(ctx, "", "", 10)
	_, expire := f.one.Expire(ctx, start.Add(1000*time.Hour), 10)
	_, leases := f.one.Leases(ctx)
	_, take := f.one.Take(ctx, []event.Lease{{Name: "end"}})
	put := f.one.Put(ctx, s.Clone(), nil, roomy)
	for i, err := range []error{get, save, changed, list, expire, leases, take, put} {
		if !errors.Is(err, context.Canceled) {
			f.Errorf("method %d after the end of its context: %v", i, err)
		}
	}
	f.is(s, p)
}

func same[T any](f *fixture, what string, got, want T) {
	f.Helper()
	if !reflect.DeepEqual(got, want) {
		f.Fatalf("%s: %v, want %v", what, got, want)
	}
}
