package relay

import (
	"context"
	"log/slog"
	"testing"
	"time"
)

// deadBus is a broker that never answers.
type deadBus struct{}

func (deadBus) Publish(ctx context.Context, _ []byte) error {
	<-ctx.Done()
	return ctx.Err()
}

func (deadBus) Subscribe(ctx context.Context, _ func([]byte), _ func()) error {
	<-ctx.Done()
	return ctx.Err()
}

// newDead is a relay whose broker is dead.
func newDead() *Relay {
	return New(Config{
		Bus: deadBus{}, Name: "test", Box: testBox, Log: slog.New(slog.DiscardHandler), Receiver: new(heardBy),
	})
}

// Noting allocates nothing, with a broker that works, one that is dead, and a full set.
func TestNoteAllocates(t *testing.T) {
	uris := make([]Signal, 1000)
	for i := range uris {
		uris[i] = Signal{Updated, uriOf(i)}
	}
	r := newDead()
	defer r.Close()
	time.Sleep(time.Millisecond) // it waits for the first beat
	noteAll := func() {
		for _, s := range uris {
			r.Note(s)
		}
	}
	noteAll()
	if n := testing.AllocsPerRun(100, noteAll); n > 1 { // the sender, now and then
		t.Errorf("%v allocations for %d signals", n, len(uris))
	}
	for i := range maxPending + 1 {
		r.Note(Signal{Updated, uriOf(i)})
	}
	if n := testing.AllocsPerRun(100, noteAll); n > 1 {
		t.Errorf("%v allocations for %d signals of a full set", n, len(uris))
	}
}

func BenchmarkNote(b *testing.B) {
	r := newDead()
	defer r.Close()
	s := Signal{Updated, "notes:///1"}
	b.ReportAllocs()
	for b.Loop() {
		r.Note(s)
	}
}
