package relay

import (
	"log/slog"
	"sync/atomic"
	"time"
)

// dropReason is why a frame that came in was dropped.
type dropReason int

const (
	dropKey     dropReason = iota // sealed with an unknown key
	dropForeign                   // of another server, or forged
	dropForm                      // of an unknown form
	dropSize                      // too long
	dropReasons
)

// Loss is a reason why this replica may have missed changes of others.
type Loss uint8

// The reasons.
const (
	NoLoss    Loss = iota
	LostFrame      // a frame is missing, or has an unknown form
	LostPeer       // a peer is silent
	LostHalf       // this replica does not hear a peer that others hear
	LostStart      // a peer has started, and the end of its predecessor was not heard
	LostBus        // this replica was cut off from the bus
	NumLosses      // the number of reasons, NoLoss included
)

// counts are the counters of a relay.
type counts struct {
	sent, failed, received, overflows atomic.Int64
	suspects                          atomic.Int64
	resyncs                           [NumLosses]atomic.Int64
	blind                             atomic.Int64 // nanoseconds
	dropped                           [dropReasons]atomic.Int64
	publishing                        failing
}

func (c *counts) drop(why dropReason) { c.dropped[why].Add(1) }

// failing remembers whether the last call of a function has failed, so that not every failure is logged.
type failing struct{ now atomic.Bool }

// note takes the error of a call, nil for success. It logs only the first of several failures in a row, and the first
// success that follows.
func (f *failing) note(log *slog.Logger, what string, err error) {
	switch {
	case err != nil && !f.now.Swap(true):
		log.Warn("mcp: the bus fails: "+what, "err", err)
	case err == nil && f.now.Load() && f.now.Swap(false):
		log.Info("mcp: the bus works again: " + what)
	}
}

func (c *counts) published(log *slog.Logger, err error) {
	if err == nil {
		c.sent.Add(1)
	} else {
		c.failed.Add(1)
	}
	c.publishing.note(log, "publish", err)
}

func (c *counts) subscribeFailed(log *slog.Logger, err error) {
	c.failed.Add(1)
	if err != nil {
		log.Debug("mcp: the subscription to the bus has ended", "err", err)
	}
}

// Stats are the counts of a relay at one time.
type Stats struct {
	// State and Fenced are what [Relay.State] and [Relay.Fenced] report.
	State  State
	Fenced bool
	// Heard is the number of replicas that this one hears, including itself. Silent is the number of missing peers, and
	// Different that of peers whose lists differ from those of this replica.
	Heard, Silent, Different int
	// Resyncs counts the resyncs, each by its first reason. Suspects counts how often a peer was lost because it was
	// silent.
	Resyncs  [NumLosses]int64
	Suspects int64
	// Blind is how long the replica has not heard itself, in all. The first 15 seconds of each such time do not count.
	Blind time.Duration
	// Sent and Received count frames. Failed counts failed calls of the bus. Overflows counts how often a signal found no
	// room in the queue, so that a new epoch had to begin.
	Sent, Received, Failed, Overflows int64
	// The four count received frames that were dropped: DroppedKey those sealed with an unknown key, DroppedForeign those
	// of another server or forged, DroppedForm those of an unknown form, DroppedSize those that were too long.
	DroppedKey, DroppedForeign, DroppedForm, DroppedSize int64
}

// Stats returns the counts.
func (r *Relay) Stats() Stats {
	r.mu.Lock()
	different, silent := r.differs.peers, r.peers.missing()
	r.mu.Unlock()
	c := &r.counts
	s := Stats{
		State: r.State(), Fenced: r.Fenced(), Heard: r.Heard(), Silent: silent, Different: different,
		Suspects: c.suspects.Load(), Blind: time.Duration(c.blind.Load()),
		Sent: c.sent.Load(), Received: c.received.Load(), Failed: c.failed.Load(), Overflows: c.overflows.Load(),
		DroppedKey: c.dropped[dropKey].Load(), DroppedForeign: c.dropped[dropForeign].Load(),
		DroppedForm: c.dropped[dropForm].Load(), DroppedSize: c.dropped[dropSize].Load(),
	}
	for why := range s.Resyncs {
		s.Resyncs[why] = c.resyncs[why].Load()
	}
	return s
}
