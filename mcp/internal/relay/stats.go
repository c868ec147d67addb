package relay

import (
	"log/slog"
	"sync/atomic"
	"time"
)

// dropReason is why a frame that came in was dropped.
type dropReason int

const (
	dropKey     dropReason = iota // sealed with a key that is unknown
	dropForeign                   // of another server, or forged
	dropForm                      // of another version
	dropSize                      // too long
	dropReasons
)

// Loss is why changes of other replicas may have been missed.
type Loss uint8

// The reasons.
const (
	NoLoss    Loss = iota
	LostFrame      // a frame is missing, or has a form that is not known
	LostPeer       // a peer is silent
	LostHalf       // one that this replica has lost is heard by others
	LostStart      // a peer has started, and the end of its predecessor was not heard
	LostBus        // this replica was cut off from the bus
	NumLosses      // how many there are
)

// counts are what the relay has done.
type counts struct {
	sent, failed, received, overflows atomic.Int64
	suspects                          atomic.Int64
	resyncs                           [NumLosses]atomic.Int64
	blind                             atomic.Int64 // nanoseconds
	dropped                           [dropReasons]atomic.Int64
	publishing                        failing
}

func (c *counts) drop(why dropReason) { c.dropped[why].Add(1) }

// failing says whether something has failed the last time.
type failing struct{ now atomic.Bool }

// note logs the first failure of a row, and the success after it.
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

// Stats are counts of one relay at one instant.
type Stats struct {
	// State and Fenced are what [Relay.State] and [Relay.Fenced] report.
	State  State
	Fenced bool
	// Heard counts the replicas that are heard, this one included. Silent counts the replicas that are missing, and
	// Different those whose lists differ.
	Heard, Silent, Different int
	// Resyncs counts the resyncs by their first reason, and Suspects the peers that were lost because of their silence.
	Resyncs  [NumLosses]int64
	Suspects int64
	// Blind is for how long the replica has not heard itself: all times beyond 15 seconds.
	Blind time.Duration
	// Sent and Received count frames, Failed counts failed calls of the bus, and Overflows how often too much was waiting
	// to be published.
	Sent, Received, Failed, Overflows int64
	// These count frames that were dropped: sealed with an unknown key; of another server, or forged; of another version;
	// too long.
	DroppedKey, DroppedForeign, DroppedForm, DroppedSize int64
}

// Stats returns the counts.
func (r *Relay) Stats() Stats {
	r.mu.Lock()
	different, silent := r.differs.peers, 0
	for _, p := range r.peers {
		if p.missing {
			silent++
		}
	}
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
