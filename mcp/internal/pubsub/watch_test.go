package pubsub

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

// never is a watcher that reports nothing until it is cancelled.
func never(ctx context.Context) iter.Seq2[time.Time, error] {
	return func(func(time.Time, error) bool) { <-ctx.Done() }
}

// watchNow subscribes with a watcher and returns its error.
func (p *peer) watchNow(ctx context.Context, uri string, open Opener) error {
	u, err := p.subscribe(uri, open)
	if err != nil {
		return err
	}
	if err := p.hub.waitWatcher(ctx, u); err != nil {
		p.Withdraw(u)
		return err
	}
	p.Accept(u, answerTo(1), always)
	return nil
}

// One watcher serves all subscribers of a resource, on every conn, until the last has gone.
func TestOneWatcherPerResource(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		var opened, ended int
		changes := make(chan error)
		open := func(ctx context.Context, _ string) (iter.Seq2[time.Time, error], error) {
			opened++
			return func(yield func(time.Time, error) bool) {
				defer func() { ended++ }()
				for {
					select {
					case err := <-changes:
						if !yield(time.Now(), err) {
							return
						}
					case <-ctx.Done():
						return
					}
				}
			}, nil
		}
		p, q := newPeer(t, h, nil), newPeer(t, h, nil)
		for _, x := range []*peer{p, q, q} {
			if err := x.watchNow(t.Context(), "a:///x", open); err != nil {
				t.Fatal(err)
			}
		}
		changes <- nil
		changes <- errBoom // counts as a change too
		settleDown()
		wantText(t, "p", p.conn.lines(), "result 1; resources/updated a:///x")
		wantText(t, "q", q.conn.lines(), "result 1; result 1; resources/updated a:///x")
		p.Close(false)
		synctest.Wait()
		if opened != 1 || ended != 0 {
			t.Fatalf("opened %d, ended %d while one is left", opened, ended)
		}
		q.Unsubscribe("a:///x")
		synctest.Wait()
		if ended != 1 || h.resources.count.Load() != 0 {
			t.Fatalf("ended %d, %d topics after the last", ended, h.resources.count.Load())
		}
		if err := q.watchNow(t.Context(), "a:///x", open); err != nil || opened != 2 {
			t.Errorf("again: %v, opened %d", err, opened)
		}
	})
}

