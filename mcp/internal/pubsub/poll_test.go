package pubsub

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"
	"time"
)

// A poll yields a change once, an error once, and nothing while two looks are alike.
func TestPollYieldsDifferences(t *testing.T) {
	bubble(t, func(t *testing.T, _ *Hub) {
		broken := errors.New("broken")
		looks := []View{{Sum: 1}, {Sum: 1}, {Sum: 2}, {Err: broken}, {Err: broken}, {Sum: 2}, {Sum: 2}}
		n := 0
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		start := time.Now()
		seq := Poll(ctx, time.Minute, func() View {
			v := looks[n]
			if n++; n == len(looks) {
				cancel()
			}
			return v
		})
		if n != 1 || time.Since(start) != 0 {
			t.Fatalf("the first look is taken at once: %d looks", n)
		}
		var at []int
		for _, err := range seq {
			at = append(at, n)
			if (err != nil) != (n == 4) {
				t.Errorf("look %d: %v", n, err)
			}
		}
		if !slices.Equal(at, []int{3, 4, 6}) {
			t.Errorf("values at looks %v", at)
		}
		if d := time.Since(start).Minutes(); d < 0.9*6 || d > 1.1*6 {
			t.Errorf("6 intervals took %v minutes", d)
		}
	})
}

// Who has read what was there only between two looks is told that it has gone; where each reader gets something of its
// own, less and less often.
func TestPollTellsReaders(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p := newPeer(t, h, nil)
		if h.Reads("a:///x") != nil {
			t.Error("nothing is polled yet")
		}
		if err := p.watchNow(t.Context(), "a:///x", func(ctx context.Context, _ string) (iter.Seq2[time.Time, error], error) {
			return Poll(ctx, time.Minute, func() View { return View{Sum: 1} }), nil
		}); err != nil {
			t.Fatal(err)
		}
		if h.Reads("a:///y") != nil {
			t.Error("a:///y is not polled")
		}
		p.conn.take()
		read := func(v View) int {
			h.Reads("a:///x").Add(v)
			time.Sleep(2 * time.Minute)
			return len(p.conn.take())
		}
		if n := read(View{Sum: 1}); n != 0 {
			t.Errorf("%d updates although the reader has what there is", n)
		}
		if n := read(View{Sum: 2}); n != 1 {
			t.Errorf("%d updates for the reader of something else", n)
		}
		notified := 0
		for range 200 {
			notified += read(View{Sum: 3})
		}
		if notified < 4 || notified > 12 {
			t.Errorf("told %d times in 400 minutes", notified)
		}
	})
}
