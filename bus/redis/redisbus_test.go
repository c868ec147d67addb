package redisbus_test

import (
	"context"
	"errors"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/mcpgen/mcpgen/bus/redis"
	"github.com/mcpgen/mcpgen/internal/dev/broker"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/bustest"
	"github.com/mcpgen/mcpgen/mcp/replica/sessiontest"
)

// start starts a Redis server for a test, which is skipped if there is none.
func start(t *testing.T, args ...string) *broker.Broker {
	t.Helper()
	b, err := broker.StartRedis(t.Context(), t.TempDir(), args...)
	if errors.Is(err, broker.ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { do(t, b.Kill) })
	return b
}

func do(t *testing.T, f func() error) {
	t.Helper()
	if err := f(); err != nil {
		t.Fatal(err)
	}
}

func connect(t *testing.T, o redis.Options) *redis.Client {
	t.Helper()
	o.ContextTimeoutEnabled = true
	client := redis.NewClient(&o)
	t.Cleanup(func() { do(t, client.Close) })
	return client
}

func newBus(b *broker.Broker) func(t *testing.T) replica.Bus {
	return func(t *testing.T) replica.Bus {
		t.Helper()
		bus, err := redisbus.NewBus(connect(t, redis.Options{Addr: b.Addr}), "mcp:test")
		if err != nil {
			t.Fatal(err)
		}
		return bus
	}
}

func newStore(b *broker.Broker) func(t *testing.T) replica.SessionStore {
	return func(t *testing.T) replica.SessionStore {
		t.Helper()
		store, err := redisbus.NewSessions(connect(t, redis.Options{Addr: b.Addr}), "mcp:test:")
		if err != nil {
			t.Fatal(err)
		}
		return store
	}
}

func TestBus(t *testing.T) {
	bustest.Run(t, newBus(start(t)))
}

// A server that cuts off slow subscribers.
func TestBusImpatient(t *testing.T) {
	bustest.Run(t, newBus(start(t, "--client-output-buffer-limit", "pubsub 8mb 8mb 0")))
}

func TestBusFaults(t *testing.T) {
	b := start(t)
	bustest.RunFaults(t, newBus(b), bustest.Faults{
		Stop:   func(t *testing.T) { do(t, b.Kill) },
		Start:  func(t *testing.T) { do(t, func() error { return b.Start(t.Context()) }) },
		Pause:  func(t *testing.T) { do(t, b.Pause) },
		Resume: func(t *testing.T) { do(t, b.Resume) },
		Cut:    func(t *testing.T) { kill(t, b) },
	})
}

// kill ends all connections but its own, those of subscribers and of others.
func kill(t *testing.T, b *broker.Broker) {
	t.Helper()
	client := connect(t, redis.Options{Addr: b.Addr})
	for _, kind := range []string{"pubsub", "normal"} {
		if err := client.ClientKillByFilter(context.Background(), "TYPE", kind, "SKIPME", "yes").Err(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSessions(t *testing.T) {
	sessiontest.Run(t, newStore(start(t)))
}

func TestSessionsFaults(t *testing.T) {
	b := start(t)
	sessiontest.RunFaults(t, newStore(b), sessiontest.Faults{
		Stop:   func(t *testing.T) { do(t, b.Kill) },
		Start:  func(t *testing.T) { do(t, func() error { return b.Start(t.Context()) }) },
		Pause:  func(t *testing.T) { do(t, b.Pause) },
		Resume: func(t *testing.T) { do(t, b.Resume) },
	})
}
