package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/seal"
)

// calmBus is a broker without faults.
func calmBus() *badBus {
	return &badBus{rnd: rand.New(rand.NewPCG(1, 2)), subs: map[*badSub]struct{}{}, tame: true}
}

// heardBy is a Receiver that remembers.
type heardBy struct {
	mu      sync.Mutex
	signals []Signal
	lists   Lists
	direct  []string
	resyncs int
	blind   int
	differ  []bool
	digests Digests
}

func (h *heardBy) do(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f()
}
func (h *heardBy) Deliver(s Signal)     { h.do(func() { h.signals = append(h.signals, s) }) }
func (h *heardBy) DeliverLists(l Lists) { h.do(func() { h.lists |= l }) }
func (h *heardBy) Resync()              { h.do(func() { h.resyncs++ }) }
func (h *heardBy) Blind()               { h.do(func() { h.blind++ }) }
func (h *heardBy) Differ(added bool)    { h.do(func() { h.differ = append(h.differ, added) }) }
func (h *heardBy) Digests() Digests     { h.mu.Lock(); defer h.mu.Unlock(); return h.digests }
func (h *heardBy) Direct(from string, payload []byte) {
	h.do(func() { h.direct = append(h.direct, from+" "+string(payload)) })
}

// take returns the signals since the last call.
func (h *heardBy) take() (s []Signal) {
	h.do(func() { s, h.signals = h.signals, nil })
	return s
}

func (h *heardBy) countResyncs() (n int) {
	h.do(func() { n, h.resyncs = h.resyncs, 0 })
	return n
}

// member is one replica of these tests.
type member struct {
	*Relay
	*heardBy
	port *badPort
	log  *strings.Builder
}

func join(b *badBus, name string, box seal.Box) *member { return joinListing(b, name, box, 0) }

// joinListing is join for a replica whose beats list few peers.
func joinListing(b *badBus, name string, box seal.Box, listed int) *member {
	m := &member{heardBy: new(heardBy), port: &badPort{badBus: b}, log: new(strings.Builder)}
	m.Relay = New(Config{
		Bus: m.port, Name: name, Box: box, Log: slog.New(slog.NewTextHandler(m.log, nil)), Receiver: m.heardBy,
		listed: listed,
	})
	return m
}

// bubble runs a test with n replicas that have heard each other.
func bubble(t *testing.T, n int, f func(t *testing.T, b *badBus, all []*member)) {
	synctest.Test(t, func(t *testing.T) {
		b := calmBus()
		var all []*member
		for range n {
			all = append(all, join(b, "test", testBox))
			pass(3 * time.Second)
		}
		for i, m := range all {
			if !m.Ready() || m.Heard() != n {
				t.Errorf("replica %d: ready %v, hears %d of %d", i, m.Ready(), m.Heard(), n)
			}
			m.countResyncs()
		}
		f(t, b, all)
		for _, m := range all {
			m.Close()
		}
	})
}

func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// What is noted reaches all others and not the sender.
func TestNote(t *testing.T) {
	bubble(t, 3, func(t *testing.T, b *badBus, all []*member) {
		all[0].Note(Signal{Updated, "a:///1"})
		all[0].Note(Signal{Updated, "a:///1"})
		for k := range 10 { // some of them together
			all[0].NoteLists(1 << k)
		}
		pass(time.Second)
		for i, m := range all {
			want := "[{1 a:///1}] 1023"
			if i == 0 {
				want = "[] 0"
			}
			if got := fmt.Sprint(m.take(), " ", m.lists); got != want {
				t.Errorf("replica %d: %s, want %s", i, got, want)
			}
		}
		const n = 1000 // of many frames
		for i := range n {
			all[1].Note(Signal{Updated, uriOf(i)})
		}
		pass(time.Second)
		if got := all[2].take(); len(got) != n {
			t.Errorf("%d signals of %d", len(got), n)
		}
	})
}

