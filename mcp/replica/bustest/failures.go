package bustest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/replica"
)

// traffic publishes frames on a bus all the time, until it is stopped.
type traffic struct {
	stop chan struct{}
	done sync.WaitGroup
}

func startTraffic(bus replica.Bus) *traffic {
	f := &traffic{stop: make(chan struct{})}
	f.done.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-f.stop:
				return
			case <-time.After(time.Millisecond):
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			_ = bus.Publish(ctx, frameOf(n, 100)) // what comes of it does not matter
			cancel()
		}
	})
	return f
}

func (f *traffic) end(t *testing.T) {
	t.Helper()
	close(f.stop)
	ended := make(chan struct{})
	go func() { f.done.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("Publish does not return while the broker fails")
	}
}

// testRestart: after the broker was killed and started again in the middle of traffic, gap is called and frames flow.
func testRestart(t *testing.T, newBus func(t *testing.T) replica.Bus, f Faults) {
	disturb(t, newBus, func() {
		f.Stop(t)
		f.Start(t)
	})
}

// testCut: after connections were lost, gap is called and frames flow.
func testCut(t *testing.T, newBus func(t *testing.T) replica.Bus, cut func(t *testing.T)) {
	disturb(t, newBus, func() { cut(t) })
}

// disturb calls event, which does something to the broker, three times while frames are published. It expects that gap
// is called each time, and that frames flow between three handles again.
func disturb(t *testing.T, newBus func(t *testing.T) replica.Bus, event func()) {
	t.Helper()
	a, b, c := newBus(t), newBus(t), newBus(t)
	subscribers := []*subscriber{keep(t, a), keep(t, b), keep(t, c)}
	for _, s := range subscribers {
		s.awaitGap(0)
	}
	for n := range 3 {
		deliver(t, a, frameOf(n, 0), subscribers...)
		before := gapsOf(subscribers)
		flow := startTraffic(b)
		event()
		for i, s := range subscribers {
			s.awaitGap(before[i])
		}
		flow.end(t)
		for _, bus := range []replica.Bus{a, b, c} {
			deliver(t, bus, frameOf(n, 0), subscribers...)
		}
	}
}

// testAway: while there is no broker, Publish and Subscribe return when ctx ends. A subscription that began meanwhile
// becomes live when the broker comes.
func testAway(t *testing.T, newBus func(t *testing.T) replica.Bus, stop, start func(t *testing.T)) {
	bus := newBus(t)
	stop(t)
	running := false
	defer func() {
		if !running {
			start(t)
		}
	}()
	returns(t, bus)
	s := keep(t, bus)
	start(t)
	running = true
	s.awaitGap(0)
	deliver(t, bus, frameOf(0, 0), s)
}

// testHang: while the broker hangs, Publish and Subscribe return when ctx ends; frames flow when it goes on.
func testHang(t *testing.T, newBus func(t *testing.T) replica.Bus, f Faults) {
	a, b := newBus(t), newBus(t)
	s := keep(t, a)
	s.awaitGap(0)
	deliver(t, b, frameOf(0, 0), s)
	f.Pause(t)
	func() {
		defer f.Resume(t)
		returns(t, a)
		returns(t, b)
	}()
	deliver(t, b, frameOf(1, 0), s)
}

// returns checks that Publish and Subscribe return after ctx has ended, whatever the broker does.
func returns(t *testing.T, bus replica.Bus) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wait sync.WaitGroup
	begun := make(chan struct{})
	wait.Go(func() {
		close(begun)
		_ = bus.Subscribe(ctx, func([]byte) {}, func() {}) // it fails, or ctx ends
	})
	<-begun // on a slow machine it may begin long after the others
	for n := range 4 {
		wait.Go(func() {
			for ctx.Err() == nil {
				_ = bus.Publish(ctx, frameOf(n, replica.MaxFrame)) // fills what buffers there are
			}
		})
	}
	time.Sleep(200 * time.Millisecond)
	cancel()
	ended := make(chan struct{})
	go func() { wait.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("Publish or Subscribe does not return after ctx has ended while the broker fails")
	}
}