// A Watch function that fails, panics or exits undoes the subscription, for all who wait for it,
// and the next subscriber tries again.
func TestWatchThatFails(t *testing.T) {
	for name, open := range map[string]Opener{
		"error": func(ctx context.Context, _ string) (iter.Seq2[time.Time, error], error) { return never(ctx), errBoom },
		"panic": func(context.Context, string) (iter.Seq2[time.Time, error], error) { panic(errBoom) },
		"exit":  func(context.Context, string) (iter.Seq2[time.Time, error], error) { runtime.Goexit(); return nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *Hub) {
				p, q := newPeer(t, h, nil), newPeer(t, h, nil)
				slow := func(ctx context.Context, _ string) (iter.Seq2[time.Time, error], error) {
					time.Sleep(time.Second)
					return open(ctx, "")
				}
				var wg sync.WaitGroup
				for _, x := range []*peer{p, q, q} {
					wg.Go(func() {
						if err := x.watchNow(t.Context(), "a:///x", slow); err == nil {
							t.Error("no error")
						}
					})
				}
				wg.Wait()
				if h.subs() != 0 || h.resources.count.Load() != 0 || p.uris+q.uris != 0 {
					t.Errorf("left: %d subs, %d topics, %d+%d counted", h.subs(), h.resources.count.Load(), p.uris, q.uris)
				}
				fine := func(ctx context.Context, _ string) (iter.Seq2[time.Time, error], error) { return never(ctx), nil }
				if err := p.watchNow(t.Context(), "a:///x", fine); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// Who comes after a Watch function has failed gets a watcher of their own, which those who still
// have to leave do not take along.
func TestWatchIsTriedAgain(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p, q := newPeer(t, h, nil), newPeer(t, h, nil)
		u, err := p.subscribe("a:///x", func(context.Context, string) (iter.Seq2[time.Time, error], error) {
			return nil, errBoom
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.startWatcher(u); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := q.watchNow(t.Context(), "a:///x", func(ctx context.Context, _ string) (iter.Seq2[time.Time, error], error) {
			return never(ctx), nil
		}); err != nil {
			t.Fatal(err)
		}
		if err := p.hub.waitWatcher(t.Context(), u); !errors.Is(err, errBoom) {
			t.Error(err)
		}
		p.Withdraw(u)
		h.Publish("a:///x")
		settleDown()
		wantText(t, "frames", q.conn.lines(), "result 1; resources/updated a:///x")
	})
}

// A sequence that overlooks the end of its context is stopped at its next value.
func TestDeafWatcherIsStopped(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p := newPeer(t, h, nil)
		stopped := false
		open := func(context.Context, string) (iter.Seq2[time.Time, error], error) {
			return func(yield func(time.Time, error) bool) {
				for yield(time.Now(), nil) {
					time.Sleep(time.Minute)
				}
				stopped = true
			}, nil
		}
		if err := p.watchNow(t.Context(), "a:///x", open); err != nil {
			t.Fatal(err)
		}
		p.Unsubscribe("a:///x")
		time.Sleep(2 * time.Minute)
		if synctest.Wait(); !stopped {
			t.Error("still running")
		}
	})
}

// A watcher that ends by itself or panics leaves the subscription; a panic counts as a change.
func TestWatcherThatEnds(t *testing.T) {
	for name, tc := range map[string]struct {
		seq  iter.Seq2[time.Time, error]
		want string
	}{
		"nil":   {nil, "result 1"},
		"end":   {func(func(time.Time, error) bool) {}, "result 1"},
		"panic": {func(func(time.Time, error) bool) { panic(errBoom) }, "result 1; resources/updated a:///x"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *Hub) {
				p := newPeer(t, h, nil)
				open := func(context.Context, string) (iter.Seq2[time.Time, error], error) { return tc.seq, nil }
				if err := p.watchNow(t.Context(), "a:///x", open); err != nil {
					t.Fatal(err)
				}
				settleDown()
				wantText(t, "after the end", p.conn.lines(), tc.want)
				h.Publish("a:///x")
				settleDown()
				if !strings.Contains(p.conn.lines(), "resources/updated a:///x") {
					t.Error("a published change is not told")
				}
			})
		})
	}
}

// A subscriber that goes while the Watch function runs does not disturb one that stays; when all
// have gone, the context of the function ends.
func TestLeavingWhileWatchOpens(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		gate := make(chan struct{})
		var cancelled atomic.Bool
		open := func(ctx context.Context, _ string) (iter.Seq2[time.Time, error], error) {
			select {
			case <-gate:
				return never(ctx), nil
			case <-ctx.Done():
				cancelled.Store(true)
				return nil, ctx.Err()
			}
		}
		p, q := newPeer(t, h, nil), newPeer(t, h, nil)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := p.watchNow(ctx, "a:///x", open); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
		s, err := q.begin(numberID(9), []Request{
			{Topic: Topic{URI: "a:///x"}, Source: &Source{Open: open}},
			{Topic: Topic{URI: "a:///y"}, Source: &Source{Open: open}},
		}, always)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		cancel()
		wg.Wait()
		if synctest.Wait(); cancelled.Load() {
			t.Fatal("cancelled although a listen is left")
		}
		q.Cancel(numberID(9))
		if synctest.Wait(); !cancelled.Load() || h.subs() != 0 {
			t.Fatalf("cancelled %v, %d subs", cancelled.Load(), h.subs())
		}
		q.Acknowledge(s, ackOf(s.id))
		settleDown()
		wantText(t, "a cancelled listen", q.conn.lines(), "")
	})
}

