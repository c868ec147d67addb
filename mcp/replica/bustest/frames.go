package bustest

import (
	"bytes"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/replica"
)

// testEcho: a replica receives its own frames, and so do the others.
func testEcho(t *testing.T, newBus func(t *testing.T) replica.Bus) {
	a, b := newBus(t), newBus(t)
	own, other := subscribe(t, a, nil), subscribe(t, b, nil)
	own.awaitGap(0)
	other.awaitGap(0)
	for n := range 10 {
		deliver(t, a, frameOf(n, 0), own, other)
		deliver(t, b, frameOf(n, 0), own, other)
	}
}

// testLive: a frame that is published once gap has been called arrives. There are 20 rounds, because a bus may become
// live too late only sometimes.
func testLive(t *testing.T, newBus func(t *testing.T) replica.Bus) {
	a, b := newBus(t), newBus(t)
	for n := range 20 {
		s := subscribe(t, a, nil)
		s.awaitGap(0)
		deliver(t, b, frameOf(n, 0), s)
		s.cancel()
		s.join()
	}
}

// testFrames: frames of all sizes and all bytes arrive as they are.
func testFrames(t *testing.T, newBus func(t *testing.T) replica.Bus) {
	a, b := newBus(t), newBus(t)
	s := subscribe(t, b, nil)
	s.awaitGap(0)
	var sent [][]byte
	for _, text := range []string{"\x00", "\n", "\r\n", "PING\r\n", "\xff\xfe", "+OK", "$-1\r\n", "{}", " ", "\x1f\x8b"} {
		sent = append(sent, []byte(text))
	}
	for _, size := range []int{25, 100, 4<<10 - 1, 4 << 10, 32<<10 + 1, 64 << 10, 256 << 10, replica.MaxFrame - 1,
		replica.MaxFrame} {
		sent = append(sent, frameOf(size, size))
	}
	for _, frame := range sent {
		deliver(t, a, frame, s)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for text := range s.received {
		repeated := len(text) == 24 // maybe a frame of an earlier test that arrives once more
		if !repeated && !slices.ContainsFunc(sent, func(f []byte) bool { return string(f) == text }) {
			t.Errorf("a frame of %d bytes arrived that nobody has published: %.40q…", len(text), text)
		}
	}
}

// testOneAtATime: calls of receive and gap do not overlap, whoever publishes.
func testOneAtATime(t *testing.T, newBus func(t *testing.T) replica.Bus) {
	buses := []replica.Bus{newBus(t), newBus(t), newBus(t)}
	s := subscribe(t, buses[0], func() { time.Sleep(50 * time.Microsecond) })
	s.awaitGap(0)
	var wait sync.WaitGroup
	for i, bus := range buses {
		wait.Go(func() {
			for n := range 100 {
				if err := publish(t, bus, frameOf(1000*i+n, 0)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wait.Wait()
	deliver(t, buses[1], frameOf(1<<20, 0), s)
}

// testCopies: the publisher may change its frame after Publish, and a receiver may keep and change one, without effect
// on others.
func testCopies(t *testing.T, newBus func(t *testing.T) replica.Bus) {
	bus := newBus(t)
	var mu sync.Mutex
	kept := make(map[int][]byte) // number of the frame, and the memory that receive was given
	changing, keeping := newSubscriber(t, nil), newSubscriber(t, nil)
	changing.take = func(frame []byte) {
		for i := range frame {
			frame[i] = 0xee
		}
	}
	keeping.take = func(frame []byte) {
		mu.Lock()
		defer mu.Unlock()
		kept[len(frame)] = frame
	}
	changing.start(bus)
	keeping.start(bus)
	changing.awaitGap(0)
	keeping.awaitGap(0)
	want := make(map[int][]byte)
	memory := make([]byte, 0, 4096)
	for n := range 200 {
		frame := frameOf(n, 24+n)
		want[len(frame)] = frame
		memory = append(memory[:0], frame...)
		deliverScribbled(t, bus, memory, frame, changing, keeping)
	}
	mu.Lock()
	defer mu.Unlock()
	for size, frame := range want {
		if !bytes.Equal(kept[size], frame) {
			t.Fatalf("a frame of %d bytes that receive has kept has changed, or had arrived with other bytes", size)
		}
	}
}

// deliverScribbled is deliver of a frame, but memory, which has the same bytes, is published first, and is written over
// as soon as Publish has returned.
func deliverScribbled(t *testing.T, bus replica.Bus, memory, frame []byte, to ...*subscriber) {
	t.Helper()
	err := publish(t, bus, memory)
	for i := range memory {
		memory[i] = 0xdd
	}
	for _, s := range to {
		_, before := s.state(nil)
		s.await(func() bool { n, gaps := s.state(frame); return err != nil || n > 0 || gaps > before })
		if n, gaps := s.state(frame); n == 0 && gaps == before && err == nil {
			t.Fatalf("a frame of %d bytes did not arrive with the bytes that it had when it was published%s", len(frame),
				s.why())
		}
	}
	deliver(t, bus, frame, to...) // if it was lost
}