// A directed frame reaches one replica.
func TestDirect(t *testing.T) {
	bubble(t, 3, func(t *testing.T, _ *badBus, all []*member) {
		if err := all[0].Relay.Direct(all[2].Origin(), []byte("hello")); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		if len(all[1].direct) != 0 || len(all[2].direct) != 1 || all[2].direct[0] != all[0].Origin()+" hello" {
			t.Errorf("%q, %q", all[1].direct, all[2].direct)
		}
		if err := all[0].Relay.Direct("nobody", nil); !errors.Is(err, ErrOrigin) {
			t.Error(err)
		}
		if err := all[0].Relay.Direct(origin{1}.String(), nil); !errors.Is(err, ErrOrigin) {
			t.Errorf("a replica that nobody knows: %v", err)
		}
		if err := all[0].Relay.Direct(all[1].Origin(), make([]byte, maxPayload+1)); !errors.Is(err, ErrFull) {
			t.Error(err)
		}
		if all[1].countResyncs()+all[2].countResyncs() != 0 {
			t.Error("directed frames look like a gap")
		}
	})
}

// Who does not hear itself is fenced after MaxBlind, and until it does; the others suspect who is mute.
func TestFence(t *testing.T) {
	bubble(t, 2, func(t *testing.T, b *badBus, all []*member) {
		b.set(func() { all[0].port.mute, all[0].port.lies = true, true })
		pass(MaxBlind - 2*time.Second)
		if all[0].Fenced() || all[0].State() != Apart {
			t.Errorf("fenced too early, or state %d of one that is heard no more", all[0].State())
		}
		missed := all[1].countResyncs()
		if missed == 0 {
			t.Error("the other replica does not miss it")
		}
		pass(beatGap + 3*time.Second)
		if !all[0].Fenced() || all[0].Ready() || all[0].blind != 1 {
			t.Errorf("fenced %v, ready %v, blind %d times", all[0].Fenced(), all[0].Ready(), all[0].blind)
		}
		pass(2 * time.Minute)
		if missed += all[1].countResyncs(); missed != 1 {
			t.Errorf("%d resyncs because of a silent replica: want one", missed)
		}
		if s := all[0].Stats(); !s.Fenced || s.Blind < time.Minute {
			t.Errorf("%+v", s)
		}
		all[0].countResyncs()
		b.set(func() { all[0].port.mute = false })
		pass(2 * beatGap)
		if all[0].Fenced() || !all[0].Ready() || all[0].countResyncs() == 0 {
			t.Errorf("fenced %v, ready %v, or no resync", all[0].Fenced(), all[0].Ready())
		}
		if log := all[0].log.String(); strings.Count(log, "does not hear itself") != 1 ||
			strings.Count(log, "hears itself on the bus again") != 1 {
			t.Error(log)
		}
	})
}

// Without a broker a replica is never ready, and its streams end; Note goes on.
func TestNoBroker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := calmBus()
		b.down = true
		m := join(b, "test", testBox)
		for i := range 3 * maxPending {
			m.Note(Signal{Updated, uriOf(i)})
		}
		pass(time.Minute)
		if s := m.Stats(); s.State == IsReady || !s.Fenced || s.Failed == 0 {
			t.Errorf("%+v", s)
		}
		if n := strings.Count(m.log.String(), "the bus fails"); n != 1 {
			t.Errorf("%d warnings:\n%s", n, m.log)
		}
		began := time.Now()
		m.Close()
		if d := time.Since(began); d > closeTime {
			t.Errorf("Close took %v", d)
		}
	})
}

// Too many signals, or too long ones, are a new epoch: the others resync.
func TestOverflow(t *testing.T) {
	for name, note := range map[string]func(m *member){
		"many": func(m *member) {
			for i := range maxPending + 1 {
				m.Note(Signal{Updated, uriOf(i)})
			}
		},
		"long": func(m *member) { m.Note(Signal{Updated, strings.Repeat("x", maxText+1)}) },
		"large": func(m *member) {
			for i := range maxPendingText/maxText + 1 {
				m.Note(Signal{Updated, fmt.Sprintf("%0*d", maxText, i)})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, 2, func(t *testing.T, b *badBus, all []*member) {
				all[0].pending.mu.Lock() // the sender is slow
				all[0].pending.kicked = true
				all[0].pending.mu.Unlock()
				note(all[0])
				pass(2 * beatGap)
				if n, m := all[0].Stats().Overflows, all[1].countResyncs(); n != 1 || m != 1 {
					t.Errorf("%d overflows, %d resyncs: want one", n, m)
				}
				all[1].take()
				all[0].Note(Signal{Updated, "a:///1"})
				pass(time.Second)
				if got := all[1].take(); len(got) != 1 {
					t.Errorf("afterwards: %v", got)
				}
			})
		})
	}
}

