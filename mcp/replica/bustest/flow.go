package bustest

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/replica"
)

// testManyPublishers: frames that many goroutines publish at once arrive everywhere, or gap is called.
func testManyPublishers(t *testing.T, newBus func(t *testing.T) replica.Bus) {
	var buses []replica.Bus
	var subscribers []*subscriber
	for range 4 {
		bus := newBus(t)
		s := subscribe(t, bus, nil)
		s.awaitGap(0)
		buses, subscribers = append(buses, bus), append(subscribers, s)
	}
	before := gapsOf(subscribers)
	frames := make([][]byte, 32*40)
	for n := range frames {
		frames[n] = frameOf(n, 200)
	}
	var wait sync.WaitGroup
	for first := range 32 {
		wait.Go(func() {
			for n := first; n < len(frames); n += 32 {
				if err := publish(t, buses[n%len(buses)], frames[n]); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wait.Wait()
	checkAll(t, frames, subscribers, before)
}

// checkAll waits until each subscriber has received all frames, or gap was called after the gaps that are counted in
// before.
func checkAll(t *testing.T, frames [][]byte, subscribers []*subscriber, before []int) {
	t.Helper()
	for i, s := range subscribers {
		missing := frames
		ok := s.await(func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			for len(missing) > 0 && s.received[string(missing[0])] > 0 {
				missing = missing[1:]
			}
			return len(missing) == 0 || s.gaps > before[i]
		})
		if !ok {
			t.Errorf("subscription %d of %d has not received all of %d frames, and gap was not called%s", i+1,
				len(subscribers), len(frames), s.why())
		}
	}
}

// testManySubscriptions: a handle may have several subscriptions, and the end of one leaves the others alone.
func testManySubscriptions(t *testing.T, newBus func(t *testing.T) replica.Bus) {
	a, b := newBus(t), newBus(t)
	one, two, three := subscribe(t, a, nil), subscribe(t, a, nil), subscribe(t, a, nil)
	for _, s := range []*subscriber{one, two, three} {
		s.awaitGap(0)
	}
	deliver(t, b, frameOf(1, 0), one, two, three)
	two.cancel()
	two.join()
	deliver(t, b, frameOf(2, 0), one, three)
	deliver(t, a, frameOf(3, 0), one, three)
}

// testEnd: the end of ctx ends a quiet subscription, and one whose ctx has ended does not begin.
func testEnd(t *testing.T, newBus func(t *testing.T) replica.Bus) {
	bus := newBus(t)
	s := subscribe(t, bus, nil)
	s.awaitGap(0)
	s.cancel()
	s.join()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ended := make(chan error, 2)
	go func() { ended <- bus.Subscribe(ctx, func([]byte) {}, func() {}) }()
	go func() { _ = bus.Publish(ctx, frameOf(0, 0)); ended <- ctx.Err() }()
	for range 2 {
		select {
		case err := <-ended:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("with a ctx that has ended Subscribe returned %v", err)
			}
		case <-time.After(patience):
			t.Fatal("Publish or Subscribe with a ctx that has ended does not return")
		}
	}
}

// testEndInFlow: when ctx ends while frames flow, Subscribe waits for a call of receive or gap under way, and makes no
// call after it has returned.
func testEndInFlow(t *testing.T, newBus func(t *testing.T) replica.Bus) {
	a, b := newBus(t), newBus(t)
	stop := make(chan struct{})
	var wait sync.WaitGroup
	defer wait.Wait()
	defer close(stop)
	wait.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Microsecond):
				_ = publish(t, b, frameOf(n, 500)) // some may fail; enough arrive if the broker works
			}
		}
	})
	for range 20 {
		s := subscribe(t, a, func() { time.Sleep(time.Millisecond) })
		flows := s.await(func() bool { s.mu.Lock(); defer s.mu.Unlock(); return len(s.received) > 5 })
		if !flows {
			t.Fatalf("no frames arrive%s", s.why())
		}
		s.cancel()
		s.join()
		if s.inside.Load() != 0 {
			t.Fatal("Subscribe returned while receive or gap was under way")
		}
	}
}

// testAgain: a handle may subscribe as often as it likes, and keeps nothing of subscriptions that have ended.
func testAgain(t *testing.T, newBus func(t *testing.T) replica.Bus) {
	bus := newBus(t)
	cycle := func(times int) {
		for n := range times {
			s := subscribe(t, bus, nil)
			s.awaitGap(0)
			deliver(t, bus, frameOf(n, 0), s)
			s.cancel()
			s.join()
		}
	}
	cycle(5)
	before := runtime.NumGoroutine()
	cycle(50)
	limit := time.Now().Add(patience)
	for runtime.NumGoroutine() > before+25 && time.Now().Before(limit) {
		time.Sleep(10 * time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before+25 {
		t.Errorf("50 subscriptions that have ended left %d goroutines", n-before)
	}
}

// testPublishDoesNotWait: a receiver that blocks does not block Publish, on the same handle or another.
func testPublishDoesNotWait(t *testing.T, newBus func(t *testing.T) replica.Bus) {
	a, b := newBus(t), newBus(t)
	release := make(chan struct{})
	var once sync.Once
	free := func() { once.Do(func() { close(release) }) }
	t.Cleanup(free)
	s := subscribe(t, a, func() { <-release })
	other := subscribe(t, b, nil)
	other.awaitGap(0)
	before := gapsOf([]*subscriber{other})
	frames := make([][]byte, 1000)
	published := make(chan error, 1)
	go func() {
		var err error
		for n := range frames {
			frames[n] = frameOf(n, 1000)
			err = errors.Join(err, publish(t, []replica.Bus{a, b}[n%2], frames[n]))
		}
		published <- err
	}()
	select {
	case err := <-published:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		free()
		t.Fatal("Publish waits for a receiver that blocks")
	}
	checkAll(t, frames, []*subscriber{other}, before)
	free()
	s.awaitGap(0)
	deliver(t, b, frameOf(1<<20, 0), s, other)
}

// testSlowReceiver: frames that arrive while a receiver blocks are received later, or gap is called for them. It sends
// more frames, and more bytes, than most implementations hold.
func testSlowReceiver(t *testing.T, newBus func(t *testing.T) replica.Bus) {
	a, b := newBus(t), newBus(t)
	large := 768
	if testing.Short() {
		large = 64
	}
	gate := make(chan struct{}, 1)
	gate <- struct{}{}
	s := subscribe(t, a, func() { gate <- <-gate })
	s.awaitGap(0)
	for _, c := range []struct{ count, size int }{{20_000, 24}, {large, 64 << 10}} {
		before := gapsOf([]*subscriber{s})
		<-gate // receive blocks from here on
		frames := make([][]byte, c.count)
		for n := range frames {
			frames[n] = frameOf(n, c.size)
			if err := publish(t, b, frames[n]); err != nil {
				gate <- struct{}{}
				t.Fatal(err)
			}
		}
		gate <- struct{}{}
		checkAll(t, frames, []*subscriber{s}, before)
		deliver(t, b, frameOf(1<<20, 0), s)
	}
}
