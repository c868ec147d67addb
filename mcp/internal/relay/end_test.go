package relay

import (
	"context"
	"log/slog"
	"testing"
	"time"
)

// slowBus is a bus on which to publish takes a while.
type slowBus struct{ Bus }

func (b slowBus) Publish(ctx context.Context, frame []byte) error {
	time.Sleep(10 * time.Millisecond)
	return b.Bus.Publish(ctx, frame)
}

// What is noted right before the end of a replica reaches the others, also while it publishes something else.
func TestNotesBeforeEnd(t *testing.T) {
	bubble(t, 1, func(t *testing.T, b *badBus, all []*member) {
		const rounds, notes = 32, 5
		for range rounds {
			late := New(Config{
				Bus: slowBus{&badPort{badBus: b}}, Name: "test", Box: testBox, Log: slog.New(slog.DiscardHandler),
				Receiver: new(heardBy),
			})
			pass(20 * time.Second)
			for i := range notes {
				late.Note(Signal{Updated, uriOf(i)})
				pass(0)
			}
			late.Close()
			pass(time.Second)
		}
		if got := len(all[0].take()); got != rounds*notes {
			t.Errorf("%d signals of %d", got, rounds*notes)
		}
	})
}
