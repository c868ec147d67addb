package relay

import (
	"slices"
	"testing"
	"time"
)

// event is a frame of a peer, or a check of the peers if from is zero.
type event struct {
	after      time.Duration
	from       byte
	epoch, seq uint64
	flags      byte
	want       news
}

// meet gives an event to the peers, and pays if it is a loss.
func (ps *peers) meet(e event, now time.Time) (n news) {
	if e.from == 0 {
		n.loss, _ = ps.check(now, false, time.Time{})
	} else {
		n = ps.take(&frame{from: origin{e.from}, flags: e.flags, epoch: e.epoch, seq: e.seq}, now, now)
	}
	if n.loss != NoLoss {
		ps.pay()
	}
	return n
}

// What a frame of a peer means for a replica, and what its silence.
func TestPeers(t *testing.T) {
	const soon, late = time.Second, silence + time.Second
	first, lost, again := news{first: true}, news{loss: LostFrame}, news{answer: true}
	// Two come while there is no place, and the resync that this costs is paid.
	joins := []event{
		{soon, 1, 1, 1, 0, first}, {soon, 2, 1, 1, 0, first}, {silence - 2*soon, 1, 1, 2, 0, again}, {0, 2, 1, 2, 0, again},
		{3 * soon, 0, 0, 0, 0, news{loss: LostStart}},
	}
	for name, then := range map[string][]event{
		"in sequence":         {{soon, 1, 1, 3, 0, news{}}, {soon, 1, 1, 4, 0, news{}}},
		"a gap":               {{soon, 1, 1, 4, 0, lost}, {soon, 1, 1, 5, 0, news{}}},
		"repeated":            {{soon, 1, 1, 2, 0, news{ignored: true}}, {soon, 1, 1, 3, 0, news{}}},
		"late":                {{soon, 1, 1, 4, 0, lost}, {soon, 1, 1, 3, 0, news{ignored: true}}},
		"an epoch":            {{soon, 1, 2, 1, 0, lost}, {soon, 1, 1, 3, 0, news{ignored: true}}},
		"a second one first":  {{soon, 3, 1, 2, 0, news{loss: LostFrame, first: true}}},
		"a second epoch":      {{soon, 3, 2, 1, 0, news{loss: LostFrame, first: true}}},
		"again after a while": {{hush, 1, 1, 3, 0, again}, {soon, 1, 1, 4, 0, news{}}},
		"does not list it":    {{soon, 1, 1, 3, flagBeat, again}},
		"is fenced":           {{soon, 1, 1, 3, flagBeat | flagFenced, news{}}},
		"one is silent": {
			{silence - 4*soon, 1, 1, 3, 0, again}, {soon, 0, 0, 0, 0, news{}}, {soon, 0, 0, 0, 0, news{loss: LostPeer}},
			{soon, 2, 1, 3, 0, again}, {late, 0, 0, 0, 0, news{loss: LostPeer}},
		},
		"a good place": {
			{soon, 1, 1, 3, flagBye, news{}}, {soon, 3, 1, 1, 0, first}, {silence - 3*soon, 2, 1, 3, 0, again},
			{0, 3, 1, 2, 0, again}, {4 * soon, 0, 0, 0, 0, news{}},
		},
		"a good place is for one": {
			{soon, 1, 1, 3, flagBye, news{}}, {soon, 3, 1, 1, 0, first}, {0, 4, 1, 1, 0, first},
			{silence - 3*soon, 2, 1, 3, 0, again}, {0, 3, 1, 2, 0, again}, {0, 4, 1, 2, 0, again},
			{4 * soon, 0, 0, 0, 0, news{loss: LostStart}},
		},
		"a place that is left later": {
			{soon, 3, 1, 1, 0, first}, {soon, 1, 1, 3, flagBye, news{}}, {silence - 3*soon, 2, 1, 3, 0, again},
			{0, 3, 1, 2, 0, again}, {3 * soon, 0, 0, 0, 0, news{}},
		},
		"no place": {
			{soon, 3, 1, 1, 0, first}, {silence - 3*soon, 1, 1, 3, 0, again}, {0, 2, 1, 3, 0, again},
			{0, 3, 1, 2, 0, again}, {4 * soon, 0, 0, 0, 0, news{loss: LostStart}},
		},
		"a bad place": {
			{silence - 3*soon, 1, 1, 3, 0, again}, {2 * soon, 0, 0, 0, 0, news{loss: LostPeer}},
			{soon, 3, 1, 1, 0, news{loss: LostStart, first: true}}, {soon, 4, 1, 1, 0, first},
		},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Now()
			ps := peers{self: origin{9}, began: now, all: map[origin]*peer{}}
			for i, e := range slices.Concat(joins, then) {
				now = now.Add(e.after)
				if got := ps.meet(e, now); got != e.want {
					t.Errorf("event %d: %+v, want %+v", i, got, e.want)
				}
			}
		})
	}
}
