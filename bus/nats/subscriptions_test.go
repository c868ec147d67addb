package natsbus_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/bus/nats"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/event/storetest"
)

func newSubscriptions(t *testing.T, address string, o natsbus.SubscriptionsOptions) *natsbus.Subscriptions {
	t.Helper()
	js, err := jetstream.New(connect(t, address))
	if err != nil {
		t.Fatal(err)
	}
	s, err := natsbus.NewSubscriptions(js, "hooks", o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Handles with connections of their own are replicas of one store.
func TestSubscriptions(t *testing.T) {
	b := start(t, "")
	storetest.Run(t, func(t *testing.T) event.Store {
		return newSubscriptions(t, b.Addr, natsbus.SubscriptionsOptions{})
	})
}

var roomyHooks = event.SubscriptionLimits{PerPrincipal: 10_000, Total: 100_000}

func put(t *testing.T, s event.Store, sub *event.Subscription, p *event.Progress) {
	t.Helper()
	if err := s.Put(limit(t), sub, p, roomyHooks); err != nil {
		t.Fatal(err)
	}
}

// eventually calls f until it succeeds.
func eventually(t *testing.T, f func() error) {
	t.Helper()
	err := f()
	for end := time.Now().Add(20 * time.Second); err != nil && time.Now().Before(end); err = f() {
		time.Sleep(50 * time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What was kept is there after a kill of the server, and versions go on. While it is away, and while it hangs, all
// calls fail in time.
func TestSubscriptionsKill(t *testing.T) {
	b := start(t, "")
	s := newSubscriptions(t, b.Addr, natsbus.SubscriptionsOptions{})
	sub, p := &event.Subscription{ID: "a", Principal: "ann", Shard: 7, URL: "https://example.com/"}, &event.Progress{}
	put(t, s, sub, p)
	p.At.Seq, p.Fence = 9, 2
	if refused, err := s.Save(limit(t), []*event.Progress{p}); err != nil || len(refused) > 0 {
		t.Fatal(refused, err)
	}
	taken, err := s.Take(limit(t), []event.Lease{{Name: "shard/07", Owner: "me"}})
	if err != nil || len(taken) != 1 {
		t.Fatal(taken, err)
	}
	fails := func(when string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, _, get := s.Get(ctx, "a")
		_, changed := s.Changed(ctx, []int{7}, 0, 10)
		_, save := s.Save(ctx, []*event.Progress{p})
		_, take := s.Take(ctx, taken)
		again := sub.Clone()
		for i, err := range []error{get, changed, save, take, s.Put(ctx, again, nil, roomyHooks)} {
			if err == nil || errors.Is(err, event.ErrNoSubscription) || errors.Is(err, event.ErrChanged) {
				t.Errorf("call %d %s: %v", i, when, err)
			}
		}
	}
	do(t, b.Kill)
	fails("without a server")
	do(t, func() error { return b.Start(t.Context()) })
	var got *event.Subscription
	var progress *event.Progress
	eventually(t, func() (err error) { got, progress, err = s.Get(limit(t), "a"); return err })
	if got.URL != sub.URL || got.Version != sub.Version || progress.At.Seq != 9 {
		t.Fatalf("after the kill: %+v %+v", got, progress)
	}
	if leases, err := s.Leases(limit(t)); err != nil || len(leases) != 1 || leases[0] != taken[0] {
		t.Fatalf("after the kill: %v %v", leases, err)
	}
	put(t, s, got, nil)
	if got.Version <= sub.Version {
		t.Errorf("version %d after %d", got.Version, sub.Version)
	}
	do(t, b.Pause)
	fails("while the server hangs")
	do(t, b.Resume)
	eventually(t, func() error { _, _, err := s.Get(limit(t), "a"); return err })
}

// A server that keeps nothing over its end comes back with an empty store, whose versions are greater than those that
// replicas know.
func TestSubscriptionsLost(t *testing.T) {
	b := start(t, "")
	s := newSubscriptions(t, b.Addr, natsbus.SubscriptionsOptions{Storage: jetstream.MemoryStorage})
	before := &event.Subscription{ID: "a", Principal: "ann"}
	put(t, s, before, &event.Progress{})
	do(t, b.Kill)
	do(t, func() error { return b.Start(t.Context()) })
	eventually(t, func() error {
		_, _, err := s.Get(limit(t), "a")
		if errors.Is(err, event.ErrNoSubscription) {
			return nil
		}
		return fmt.Errorf("found, or %w", err)
	})
	after := &event.Subscription{ID: "b", Principal: "ann"}
	eventually(t, func() error { return s.Put(limit(t), after, &event.Progress{}, roomyHooks) })
	changed, err := s.Changed(limit(t), []int{0}, before.Version, 10)
	if err != nil || len(changed) != 1 || changed[0].Subscription.ID != "b" {
		t.Errorf("changed: %+v %v", changed, err)
	}
}

// A record that cannot be read is told as damaged, and a new life of it can begin. The others are not affected.
func TestSubscriptionsDamage(t *testing.T) {
	b := start(t, "")
	s := newSubscriptions(t, b.Addr, natsbus.SubscriptionsOptions{})
	good := &event.Subscription{ID: "good", Principal: "ann", Shard: 1}
	bad := &event.Subscription{ID: "bad", Principal: "ann", Shard: 1, URL: "https://example.com/"}
	put(t, s, good, &event.Progress{})
	put(t, s, bad, &event.Progress{})
	js, err := jetstream.New(connect(t, b.Addr))
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(limit(t), "KV_hooks")
	if err != nil {
		t.Fatal(err)
	}
	m, err := stream.GetMsg(limit(t), bad.Version)
	if err != nil {
		t.Fatal(err)
	}
	spoilt := nats.NewMsg(m.Subject)
	spoilt.Header, spoilt.Data = m.Header, []byte("{")
	spoilt.Header.Del(jetstream.ExpectedLastSubjSeqHeader)
	if _, err := js.PublishMsg(limit(t), spoilt); err != nil {
		t.Fatal(err)
	}
	list, err := s.List(limit(t), "ann", "", 10)
	if err != nil || len(list) != 2 || list[0].Damage == nil || list[1].Damage != nil {
		t.Fatalf("%+v %v", list, err)
	}
	got := list[0].Subscription
	if got.ID != "bad" || got.Principal != "ann" || got.Shard != 1 || got.State != event.Ended || got.URL != "" {
		t.Errorf("the damaged one: %+v", got)
	}
	bad.Version = got.Version
	put(t, s, bad, &event.Progress{})
	if got, _, err := s.Get(limit(t), "bad"); err != nil || got.URL != bad.URL {
		t.Errorf("after a new life: %+v %v", got, err)
	}
}

// Many changes are read in order, whatever their number, and a limit cuts them.
func TestSubscriptionsMany(t *testing.T) {
	b := start(t, "")
	s, other := newSubscriptions(t, b.Addr, natsbus.SubscriptionsOptions{}),
		newSubscriptions(t, b.Addr, natsbus.SubscriptionsOptions{})
	const n = 300
	now := time.Now()
	for i := range n {
		sub := &event.Subscription{ID: fmt.Sprint("s", i), Principal: fmt.Sprint(i % 3), Shard: i % 4,
			Arguments: json.RawMessage("{}"), Expires: now.Add(time.Duration(i) * time.Second)}
		put(t, s, sub, &event.Progress{})
		for range i % 5 { // leaves holes
			put(t, s, sub, nil)
		}
	}
	var found []event.Stored
	for after := uint64(0); ; {
		some, err := other.Changed(limit(t), []int{0, 1, 3}, after, 16)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range some {
			if x.Subscription.Version <= after {
				t.Fatalf("version %d after %d", x.Subscription.Version, after)
			}
			after = x.Subscription.Version
		}
		if found = append(found, some...); len(some) < 16 {
			break
		}
	}
	if len(found) != n*3/4 {
		t.Errorf("%d have changed, want %d", len(found), n*3/4)
	}
	for _, step := range []struct{ seconds, want int }{{-1, 0}, {9, 10}, {9, 0}, {99, 90}} {
		got, err := other.Expire(limit(t), now.Add(time.Duration(step.seconds)*time.Second), 1000)
		if err != nil || got != step.want {
			t.Errorf("Expire after %d s: %d %v, want %d", step.seconds, got, err, step.want)
		}
	}
	if list, err := s.List(limit(t), "", "", 1000); err != nil || len(list) != n-100 {
		t.Errorf("%d are left, %v", len(list), err)
	}
}
