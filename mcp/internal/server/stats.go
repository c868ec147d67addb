package server

import (
	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/internal/relay"
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// CountersOf returns what s counts.
func CountersOf(s *Server) *counters.Counters { return &s.host.Counts }

// Stats returns what s and the servers that it is joined from have counted. Its cost does not depend on the number of
// clients.
func Stats(s *Server) stats.Snapshot {
	var out stats.Snapshot
	var ended counters.Ended
	for _, o := range family(s) {
		o.host.Counts.AddTo(&out, &ended)
		addHub(o, &out)
		addReplicas(o.replicas, &out.Replicas)
		for _, a := range o.attached {
			a.AddTo(&out)
		}
		labels.Add(&out.LogRecordsDropped, labels.DroppedSlow, safelog.Dropped(o.host.Log)+safelog.Dropped(o.host.Audit))
		labels.Add(&out.Panics, labels.PanicLogger, safelog.Panics(o.host.Log)+safelog.Panics(o.host.Audit))
	}
	ended.AddTo(&out)
	for _, o := range family(s) {
		o.host.Counts.AddOwn(&out)
	}
	return out
}

// addHub adds what the hub of s counts.
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

// addReplicas adds what a server knows of its other replicas; r is nil for one without a bus.
func addReplicas(r *replicas, out *stats.Replicas) {
	if r == nil {
		return
	}
	c := r.Stats()
	out.Heard += int64(c.Heard)
	out.Missing += int64(c.Silent)
	if c.State != relay.IsReady {
		labels.Add(&out.Unready, unready[c.State].label, 1)
	}
	out.Different += int64(c.Different)
	if c.Fenced {
		out.Fenced = 1
	}
	out.Overflows += c.Overflows
	out.Suspects += c.Suspects
	out.Blind += c.Blind
	out.FramesSent += c.Sent
	out.FramesReceived += c.Received
	out.BusErrors += c.Failed
	labels.Add(&out.Resyncs, labels.ResyncFrame, c.Resyncs[relay.LostFrame])
	labels.Add(&out.Resyncs, labels.ResyncSilent, c.Resyncs[relay.LostPeer])
	labels.Add(&out.Resyncs, labels.ResyncHalfHeard, c.Resyncs[relay.LostHalf])
	labels.Add(&out.Resyncs, labels.ResyncStarted, c.Resyncs[relay.LostStart])
	labels.Add(&out.Resyncs, labels.ResyncBus, c.Resyncs[relay.LostBus])
	labels.Add(&out.FramesDropped, labels.FrameOfUnknownKey, c.DroppedKey)
	labels.Add(&out.FramesDropped, labels.FrameForeign, c.DroppedForeign)
	labels.Add(&out.FramesDropped, labels.FrameMalformed, c.DroppedForm)
	labels.Add(&out.FramesDropped, labels.FrameTooLong, c.DroppedSize)
}
