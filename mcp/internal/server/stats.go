package server

import (
	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// CountersOf returns the counters of s.
func CountersOf(s *Server) *counters.Counters { return &s.host.Counts }

// Stats returns what s and its members have counted. Its cost does not depend on the number of clients.
func Stats(s *Server) stats.Snapshot {
	var out stats.Snapshot
	var ended counters.Ended
	all := s.joins.withMembers()
	for _, j := range all {
		o := j.of
		o.host.Counts.AddTo(&out, &ended)
		addHub(o, &out)
		if o.replicas != nil {
			o.replicas.AddTo(&out.Replicas)
		}
		for _, a := range o.attached {
			a.AddTo(&out)
		}
		labels.Add(&out.LogRecordsDropped, labels.DroppedSlow, safelog.Dropped(o.host.Log)+safelog.Dropped(o.host.Audit))
		labels.Add(&out.Panics, labels.PanicLogger, safelog.Panics(o.host.Log)+safelog.Panics(o.host.Audit))
	}
	ended.AddTo(&out)
	for _, j := range all {
		j.of.host.Counts.AddOwn(&out)
	}
	return out
}

// addHub adds the counts of the hub of s to out.
func addHub(s *Server, out *stats.Snapshot) {
	c := s.host.Hub.Counts()
	labels.Add(&out.Streams, labels.StreamListen, c.Listens)
	out.Subscriptions += c.Subscriptions
	out.Watchers += c.Watchers
	out.WatchersReopened += c.Reopened
	out.UpdatesPublished += c.Published
	out.UpdatesDelivered += c.Delivered
	out.UpdatesCoalesced += c.Coalesced
	labels.Add(&out.Panics, labels.PanicWatcher, c.Panics)
	labels.Add(&out.Refusals, labels.RefusedSubscriptions, c.RefusedSubscriptions)
	labels.Add(&out.Refusals, labels.RefusedWatchers, c.RefusedWatchers)
	labels.Add(&out.Refusals, labels.RefusedListens, c.RefusedListens)
}
