package lease

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// holder has shards and does nothing with them.
type holder map[int]uint64

func (h holder) Held() map[int]uint64 { return h }
func (h holder) Drain(int) []int      { return nil }
func (h holder) Lapse(time.Time)      {}

func (h holder) Renewed(beats map[int]uint64, _ time.Time) {
	clear(h)
	h.Enter(beats, time.Time{})
}

func (h holder) Leave(context.Context, []int) map[int]uint64 { return nil }

func (h holder) Enter(beats map[int]uint64, _ time.Time) {
	maps.Copy(h, beats)
}

// lossy is a store that can be replaced by an empty one.
type lossy struct{ event.Store }

// A replica goes on when the store has lost its leases, as one in the memory of a broker that was killed.
func TestLostLeases(t *testing.T) {
	store, h := &lossy{new(event.MemoryStore)}, holder{}
	l := New(store, "me", time.Second, h)
	turns := func(n int) {
		t.Helper()
		for range n {
			if err := l.Turn(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if len(h) != event.Shards {
			t.Fatalf("%d shards are held", len(h))
		}
	}
	turns(5)
	store.Store = new(event.MemoryStore)
	turns(3)
	other := New(store, "other", time.Second, holder{})
	if other.Turn(t.Context()) != nil || len(other.holder.Held()) > 0 {
		t.Errorf("another replica has taken %d shards that are held", len(other.holder.Held()))
	}
}
