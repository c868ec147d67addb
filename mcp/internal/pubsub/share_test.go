package pubsub

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"
	"testing/synctest"
	"time"
)

// clientOf returns a connection of a client of h.
func clientOf(t *testing.T, h *Hub, client string) *peer {
	p := newPeer(t, h, nil)
	p.limits.Client, p.session.client = client, client
	return p
}

// Clients share what there is: none takes more than a quarter, all together not more than there is, and what ends makes
// room again, whichever way it ends.
func TestSubscriptionsInAll(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		h.shares.bound(8, 0)
		subscribe := func(p *peer, i int) error {
			u, err := p.subscribe(fmt.Sprintf("a:///%d", i), nil)
			if err == nil {
				p.Accept(u, nil, always)
			}
			return err
		}
		ada, same := clientOf(t, h, "ada"), clientOf(t, h, "ada")
		var others []*peer
		if err := errors.Join(subscribe(ada, 1), subscribe(same, 2)); err != nil {
			t.Fatal(err)
		}
		if err := subscribe(same, 3); !errors.Is(err, ErrFull) {
			t.Errorf("the third of one client: %v", err)
		}
		listen := Listen{ID: "7", Encoder: fakeEncoder{"7"}, Settle: always,
			Topics: []Request{{Topic: Topic{URI: "a:///4"}}, {Topic: Topic{URI: "a:///5"}}}}
		if _, err := ada.Listen(listen); !errors.Is(err, ErrFull) {
			t.Errorf("a listen of a client that has its share: %v", err)
		}
		for i := range 3 {
			p := clientOf(t, h, fmt.Sprint("client", i))
			others = append(others, p)
			if err := errors.Join(subscribe(p, 1), subscribe(p, 2)); err != nil {
				t.Fatal(err)
			}
		}
		if err := subscribe(clientOf(t, h, "late"), 1); !errors.Is(err, ErrFull) {
			t.Errorf("the ninth of all: %v", err)
		}
		others[0].Unsubscribe("a:///1")
		if err := subscribe(clientOf(t, h, "late"), 1); err != nil {
			t.Errorf("after one has left: %v", err)
		}
		ada.Close(false)
		same.Close(true)
		if err := subscribe(clientOf(t, h, "ada"), 9); err != nil {
			t.Errorf("after both connections of the client have ended: %v", err)
		}
		if got := h.Stats().RefusedSubscriptions; got != 4 {
			t.Errorf("%d refusals, want 4: one, a listen of two, one", got)
		}
	})
}

// Watchers are bounded in all and for each client; one that has ended makes room, also while it waits to be opened
// again.
func TestWatchersInAll(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		h.shares.bound(0, 8)
		open := func(ctx context.Context, _ string) (iter.Seq2[time.Time, error], error) { return never(ctx), nil }
		ends := func(context.Context, string) (iter.Seq2[time.Time, error], error) {
			return func(func(time.Time, error) bool) {}, nil // is opened again after a pause
		}
		ada := clientOf(t, h, "ada")
		for i, o := range []Opener{open, ends} {
			if err := ada.watchNow(t.Context(), fmt.Sprintf("a:///%d", i), o); err != nil {
				t.Fatal(err)
			}
		}
		if err := ada.watchNow(t.Context(), "a:///2", open); !errors.Is(err, ErrTooManyWatchers) {
			t.Errorf("the third of one client: %v", err)
		}
		if err := clientOf(t, h, "bob").watchNow(t.Context(), "a:///0", open); err != nil {
			t.Errorf("a watcher that is there serves others too: %v", err)
		}
		if _, err := ada.subscribe("a:///9", nil); err != nil {
			t.Errorf("what needs no watcher: %v", err)
		}
		synctest.Wait()
		for _, uri := range []string{"a:///1", "a:///0"} {
			ada.Unsubscribe(uri)
			synctest.Wait()
			h.shares.mu.Lock()
			got := h.shares.total[countWatchers]
			h.shares.mu.Unlock()
			if got != 1 { // bob still watches a:///0
				t.Errorf("%d watchers after %s, want 1", got, uri)
			}
		}
		if err := ada.watchNow(t.Context(), "a:///3", open); err != nil {
			t.Errorf("after ada has left what bob still watches: %v", err)
		}
		for i := range 6 {
			if err := clientOf(t, h, fmt.Sprint(i)).watchNow(t.Context(), fmt.Sprintf("b:///%d", i), open); err != nil {
				t.Fatal(err)
			}
		}
		if err := clientOf(t, h, "late").watchNow(t.Context(), "b:///8", open); !errors.Is(err, ErrTooManyWatchers) {
			t.Errorf("the ninth of all: %v", err)
		}
		if s := h.Stats(); s.RefusedWatchers != 2 || s.Watchers != 8 {
			t.Errorf("%+v", s)
		}
	})
}

// Four clients that take all that they get, one by one or at once, leave some for others.
func TestSharesOfNewcomers(t *testing.T) {
	open := func(ctx context.Context, _ string) (iter.Seq2[time.Time, error], error) { return never(ctx), nil }
	for name, get := range map[string]func(ctx context.Context, p *peer, of string, n int) error{
		"subscriptions": func(_ context.Context, p *peer, of string, n int) error {
			l := Listen{ID: of, Encoder: fakeEncoder{of}, Settle: always}
			for i := range n {
				l.Topics = append(l.Topics, Request{Topic: Topic{URI: fmt.Sprintf("a:///%s/%d", of, i)}})
			}
			_, err := p.Listen(l)
			return err
		},
		"watchers": func(ctx context.Context, p *peer, of string, n int) (err error) {
			for i := 0; i < n && err == nil; i++ {
				err = p.watchNow(ctx, fmt.Sprintf("a:///%s/%d", of, i), open)
			}
			return err
		},
	} {
		for _, most := range []int{1, 7, 40} { // of what one listen has
			t.Run(fmt.Sprint(name, " ", most), func(t *testing.T) {
				bubble(t, func(t *testing.T, h *Hub) {
					h.shares.bound(160, 160)
					for c := range 4 {
						p := clientOf(t, h, fmt.Sprint("greedy", c))
						for i := range 200 {
							if get(t.Context(), p, fmt.Sprint(c, "-", i), most) != nil {
								break
							}
						}
					}
					for c := range 10 {
						p := clientOf(t, h, fmt.Sprint("newcomer", c))
						if err := get(t.Context(), p, fmt.Sprint("n", c), 1); err != nil {
							t.Errorf("newcomer %d: %v", c, err)
						}
					}
				})
			})
		}
	}
}
