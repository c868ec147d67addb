package redisbus_test

import (
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/mcpgen/mcpgen/bus/redis"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/event/logtest"
	"github.com/mcpgen/mcpgen/mcp/event/storetest"
)

func newEvents(t *testing.T, client redis.UniversalClient) *redisbus.Events {
	t.Helper()
	l, err := redisbus.NewEvents(client, "mcp:test:events")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func newSubscriptions(t *testing.T, client redis.UniversalClient) *redisbus.Subscriptions {
	t.Helper()
	s, err := redisbus.NewSubscriptions(client, "mcp:test:hooks")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Handles with clients of their own are replicas of one log.
func TestEvents(t *testing.T) {
	b := start(t)
	logtest.Run(t, func(t *testing.T) event.Log { return newEvents(t, connect(t, redis.Options{Addr: b.Addr})) })
}

// Handles with clients of their own are replicas of one store.
func TestSubscriptions(t *testing.T) {
	b := start(t)
	storetest.Run(t, func(t *testing.T) event.Store {
		return newSubscriptions(t, connect(t, redis.Options{Addr: b.Addr}))
	})
}

func entry(id string) *event.Entry {
	return &event.Entry{ID: id, Time: time.Now(), Kept: time.Now(), Data: []byte("{}")}
}

var (
	hour       = event.Retention{For: time.Hour, Most: 100}
	roomyHooks = event.SubscriptionLimits{PerPrincipal: 10, Total: 10}
)

// Changes that the client sends again, because it missed the answer, are made once and confirmed.
func TestEventsAgain(t *testing.T) {
	b := start(t)
	client := connect(t, redis.Options{Addr: b.Addr})
	client.AddHook(twice{connect(t, redis.Options{Addr: b.Addr})})
	l, s := newEvents(t, client), newSubscriptions(t, client)
	for _, id := range []string{"a", "b"} {
		if err := l.Append(t.Context(), "n", entry(id), hour); err != nil {
			t.Errorf("Append: %v", err)
		}
	}
	if err := l.Append(t.Context(), "n", entry("a"), hour); !errors.Is(err, event.ErrDuplicate) {
		t.Errorf("Append of what is there: %v", err)
	}
	sub, p := &event.Subscription{ID: "A", Principal: "p"}, &event.Progress{}
	for i := range 3 {
		if err := s.Put(t.Context(), sub, p, roomyHooks); err != nil {
			t.Fatalf("Put %d: %v", i, err)
		}
	}
	if refused, err := s.Save(t.Context(), []*event.Progress{p}); err != nil || len(refused) > 0 {
		t.Errorf("Save: %v %v", refused, err)
	}
	for beat := range uint64(3) {
		taken, err := s.Take(t.Context(), []event.Lease{{Name: "shard/00", Owner: "a b", Beat: beat}})
		if err != nil || len(taken) != 1 || taken[0].Beat != beat+1 {
			t.Errorf("Take: %v %v", taken, err)
		}
	}
	leases, err := s.Leases(t.Context())
	want := event.Lease{Name: "shard/00", Owner: "a b", Beat: 3}
	if err != nil || len(leases) != 1 || leases[0] != want {
		t.Errorf("Leases: %v %v", leases, err)
	}
}

// What was kept is there after a kill of a server that writes to its disk. One that does not comes back with another
// epoch and greater versions. While it is away calls fail.
func TestEventsKill(t *testing.T) {
	for _, lasting := range []bool{true, false} {
		onDisk := map[bool]string{true: "yes", false: "no"}[lasting]
		b := start(t, "--appendonly", onDisk, "--appendfsync", "always", "--save", "")
		client := connect(t, redis.Options{Addr: b.Addr})
		l, s := newEvents(t, client), newSubscriptions(t, client)
		sub, p := &event.Subscription{ID: "A", Principal: "p", URL: "https://example.com/"}, &event.Progress{}
		err := errors.Join(l.Append(t.Context(), "n", entry("a"), hour), s.Put(t.Context(), sub, p, roomyHooks))
		if err != nil {
			t.Fatal(err)
		}
		before, err := l.Read(t.Context(), "n", 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		do(t, b.Kill)
		away(t, l, s)
		do(t, func() error { return b.Start(t.Context()) })
		after, err := l.Read(t.Context(), "n", 0, 10)
		if err != nil || (after.Epoch == before.Epoch) != lasting || (len(after.Entries) == 1) != lasting {
			t.Errorf("lasting: %v: %+v %v, before: %+v", lasting, after, err, before)
		}
		got, _, err := s.Get(t.Context(), "A")
		if lasting != (err == nil) || !lasting && !errors.Is(err, event.ErrNoSubscription) || lasting && got.URL != sub.URL {
			t.Errorf("lasting: %v: %+v %v", lasting, got, err)
		}
		next := &event.Subscription{ID: "B", Principal: "p"}
		if err := s.Put(t.Context(), next, p, roomyHooks); err != nil || next.Version <= sub.Version {
			t.Errorf("lasting: %v: version %d after %d, %v", lasting, next.Version, sub.Version, err)
		}
	}
}

func away(t *testing.T, l *redisbus.Events, s *redisbus.Subscriptions) {
	t.Helper()
	appended := l.Append(t.Context(), "n", entry("b"), hour)
	_, _, get := s.Get(t.Context(), "A")
	for _, err := range []error{appended, get} {
		if err == nil || errors.Is(err, event.ErrDuplicate) || errors.Is(err, event.ErrNoSubscription) {
			t.Errorf("without a server: %v", err)
		}
	}
}
