package natsbus_test

import (
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/bus/nats"
	"github.com/mcpgen/mcpgen/internal/dev/broker"
	"github.com/mcpgen/mcpgen/internal/dev/cut"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/bustest"
	"github.com/mcpgen/mcpgen/mcp/replica/sessiontest"
)

// start starts a NATS server for a test.
func start(t *testing.T, config string) *broker.Broker {
	t.Helper()
	b, err := broker.StartNATS(t.Context(), t.TempDir(), config)
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

func connect(t *testing.T, address string, options ...nats.Option) *nats.Conn {
	t.Helper()
	quiet := nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})
	conn, err := natsbus.Connect("nats://"+address, append([]nats.Option{quiet}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

func newBus(address string) func(t *testing.T) replica.Bus {
	return func(t *testing.T) replica.Bus {
		t.Helper()
		bus, err := natsbus.NewBus(connect(t, address), "mcp.test")
		if err != nil {
			t.Fatal(err)
		}
		return bus
	}
}

func newStore(address string) func(t *testing.T) replica.SessionStore {
	return func(t *testing.T) replica.SessionStore {
		t.Helper()
		js, err := jetstream.New(connect(t, address))
		if err != nil {
			t.Fatal(err)
		}
		store, err := natsbus.NewSessions(js, "sessions", natsbus.SessionsOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return store
	}
}

func TestBus(t *testing.T) {
	b := start(t, "")
	bustest.Run(t, newBus(b.Addr))
}

func TestBusFaults(t *testing.T) {
	b := start(t, "")
	p, err := cut.New(t.Context(), b.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	bustest.RunFaults(t, newBus(p.Addr()), bustest.Faults{
		Stop:   func(t *testing.T) { do(t, b.Kill) },
		Start:  func(t *testing.T) { do(t, func() error { return b.Start(t.Context()) }) },
		Pause:  func(t *testing.T) { do(t, b.Pause) },
		Resume: func(t *testing.T) { do(t, b.Resume) },
		Cut:    func(*testing.T) { p.Reset() },
	})
}

func TestSessions(t *testing.T) {
	b := start(t, "")
	sessiontest.Run(t, newStore(b.Addr))
}

func TestSessionsFaults(t *testing.T) {
	b := start(t, "")
	sessiontest.RunFaults(t, newStore(b.Addr), sessiontest.Faults{
		Stop:   func(t *testing.T) { do(t, b.Kill) },
		Start:  func(t *testing.T) { do(t, func() error { return b.Start(t.Context()) }) },
		Pause:  func(t *testing.T) { do(t, b.Pause) },
		Resume: func(t *testing.T) { do(t, b.Resume) },
	})
}
