package bustest

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/replica"
)

// subscriber is one call of Subscribe, or several in turn, and what it was given.
type subscriber struct {
	t      *testing.T
	cancel context.CancelFunc
	ended  chan error    // the result of Subscribe
	wake   chan struct{} // has an element after each event
	inside atomic.Int32  // calls of receive and gap under way
	over   atomic.Bool   // Subscribe has returned
	hold   func()        // called by receive and gap
	take   func([]byte)  // called by receive, which then counts the frame

	mu       sync.Mutex
	received map[string]int // frames, and how often they came
	gaps     int
}

// subscribe subscribes until the test ends, or the caller ends it. It does not wait.
func subscribe(t *testing.T, bus replica.Bus, hold func()) *subscriber {
	t.Helper()
	s := newSubscriber(t, hold)
	s.start(bus)
	return s
}

func (s *subscriber) start(bus replica.Bus) {
	ctx := s.context()
	go func() {
		err := bus.Subscribe(ctx, s.receive, s.gap)
		s.over.Store(true)
		s.ended <- err
	}()
}

// keep subscribes, and again after each failure, as replicas do.
func keep(t *testing.T, bus replica.Bus) *subscriber {
	t.Helper()
	s := newSubscriber(t, nil)
	ctx := s.context()
	go func() {
		var err error
		for ctx.Err() == nil {
			err = bus.Subscribe(ctx, s.receive, s.gap)
			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Millisecond):
			}
		}
		s.over.Store(true)
		s.ended <- err
	}()
	return s
}

func newSubscriber(t *testing.T, hold func()) *subscriber {
	t.Helper()
	if hold == nil {
		hold = func() {}
	}
	return &subscriber{t: t, ended: make(chan error, 1), wake: make(chan struct{}, 1), hold: hold,
		take: func([]byte) {}, received: make(map[string]int)}
}

// context returns a context that ends with the test, which then waits for the end of the subscription.
func (s *subscriber) context() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.t.Cleanup(func() {
		cancel()
		s.join()
	})
	return ctx
}

func (s *subscriber) receive(frame []byte) {
	s.enter("receive")
	defer s.inside.Add(-1)
	s.hold()
	text := string(frame)
	s.take(frame)
	s.mu.Lock()
	s.received[text]++
	s.mu.Unlock()
	s.notify()
}

func (s *subscriber) gap() {
	s.enter("gap")
	defer s.inside.Add(-1)
	s.hold()
	s.mu.Lock()
	s.gaps++
	s.mu.Unlock()
	s.notify()
}

func (s *subscriber) enter(name string) {
	if s.inside.Add(1) > 1 {
		s.t.Errorf("%s is called while another call of receive or gap is under way", name)
	}
	if s.over.Load() {
		s.t.Errorf("%s is called after Subscribe has returned", name)
	}
}

func (s *subscriber) notify() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// state returns how many times the subscriber has received frame, and how often gap was called.
func (s *subscriber) state(frame []byte) (times, gaps int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.received[string(frame)], s.gaps
}

// await waits until ok returns true, and calls it again after each event. It gives up after patience, and when
// Subscribe has returned. It returns the last result of ok.
func (s *subscriber) await(ok func() bool) bool {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for !ok() {
		select {
		case <-s.wake:
		case err := <-s.ended:
			s.ended <- err
			return ok()
		case <-limit.C:
			return ok()
		}
	}
	return true
}

// awaitGap waits until gap was called more than n times. It ends the test if that does not happen within patience.
func (s *subscriber) awaitGap(n int) {
	s.t.Helper()
	if !s.await(func() bool { _, gaps := s.state(nil); return gaps > n }) {
		_, gaps := s.state(nil)
		s.t.Fatalf("gap was called %d times, want more than %d%s", gaps, n, s.why())
	}
}

// why says how a subscription ended, if it did.
func (s *subscriber) why() string {
	select {
	case err := <-s.ended:
		s.ended <- err
		return fmt.Sprintf("; Subscribe returned: %v", err)
	default:
		return ""
	}
}

// join waits for the end of the subscription, whose context has ended.
func (s *subscriber) join() {
	s.t.Helper()
	select {
	case err := <-s.ended:
		s.ended <- err
		if err == nil {
			s.t.Error("Subscribe returned no error")
		}
	case <-time.After(patience):
		s.t.Error("Subscribe does not return after ctx has ended")
	}
}

// frameOf returns a frame of size bytes, or of 24 if size is less. It begins with n and random bytes, so that no other
// test makes the same frame.
func frameOf(n, size int) []byte {
	frame := make([]byte, max(size, 24))
	binary.BigEndian.PutUint64(frame, uint64(n))
	for i := 8; i < 24; i += 8 {
		binary.BigEndian.PutUint64(frame[i:], rand.Uint64()) //nolint:gosec // distinct is enough
	}
	for i := 24; i < len(frame); i++ {
		frame[i] = byte(i + n)
	}
	return frame
}

// publish hands a frame to a bus, with a deadline.
func publish(t *testing.T, bus replica.Bus, frame []byte) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return bus.Publish(ctx, frame)
}

// deliver publishes a frame until each subscriber has received it. It publishes again if Publish fails, and if a
// subscriber got a gap in place of the frame.
func deliver(t *testing.T, bus replica.Bus, frame []byte, to ...*subscriber) {
	t.Helper()
	limit := time.Now().Add(2 * patience)
	for times := 1; ; times++ {
		before := gapsOf(to)
		err := publish(t, bus, frame)
		again := err != nil
		for i, s := range to {
			if err != nil {
				break
			}
			arrived := s.await(func() bool { n, gaps := s.state(frame); return n > 0 || gaps > before[i] })
			if n, _ := s.state(frame); n > 0 {
				continue
			}
			if !arrived {
				t.Fatalf("a frame of %d bytes did not arrive at subscription %d of %d, without a gap%s", len(frame), i+1,
					len(to), s.why())
			}
			again = true
		}
		switch {
		case !again:
			return
		case time.Now().After(limit):
			t.Fatalf("a frame of %d bytes was published %d times and did not arrive everywhere; Publish returned: %v",
				len(frame), times, err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// gapsOf returns how many gaps each subscriber has had.
func gapsOf(subscribers []*subscriber) []int {
	gaps := make([]int, len(subscribers))
	for i, s := range subscribers {
		_, gaps[i] = s.state(nil)
	}
	return gaps
}
