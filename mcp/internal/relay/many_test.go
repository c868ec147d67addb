package relay

import (
	"testing"
	"testing/synctest"
	"time"
)

// A replica that may still change something when it ends is suspected like one that was killed; what it had noted
// arrives.
func TestAbandon(t *testing.T) {
	bubble(t, 2, func(t *testing.T, b *badBus, all []*member) {
		late := join(b, "test", testBox)
		pass(3 * time.Second)
		late.Note(Signal{Updated, "a:///last"})
		late.Abandon()
		pass(silence + 5*time.Second)
		for _, m := range all {
			if got := m.take(); len(got) != 1 || got[0].Text != "a:///last" {
				t.Errorf("heard %v", got)
			}
			if m.countResyncs() == 0 {
				t.Error("no resync")
			}
		}
	})
}

// Many replicas are ready soon, and their beats list few of them.
func TestManyReplicas(t *testing.T) {
	const n, most = 12, 8
	synctest.Test(t, func(t *testing.T) {
		b := calmBus()
		var all []*member
		for range n {
			all = append(all, joinListing(b, "test", testBox, most))
		}
		pass(10 * time.Second)
		ready := func(when string) {
			t.Helper()
			for i, m := range all {
				if !m.Ready() || m.Heard() != n {
					t.Fatalf("%s: replica %d: ready %v, hears %d", when, i, m.Ready(), m.Heard())
				}
			}
		}
		ready("after the start")
		pass(time.Minute)
		for _, m := range all {
			var f frame
			if m.addHeard(&f); len(f.heard) != most || f.flags&flagPart == 0 {
				t.Fatalf("%d peers in a beat, flags %d", len(f.heard), f.flags)
			}
		}
		before := all[0].Stats().Received
		pass(time.Minute)
		if got := all[0].Stats().Received - before; got > n*13 {
			t.Errorf("%d frames in a minute, at most %d are beats", got, n*13)
		}
		b.set(func() { all[0].port.deaf = true }) // the first beat of a relay leaves at once
		all = append(all, joinListing(b, "test", testBox, most))
		pass(3 * time.Second)
		if all[n].Ready() {
			t.Error("one that has come later is ready, and a replica with streams does not hear it")
		}
		pass(MaxBlind)
		if !all[n].Ready() {
			t.Error("one that has come later waits for one that is fenced")
		}
		if !all[0].Fenced() {
			t.Error("one that hears nothing is not fenced")
		}
		b.set(func() { all[0].port.deaf = false })
		pass(beatGap + 3*time.Second)
		if !all[0].Ready() {
			t.Error("one that hears again is not ready")
		}
		for _, m := range all {
			m.Close()
		}
	})
}
