package relay

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/seal"
	"github.com/mcpgen/mcpgen/mcp/internal/seal/aead"
)

// joinWith is join with a configuration of the test.
func joinWith(b *badBus, change func(c *Config)) *member {
	m := &member{heardBy: new(heardBy), port: &badPort{badBus: b}, log: new(strings.Builder)}
	c := Config{
		Bus: m.port, Name: "test", Box: testBox, Log: slog.New(slog.NewTextHandler(m.log, nil)), Receiver: m.heardBy,
	}
	change(&c)
	m.Relay = New(c)
	return m
}

// statesOf returns the states of replicas.
func statesOf(all ...*member) (s []State) {
	for _, m := range all {
		s = append(s, m.State())
	}
	return s
}

// twoKeys is a box that seals with another key than the others have, and opens what they seal.
func twoKeys() seal.Box {
	b, err := aead.New([][]byte{[]byte("another of 16 bytes"), []byte("one key of 16 bytes")})
	if err != nil {
		panic(err)
	}
	return b
}

// A replica with a wrong key is not ready and says why, and it alone: beside one other replica or two, whether it can
// open their frames or not, whether it comes last or was ready before. The others need not resync because of it, except
// as for each that comes.
func TestWrongKey(t *testing.T) {
	for name, box := range map[string]seal.Box{"another": newBox("another of 16 bytes"), "another first": twoKeys()} {
		for others := 1; others <= 2; others++ {
			t.Run(fmt.Sprint(name, ", beside ", others), func(t *testing.T) {
				bubble(t, others, func(t *testing.T, b *badBus, all []*member) {
					pass(time.Minute)
					resyncsOf(all)
					wrong := joinWith(b, func(c *Config) { c.Box = box })
					for i := range 1200 {
						pass(time.Second / 4)
						if got := statesOf(all...); slices.Max(got) != IsReady {
							t.Errorf("%d: states of the others: %v", i, got)
							break
						}
						if wrong.Ready() {
							t.Errorf("%d: a replica with a wrong key is ready", i)
							break
						}
					}
					if n, most := resyncsOf(all); most > 0 {
						t.Errorf("%d resyncs", n)
					}
					if s := wrong.State(); s != Apart || !wrong.Fenced() || wrong.blind != 1 {
						t.Errorf("state %d, fenced %v", s, wrong.Fenced())
					}
					if n := strings.Count(wrong.log.String(), "compare Options.Keys"); n != 1 {
						t.Errorf("%d warnings: %s", n, wrong.log)
					}
					for i := range all { // one after the other starts again, and gets ready beside it
						all[i].Close()
						pass(2 * time.Second)
						all[i] = join(b, "test", testBox)
						pass(2 * time.Minute)
						if !all[i].Ready() || wrong.Ready() {
							t.Errorf("after a restart: %v, and %v", statesOf(all...), statesOf(wrong))
						}
					}
					wrong.Close()
				})
			})
		}
		t.Run(name+", and first", func(t *testing.T) {
			bubble(t, 0, func(t *testing.T, b *badBus, _ []*member) {
				wrong := joinWith(b, func(c *Config) { c.Box = box })
				pass(3 * time.Second)
				one, two := join(b, "test", testBox), join(b, "test", testBox)
				pass(MaxBlind + 2*beatGap)
				if got := statesOf(wrong, one, two); !slices.Equal(got, []State{Apart, IsReady, IsReady}) {
					t.Error(got)
				}
				wrong.Close()
				one.Close()
				two.Close()
			})
		})
	}
}

// Of two that begin at once with different keys one gets ready, and stays so.
func TestWrongKeysAtOnce(t *testing.T) {
	bubble(t, 0, func(t *testing.T, b *badBus, _ []*member) {
		one, two := join(b, "test", testBox), joinWith(b, func(c *Config) { c.Box = newBox("another of 16 bytes") })
		for begin := time.Now(); !one.Ready() && !two.Ready() && time.Since(begin) < time.Hour; { // chance decides when
			pass(time.Second)
		}
		first := one.Ready()
		for range 100 {
			if one.Ready() != first || two.Ready() == first {
				t.Error(statesOf(one, two))
				break
			}
			pass(3 * time.Second)
		}
		one.Close()
		two.Close()
	})
}

// A replica whose clock is far from that of most others is not ready, and it alone; of two it is the younger one.
func TestClock(t *testing.T) {
	for others := 1; others <= 3; others++ {
		for _, off := range []time.Duration{-time.Hour, -31 * time.Second, 29 * time.Second, 31 * time.Second, time.Hour} {
			bubble(t, others, func(t *testing.T, b *badBus, all []*member) {
				odd := joinWith(b, func(c *Config) { c.clock = off })
				pass(time.Minute)
				want := IsReady
				if off.Abs() > maxSkew {
					want = ClockOff
				}
				if got := odd.State(); got != want || odd.Ready() != (want == IsReady) {
					t.Errorf("%v off, beside %d: state %d", off, others, got)
				}
				if got := statesOf(all...); slices.Max(got) != IsReady {
					t.Errorf("%v off: states of the others: %v", off, got)
				}
				if odd.Fenced() {
					t.Error("its streams are good, and were ended")
				}
				odd.Close()
				pass(time.Second)
			})
		}
	}
}

// A broker in two parts makes those unready that hear fewer than half of all; one that is dead makes nobody unready.
func TestExpected(t *testing.T) {
	bubble(t, 0, func(t *testing.T, b *badBus, _ []*member) {
		var all []*member
		for range 5 {
			all = append(all, joinWith(b, func(c *Config) { c.Expected = 5 }))
		}
		want := func(when string, want ...State) {
			t.Helper()
			pass(silence + 3*time.Second)
			if got := statesOf(all...); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", when, got, want)
			}
		}
		want("at first", 0, 0, 0, 0, 0)
		split := func(side int) {
			b.set(func() { all[0].port.side, all[1].port.side = side, side })
		}
		split(1)
		want("split", Few, Few, 0, 0, 0)
		if all[0].Fenced() {
			t.Error("a replica in the smaller part has ended its streams")
		}
		split(0)
		want("healed", 0, 0, 0, 0, 0)
		for _, m := range all {
			if m.countResyncs() == 0 {
				t.Error("no resync after the broker has healed")
			}
		}
		all[0].kill()
		all = all[1:]
		want("one is dead", 0, 0, 0, 0)
		all[0].kill()
		all = all[1:]
		want("two are dead", 0, 0, 0)
		all[0].kill()
		all = all[1:]
		want("three are dead", Few, Few)
		for _, m := range all {
			m.Close()
		}
	})
}
