package relay

import (
	"testing"
	"time"
)

// loseOne lets m miss a signal of another replica, and then hear the next one.
func loseOne(b *badBus, m, from *member) {
	b.set(func() { m.port.deaf = true })
	from.Note(Signal{Updated, "a:///lost"})
	pass(10 * time.Millisecond)
	b.set(func() { m.port.deaf = false })
	from.Note(Signal{Updated, "a:///next"})
	pass(10 * time.Millisecond)
}

// A loss is followed by a resync, also if it is noticed right after another one: the first resync came before what is
// lost now.
func TestLossAfterResync(t *testing.T) {
	bubble(t, 2, func(t *testing.T, b *badBus, all []*member) {
		pass(time.Minute)
		resyncsOf(all)
		for i := range 3 {
			loseOne(b, all[0], all[1])
			pass(resyncSoon)
			if n := all[0].countResyncs(); i == 0 && n != 1 {
				t.Errorf("%d resyncs after a loss", n)
			}
			loseOne(b, all[0], all[1])
			pass(resyncGap + resyncSoon)
			if n := all[0].countResyncs(); n != 1 {
				t.Errorf("%d resyncs after a loss that follows another one", n)
			}
			pass(time.Second)
		}
	})
}

// Who hears a replica by its second frame first has lost what was in the first one, also if its predecessor has ended
// as it should.
func TestFirstFrameIsLost(t *testing.T) {
	bubble(t, 2, func(t *testing.T, b *badBus, all []*member) {
		old := join(b, "test", testBox)
		pass(time.Minute)
		resyncsOf(all)
		old.Close()
		pass(time.Second)
		next := joinWith(b, func(c *Config) {
			port := c.Bus.(*badPort)
			port.mute, port.lies = true, true
		})
		next.Note(Signal{Updated, "a:///lost"})
		pass(100 * time.Millisecond)
		b.set(func() { next.port.mute = false })
		pass(beatGap + time.Second)
		if n, _ := resyncsOf(all); n[0] != 1 || n[1] != 1 {
			t.Errorf("%d resyncs, want one of each that has lost something", n)
		}
		next.Close()
	})
}
