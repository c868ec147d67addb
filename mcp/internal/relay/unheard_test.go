package relay

import (
	"slices"
	"testing"
	"time"
)

// A replica that most others hear no more is unready before they have lost it, and alone. One that a single one does
// not hear stays ready: this one tells everything until the others have not heard it for long.
func TestUnheard(t *testing.T) {
	for name, c := range map[string]struct {
		deaf    int   // so many of the three others do not hear it
		unready State // of it
		after   int   // resyncs of the first that is deaf to it, after its end
	}{
		"by one": {1, IsReady, 2},
		"by two": {2, Apart, 2},
		"by all": {3, Apart, 0},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, 4, func(t *testing.T, b *badBus, all []*member) {
				last, others := all[3], all[:3]
				pass(time.Minute)
				resyncsOf(all)
				b.set(func() {
					for _, m := range others[:c.deaf] {
						m.port.deafTo = last.port
					}
				})
				for n := 0; n == 0; n = others[0].countResyncs() {
					pass(watchGap / 4)
				}
				want := []State{IsReady, IsReady, IsReady, c.unready}
				if got := statesOf(all...); !slices.Equal(got, want) {
					t.Errorf("states when it is lost: %v, want %v", got, want)
				}
				pass(beatGap)
				resyncsOf(others)
				last.kill()
				pass(2 * (silence + time.Second))
				n, _ := resyncsOf(others)
				if n[0] != c.after || n[2] != 1 && c.deaf < 3 {
					t.Errorf("%d resyncs because of the end", n)
				}
				pass(2 * time.Minute)
				if n, most := resyncsOf(others); most > 0 {
					t.Errorf("%d more resyncs", n)
				}
			})
		})
	}
}

// A replica that one other does not hear for long costs that one a resync every 15 seconds, and these are told apart.
func TestHalfHeardIsCounted(t *testing.T) {
	bubble(t, 3, func(t *testing.T, b *badBus, all []*member) {
		pass(time.Minute)
		before := all[0].Stats().Resyncs
		b.set(func() { all[0].port.deafTo = all[2].port })
		pass(10 * time.Minute)
		got, sum := all[0].Stats().Resyncs, 0
		for why := range got {
			got[why] -= before[why]
			sum += int(got[why])
		}
		if got[LostPeer] != 1 || got[LostHalf] < 30 || sum != int(got[LostPeer]+got[LostHalf]) {
			t.Errorf("resyncs by reason: %v", got)
		}
		b.set(func() { all[0].port.deafTo = nil })
		pass(time.Minute)
		half := all[0].Stats().Resyncs[LostHalf]
		pass(10 * time.Minute)
		if n := all[0].Stats().Resyncs[LostHalf] - half; n > 0 {
			t.Errorf("%d more resyncs", n)
		}
	})
}

// A beat that is lost, a replica that hears nothing for a while and one that is dead make no other one unready.
func TestStaysReady(t *testing.T) {
	for name, fault := range map[string]func(b *badBus, m *member){
		"a beat is lost": func(b *badBus, m *member) {
			b.set(func() { m.port.mute, m.port.lies = true, true })
			time.Sleep(beatGap + time.Second)
			b.set(func() { m.port.mute = false })
		},
		"deaf": func(b *badBus, m *member) {
			b.set(func() { m.port.deaf = true })
			time.Sleep(MaxBlind - 2*time.Second)
			b.set(func() { m.port.deaf = false })
		},
		"stopped": func(_ *badBus, m *member) {
			goOn := m.port.stop()
			time.Sleep(silence)
			goOn()
		},
		"dead": func(_ *badBus, m *member) { m.kill() },
		"the broker is away": func(b *badBus, _ *member) {
			go b.restart(MaxBlind - 2*time.Second)
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, 2, func(t *testing.T, b *badBus, all []*member) {
				pass(time.Minute)
				go fault(b, all[1])
				for i := range 300 {
					pass(time.Second / 5)
					if !all[0].Ready() {
						t.Fatalf("state %d after %d s", all[0].State(), i/5)
					}
				}
			})
		})
	}
}