// A resource that cannot be watched is dropped from a listen; the rest goes on.
func TestListenWithoutOneWatcher(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p := newPeer(t, h, nil)
		topics := requests("a:///x", "a:///y")
		topics[0].Source = &Source{Open: func(context.Context, string) (iter.Seq2[time.Time, error], error) {
			return nil, errBoom
		}}
		s, err := p.begin(numberID(1), topics, always)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.WaitWatcher(t.Context(), s, Topic{URI: "a:///x"}); !errors.Is(err, errBoom) {
			t.Error(err)
		}
		if err := p.WaitWatcher(t.Context(), s, Topic{URI: "a:///y"}); err != nil {
			t.Error(err)
		}
		p.Acknowledge(s, ackOf(s.id))
		h.Publish("a:///x")
		h.Publish("a:///y")
		settleDown()
		wantText(t, "frames", p.conn.lines(), "ack 1; resources/updated 1 a:///y")
		if p.uris != 1 || h.subs() != 1 {
			t.Errorf("%d counted, %d subs", p.uris, h.subs())
		}
	})
}

// Storms of subscribe and unsubscribe on many conns leave one watcher for each resource that has
// subscribers, and none for the others.
func TestWatchStorm(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	h := newHubWith(time.Minute)
	defer h.Close()
	const resources = 4
	var running [resources]atomic.Int64
	Opener := func(i int) Opener {
		return func(ctx context.Context, _ string) (iter.Seq2[time.Time, error], error) {
			if rand.IntN(8) == 0 {
				return nil, errBoom
			}
			running[i].Add(1)
			return func(yield func(time.Time, error) bool) {
				defer running[i].Add(-1)
				for ctx.Err() == nil && yield(time.Time{}, nil) {
					runtime.Gosched()
				}
			}, nil
		}
	}
	var wg sync.WaitGroup
	for seed := range uint64(8) {
		p, r := newPeer(t, h, nil), rand.New(rand.NewPCG(seed, 0))
		wg.Go(func() {
			for n := range 300 {
				i := r.IntN(resources)
				switch uri := modelURI(i); r.IntN(3) {
				case 0:
					_ = p.watchNow(t.Context(), uri, Opener(i))
				case 1:
					p.Unsubscribe(uri)
				default:
					stormListen(t, p, int64(n), []Request{{Topic: Topic{URI: uri}, Source: &Source{Open: Opener(i)}}})
				}
			}
		})
	}
	wg.Wait()
	eventually(t, func() error {
		h.mu.RLock()
		defer h.mu.RUnlock()
		for i := range running {
			n, subs := running[i].Load(), 0
			if topic := h.resources.find(keyOfModel(h, i)); topic != nil {
				subs = len(topic.subscriptions())
			}
			if (n == 1) != (subs > 0) || n > 1 {
				return fmt.Errorf("%s: %d watchers for %d subscribers", modelURI(i), n, subs)
			}
		}
		return nil
	})
}

// keyOfModel is the key of modelURI(i), for a test that has locked h.
func keyOfModel(h *Hub, i int) key { return h.resources.keyOf(new(fakeKeyer).Key(modelURI(i))) }

func stormListen(t *testing.T, p *peer, id int64, topics []Request) {
	s, err := p.begin(numberID(id), topics, always)
	if err != nil {
		t.Error(err)
		return
	}
	_ = p.WaitWatcher(t.Context(), s, topics[0].Topic)
	p.Acknowledge(s, ackOf(s.id))
	p.Cancel(s.id)
}

// Close ends the watchers and does not wait for ever for one that does not end.
func TestHubCloseHasPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHubWith(3 * time.Second)
		p := newPeer(t, h, nil)
		stuck := make(chan struct{})
		open := func(context.Context, string) (iter.Seq2[time.Time, error], error) {
			return func(func(time.Time, error) bool) { <-stuck }, nil
		}
		if err := p.watchNow(t.Context(), "a:///x", open); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		h.Close()
		if d := time.Since(start); d != 3*time.Second {
			t.Errorf("close took %v", d)
		}
		close(stuck)
		if _, err := p.subscribe("a:///y", nil); !errors.Is(err, ErrClosed) {
			t.Errorf("subscribe after close: %v", err)
		}
		if _, err := p.begin(numberID(1), requests("a:///y"), always); !errors.Is(err, ErrClosed) {
			t.Errorf("listen after close: %v", err)
		}
		if len(p.listens) != 0 || p.uris != 1 {
			t.Errorf("%d listens, %d counted", len(p.listens), p.uris)
		}
	})
}
