package pubsub

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// brokenWatchers are watchers that end, each in its way.
var brokenWatchers = map[string]struct {
	open     Opener
	notified bool // an update for each time that it was opened
}{
	"ends": {func(context.Context, string) (iter.Seq2[time.Time, error], error) {
		return func(func(time.Time, error) bool) {}, nil
	}, true},
	"panics": {func(context.Context, string) (iter.Seq2[time.Time, error], error) {
		return func(func(time.Time, error) bool) { panic("boom") }, nil
	}, true},
	"exits": {func(context.Context, string) (iter.Seq2[time.Time, error], error) {
		return func(func(time.Time, error) bool) { runtime.Goexit() }, nil
	}, true},
	"is not opened": {func(context.Context, string) (iter.Seq2[time.Time, error], error) {
		return nil, errors.New("broken")
	}, false},
	"panics when opened": {func(context.Context, string) (iter.Seq2[time.Time, error], error) { panic("boom") }, false},
	"exits when it opens": {func(context.Context, string) (iter.Seq2[time.Time, error], error) {
		runtime.Goexit()
		return nil, nil
	}, false},
}

// A watcher that ends, panics or ends its goroutine is opened again while somebody is subscribed, less and less often,
// and each time subscribers are told that something may have changed meanwhile.
func TestWatcherIsOpenedAgain(t *testing.T) {
	for name, broken := range brokenWatchers {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *Hub) {
				p := newPeer(t, h, nil)
				var mu sync.Mutex
				opened, live := 0, 0
				var last context.Context
				open := func(ctx context.Context, _ string) (iter.Seq2[time.Time, error], error) {
					mu.Lock()
					defer mu.Unlock()
					if last != nil && last.Err() == nil {
						t.Error("the context of the one before has not ended")
					}
					last = ctx                 //nolint:fatcontext // kept for the checks below
					if opened++; opened == 1 { // the first time it goes well, for a second
						return func(func(time.Time, error) bool) { time.Sleep(time.Second) }, nil
					}
					if live > 0 {
						live--
						return func(yield func(time.Time, error) bool) {
							if yield(time.Now(), nil) {
								<-ctx.Done()
							}
						}, nil
					}
					return broken.open(ctx, "")
				}
				if err := p.watchNow(t.Context(), "a:///x", open); err != nil {
					t.Fatal(err)
				}
				wait := func(d time.Duration) {
					mu.Unlock()
					time.Sleep(d)
					synctest.Wait()
					mu.Lock()
				}
				mu.Lock()
				defer mu.Unlock()
				wait(10 * time.Minute)
				if opened < 10 || opened > 25 || int(h.reopened.Load()) < opened-1 {
					t.Errorf("opened %d times in ten minutes, counted %d", opened, h.reopened.Load())
				}
				notified := strings.Count(p.conn.lines(), "updated")
				if broken.notified && notified < opened-1 || !broken.notified && notified != 0 {
					t.Errorf("told %d times", notified)
				}
				live = 1
				wait(2 * time.Minute)
				if live != 0 || !strings.Contains(p.conn.lines(), "resources/updated a:///x") {
					t.Error("it is not opened again")
				}
				n := opened
				if wait(time.Hour); opened != n || last.Err() != nil {
					t.Errorf("one that goes on is opened again: %d, %v", opened-n, last.Err())
				}
			})
		})
	}
}

// When nobody is subscribed any more, a watcher that has ended is not opened again; nor when the server has closed.
func TestWatcherIsNotOpenedForNobody(t *testing.T) {
	for _, end := range []string{"unsubscribe", "close"} {
		bubble(t, func(t *testing.T, h *Hub) {
			p := newPeer(t, h, nil)
			var opened atomic.Int32
			open := func(context.Context, string) (iter.Seq2[time.Time, error], error) {
				opened.Add(1)
				return func(func(time.Time, error) bool) {}, nil
			}
			if err := p.watchNow(t.Context(), "a:///x", open); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			if end == "close" {
				h.Close()
			} else {
				p.Unsubscribe("a:///x")
			}
			n := opened.Load()
			time.Sleep(time.Hour)
			synctest.Wait()
			if opened.Load() != n {
				t.Errorf("%s: opened %d more times", end, opened.Load()-n)
			}
			if end == "unsubscribe" {
				if err := p.watchNow(t.Context(), "a:///x", open); err != nil || opened.Load() != n+1 {
					t.Errorf("a new subscription: %v, opened %d times", err, opened.Load()-n)
				}
			}
		})
	}
}

// A watcher that runs for long before it ends is opened again after two seconds.
func TestPauseBeginsAnew(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p := newPeer(t, h, nil)
		var mu sync.Mutex
		var at []time.Time
		open := func(context.Context, string) (iter.Seq2[time.Time, error], error) {
			mu.Lock()
			defer mu.Unlock()
			at = append(at, time.Now())
			return func(func(time.Time, error) bool) { time.Sleep(time.Hour) }, nil
		}
		if err := p.watchNow(t.Context(), "a:///x", open); err != nil {
			t.Fatal(err)
		}
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		for i := 1; i < len(at); i++ {
			if gap := at[i].Sub(at[i-1]) - time.Hour; gap < 1500*time.Millisecond || gap > 2500*time.Millisecond {
				t.Errorf("opened again after %v", gap)
			}
		}
		p.Unsubscribe("a:///x")
		time.Sleep(time.Hour) // it sees the end of its context now
	})
}
