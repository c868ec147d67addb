package pubsub

import "sync/atomic"

// counters are the counts of a hub that are not in [shares]. A publication adds to each counter at most once, however
// many subscriptions it marks.
type counters struct {
	published, delivered, coalesced atomic.Int64
	panics, listens, refusedListens atomic.Int64
}

// Counts are the counts of a [Hub]. The first three are current numbers, the others only grow.
type Counts struct {
	// Subscriptions is the number of subscriptions except those to lists, Watchers that of watched topics, and Listens
	// that of open listens.
	Subscriptions, Watchers, Listens int64
	// Published counts publications, and Delivered the updates that were written. Coalesced counts how often a publication
	// found a subscription already marked, so that both need one update only.
	Published, Delivered, Coalesced int64
	// Panics counts panics of openers and watchers, and Reopened how often watchers had to be opened again.
	Panics, Reopened int64
	// The numbers of refusals because of limits in [Config] and [Limits].
	RefusedSubscriptions, RefusedWatchers, RefusedListens int64
}

// Counts returns the counts of h. Its cost does not depend on the number of subscriptions.
func (h *Hub) Counts() Counts {
	c := &h.counts
	return Counts{
		Subscriptions:        h.shares.inAll(countSubscriptions),
		Watchers:             h.shares.inAll(countWatchers),
		Listens:              c.listens.Load(),
		Published:            c.published.Load(),
		Delivered:            c.delivered.Load(),
		Coalesced:            c.coalesced.Load(),
		Panics:               c.panics.Load(),
		Reopened:             h.reopened.Load(),
		RefusedSubscriptions: h.shares.refusals(countSubscriptions),
		RefusedWatchers:      h.shares.refusals(countWatched),
		RefusedListens:       c.refusedListens.Load(),
	}
}
