package pubsub

import "sync/atomic"

// counters are the numbers of a hub besides those of [shares]. A publication changes them once, however many
// subscriptions it marks.
type counters struct {
	published, delivered, coalesced atomic.Int64
	panics, listens, refusedListens atomic.Int64
}

// Counts are numbers of a [Hub]. The first three are of what there is, the others only grow.
type Counts struct {
	// Subscriptions are those to resources, Watchers the resources that are watched, Listens the open listens.
	Subscriptions, Watchers, Listens int64
	// Published counts changes, Delivered the updates that were written, and Coalesced the changes of a subscription whose
	// update was still to be written.
	Published, Delivered, Coalesced int64
	// Panics counts those of openers and watchers, Reopened how often a watcher had to be opened again.
	Panics, Reopened int64
	// What [Config] and [Limits] have not allowed.
	RefusedSubscriptions, RefusedWatchers, RefusedListens int64
}

// Counts returns the numbers of h. Its cost does not depend on the number of subscriptions.
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