// A replica that ends says so: nobody suspects it, and what it had noted before arrives.
func TestBye(t *testing.T) {
	bubble(t, 2, func(t *testing.T, b *badBus, all []*member) {
		late := join(b, "test", testBox)
		pass(time.Minute)
		resyncsOf(all)
		late.Note(Signal{Updated, "a:///last"})
		late.Close()
		late.Close()
		late.Note(Signal{Updated, "a:///after"})
		pass(3 * time.Minute)
		for _, m := range all {
			if got := m.take(); len(got) != 1 || got[0].Text != "a:///last" {
				t.Errorf("heard %v", got)
			}
			if m.countResyncs() != 0 || m.Heard() != 2 {
				t.Errorf("resyncs, or %d live", m.Heard())
			}
		}
	})
}

// Two servers on one bus ignore each other, and so do replicas with other keys, with one warning.
func TestStrangers(t *testing.T) {
	bubble(t, 1, func(t *testing.T, b *badBus, all []*member) {
		other := join(b, "other", testBox)
		pass(time.Second)
		wrong := join(b, "test", newBox("another of 16 bytes"))
		pass(time.Minute)
		_ = (&badPort{badBus: b}).Publish(context.Background(), []byte("noise"))
		_ = (&badPort{badBus: b}).Publish(context.Background(), make([]byte, maxFrame+1))
		_ = (&badPort{badBus: b}).Publish(context.Background(), testBox.Seal([]byte("noise"), []byte("btest")))
		pass(time.Minute)
		for i, m := range []*member{all[0], other, wrong} {
			if s := m.Stats(); (s.State == IsReady) != (m != wrong) || s.Heard != 1 || s.Received != 0 || s.DroppedKey == 0 {
				t.Errorf("replica %d: %+v", i, s)
			}
			if n := strings.Count(m.log.String(), "need the same Options.Keys"); n != 1 {
				t.Errorf("replica %d: %d warnings", i, n)
			}
		}
		if s := all[0].Stats(); s.DroppedForeign == 0 || s.DroppedSize != 1 || s.DroppedForm != 1 {
			t.Errorf("%+v", s)
		}
		other.Close()
		wrong.Close()
	})
}

// Frames that somebody plays again are no sign of life.
func TestReplayedFrames(t *testing.T) {
	bubble(t, 2, func(t *testing.T, b *badBus, all []*member) {
		tap := &badSub{from: &badPort{badBus: b}, in: make(chan []byte, 1000), cut: make(chan struct{})}
		b.set(func() { b.subs[tap] = struct{}{} })
		all[1].Note(Signal{Updated, "a:///1"})
		pass(6 * time.Second)
		all[1].kill()
		pass(time.Second)
		var frames [][]byte
		for len(tap.in) > 0 {
			frames = append(frames, <-tap.in)
		}
		b.set(func() { delete(b.subs, tap) })
		all[0].countResyncs()
		for range 60 {
			for _, f := range frames {
				_ = tap.from.Publish(context.Background(), f)
			}
			pass(time.Second)
		}
		if s := all[0].Stats(); s.Heard != 1 || s.Suspects == 0 {
			t.Errorf("a dead replica is alive: %+v", s)
		}
	})
}

// Lists that differ are a warning and dirty lists after ten seconds, and once more when they do not differ any more.
func TestDigests(t *testing.T) {
	bubble(t, 2, func(t *testing.T, _ *badBus, all []*member) {
		all[0].do(func() { all[0].digests.Declared = 1 }) // a rolling update
		pass(beatGap + 12*time.Second)
		all[0].do(func() { all[0].digests.Added = 1 })
		pass(beatGap + 12*time.Second)
		if s := all[1].Stats(); s.Different != 1 {
			t.Errorf("%+v", s)
		}
		pass(time.Hour)
		all[0].do(func() { all[0].digests = Digests{} })
		pass(beatGap + 2*time.Second)
		for _, m := range all {
			if got := fmt.Sprint(m.differ); got != "[false true true]" {
				t.Errorf("differ %s", got)
			}
			if n := strings.Count(m.log.String(), "differ in the tools"); n != 1 {
				t.Errorf("%d warnings", n)
			}
		}
	})
}
