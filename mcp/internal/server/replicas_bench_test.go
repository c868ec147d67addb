package server

import (
	"context"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/replica"
)

// deadBus is a bus whose broker never answers.
type deadBus struct{}

func (deadBus) Publish(ctx context.Context, _ []byte) error {
	<-ctx.Done()
	return ctx.Err()
}

func (deadBus) Subscribe(ctx context.Context, _ func([]byte), _ func()) error {
	<-ctx.Done()
	return ctx.Err()
}

// BenchmarkUpdatedWithBus publishes for one subscriber, alone and with a broker that is dead.
func BenchmarkUpdatedWithBus(b *testing.B) {
	for name, bus := range map[string]replica.Bus{"alone": nil, "dead": deadBus{}} {
		s := resourceServerWith(b, &Options{Logger: silent(), UpdateDelay: 1 << 40, Bus: replica.Over(bus), Keys: busKey})
		newSession(b, s, protocol.Revision20251125).ask(subscribeTo("1", "b:///x"))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.ResourceUpdated("b:///x", "")
			}
		})
	}
}

// With a broker that is dead, publishing allocates nothing.
func TestUpdatedAllocatesNothingWithBus(t *testing.T) {
	n := newReplica(t, deadBus{})
	time.Sleep(10 * time.Millisecond) // the first beat waits for the broker
	n.ResourceUpdated("plain:///a", "")
	if allocs := testing.AllocsPerRun(1000, func() { n.ResourceUpdated("plain:///a", "") }); allocs >= 1 {
		t.Errorf("%v allocations", allocs)
	}
}
