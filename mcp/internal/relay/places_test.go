package relay

import (
	"testing"
	"testing/synctest"
	"time"
)

// resyncsOf returns how often each of them has told everything since the last call.
func resyncsOf(all []*member) (n []int, most int) {
	for _, m := range all {
		n = append(n, m.countResyncs())
		most = max(most, n[len(n)-1])
	}
	return n, most
}

// A replica whose predecessor was heard to the end costs nothing; one without a predecessor that was heard costs one
// resync, also if all the others know the one that it replaces.
func TestNewcomer(t *testing.T) {
	for name, c := range map[string]struct {
		before func(b *badBus, m *member) // what happens to the third replica
		want   int                        // resyncs of the others, from its end on
	}{
		"ended":      {func(_ *badBus, m *member) { m.Close() }, 0},
		"killed":     {func(_ *badBus, m *member) { m.kill() }, 1},
		"abandoned":  {func(_ *badBus, m *member) { m.Abandon() }, 1},
		"still here": {func(*badBus, *member) {}, 1}, // so the newcomer has no predecessor, or one that was never heard
		"cut off, and ended": {func(_ *badBus, m *member) {
			m.port.disconnect(true)
			pass(2 * time.Minute) // one resync
			m.Close()
		}, 2},
		"cut off until forgotten, and ended": {func(_ *badBus, m *member) {
			m.port.disconnect(true)
			pass(2 * keepLost) // one resync
			m.Close()
		}, 2},
		"cut off, and back": {func(_ *badBus, m *member) {
			m.port.disconnect(true)
			pass(2 * time.Minute)
			m.port.disconnect(false)
			pass(10 * time.Second) // and a second one
			m.Close()
		}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, 2, func(t *testing.T, b *badBus, all []*member) {
				third := join(b, "test", testBox)
				pass(time.Minute)
				resyncsOf(all)
				c.before(b, third)
				next := join(b, "test", testBox)
				pass(10 * time.Minute)
				if n, _ := resyncsOf(all); n[0] != c.want || n[1] != c.want {
					t.Errorf("%d resyncs, want %d", n, c.want)
				}
				next.Close()
				third.Close()
			})
		})
	}
}

// A rolling restart of ten replicas costs each stream one resync at most, whether the old replica ends before the new
// one is there or after it.
func TestRollingRestart(t *testing.T) {
	for name, c := range map[string]struct{ extra, between time.Duration }{
		"one less":           {0, 3 * time.Second},
		"one more":           {8 * time.Second, 0},
		"one more for long":  {40 * time.Second, 0},
		"one less, at once":  {0, 0},
		"one less for a bit": {0, silence - time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, 10, func(t *testing.T, b *badBus, all []*member) {
				pass(time.Minute)
				resyncsOf(all)
				sum := make([]int, len(all))
				for i := range all {
					old := all[i]
					if c.extra > 0 {
						all[i] = join(b, "test", testBox)
						pass(c.extra)
						old.Close()
					} else {
						old.Close()
						pass(c.between)
						all[i] = join(b, "test", testBox)
						pass(3 * time.Second)
					}
					n, _ := resyncsOf(append([]*member{old}, all...))
					for k := range all {
						if sum[k] += n[k+1]; k == i {
							sum[k] = 0 // it has no stream that began before it
						}
					}
				}
				pass(time.Minute)
				n, _ := resyncsOf(all)
				for k := range n {
					if sum[k]+n[k] > 1 {
						t.Errorf("replica %d: %d resyncs", k, sum[k]+n[k])
					}
				}
			})
		})
	}
}

// After the broker was away, for a moment or for minutes, each replica tells everything once.
func TestOutage(t *testing.T) {
	for _, away := range []time.Duration{time.Second, 6 * time.Second, 20 * time.Second, 3 * time.Minute} {
		t.Run(away.String(), func(t *testing.T) {
			bubble(t, 5, func(t *testing.T, b *badBus, all []*member) {
				pass(time.Minute)
				resyncsOf(all)
				go b.restart(away)
				pass(away)
				if n, most := resyncsOf(all); most > 0 {
					t.Errorf("%d resyncs while the broker is away", n)
				}
				pass(time.Minute)
				for i, n := range all {
					if got := n.countResyncs(); got != 1 || !n.Ready() {
						t.Errorf("replica %d: %d resyncs, ready %v", i, got, n.Ready())
					}
				}
			})
		})
	}
}

// One of a hundred dies, and its successor comes soon: each stream of the others is told once.
func TestOneOfManyDies(t *testing.T) {
	const n = 100
	synctest.Test(t, func(t *testing.T) {
		b := calmBus()
		var all []*member
		for range n {
			all = append(all, join(b, "test", testBox))
		}
		pass(30 * time.Second)
		for _, c := range []struct {
			after time.Duration
			want  int
		}{{2 * time.Second, 1}, {20 * time.Second, 2}} {
			resyncsOf(all)
			all[0].kill()
			pass(c.after)
			all[0] = join(b, "test", testBox)
			pass(silence + 10*time.Second)
			reads := 0
			for i, got := range all[1:] {
				k := got.countResyncs()
				if reads += k; k != c.want || !got.Ready() {
					t.Errorf("replica %d: %d resyncs, ready %v", i, k, got.Ready())
				}
			}
			t.Logf("successor after %v: %.2f reads for each stream and death", c.after, float64(reads)/(n-1))
		}
		for _, m := range all {
			m.Close()
		}
	})
}

// A replica that was killed and replaced at once costs one resync, and nothing later.
func TestPlaceIsTakenBeforeItIsLeft(t *testing.T) {
	bubble(t, 2, func(t *testing.T, b *badBus, all []*member) {
		third := join(b, "test", testBox)
		for range 3 {
			pass(time.Minute)
			resyncsOf(all)
			third.kill()
			third = join(b, "test", testBox)
			pass(time.Minute)
			if n, _ := resyncsOf(all); n[0] != 1 || n[1] != 1 {
				t.Errorf("%d resyncs because of one that was killed", n)
			}
		}
		third.Close()
		third = join(b, "test", testBox)
		pass(time.Minute)
		if n, most := resyncsOf(all); most > 0 {
			t.Errorf("%d resyncs because of one that has ended", n)
		}
		third.Close()
	})
}

// A replica that is lost for good makes one of those that come later a loss, and is forgotten after an hour.
func TestLostForGood(t *testing.T) {
	bubble(t, 3, func(t *testing.T, b *badBus, all []*member) {
		pass(time.Minute)
		resyncsOf(all)
		all[2].kill()
		all = all[:2]
		pass(keepLost / 2)
		if n, most := resyncsOf(all); most != 1 {
			t.Errorf("%d resyncs", n)
		}
		if s := all[0].Stats(); s.Silent != 1 || s.Heard != 2 {
			t.Errorf("%+v", s)
		}
		pass(keepLost)
		if s := all[0].Stats(); s.Silent != 0 {
			t.Errorf("%+v", s)
		}
		if n, most := resyncsOf(all); most != 0 {
			t.Errorf("%d more resyncs", n)
		}
	})
}
