package server

import (
	"slices"

	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/internal/relay"
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// CountersOf returns what s counts.
func CountersOf(s *Server) *counters.Counters { return &s.shared.Counts }

// Stats returns what s and the servers that it is joined from have counted. Its cost does not depend on the number of
// clients.
func Stats(s *Server) stats.Snapshot {
	var out stats.Snapshot
	var ended counters.Ended
	for _, o := range family(s) {
		o.shared.Counts.AddTo(&out, &ended)
		addHub(o, &out)
		addReplicas(o.replicas, &out.Replicas)
		if o.tasks != nil {
			o.tasks.addTo(&out.Tasks)
		}
		out.LogRecordsDropped[stats.DroppedSlow] += safelog.Dropped(o.log) + safelog.Dropped(o.opts.Audit)
		out.Panics[stats.PanicLogger] += safelog.Panics(o.log) + safelog.Panics(o.opts.Audit)
	}
	ended.AddTo(&out)
	for _, o := range family(s) {
		o.shared.Counts.AddOwn(&out)
	}
	return out
}

// family returns s and the servers that it is joined from, at any distance.
func family(s *Server) []*Server {
	all := []*Server{s}
	for i := 0; i < len(all); i++ { // which grows
		for _, m := range all[i].members {
			if !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	return all
}

// addHub adds what the hub of s counts.
func addHub(s *Server, out *stats.Snapshot) {
	c := s.hub.Counts()
	out.Streams[stats.StreamListen] += c.Listens
	out.Subscriptions += c.Subscriptions
	out.Watchers += c.Watchers
	out.WatchersReopened += c.Reopened
	out.UpdatesPublished += c.Published
	out.UpdatesDelivered += c.Delivered
	out.UpdatesCoalesced += c.Coalesced
	out.Panics[stats.PanicWatcher] += c.Panics
	out.Refusals[stats.RefusedSubscriptions] += c.RefusedSubscriptions
	out.Refusals[stats.RefusedWatchers] += c.RefusedWatchers
	out.Refusals[stats.RefusedListens] += c.RefusedListens
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
		out.Unready[unready[c.State].label] = 1
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
	for i, n := range [...]int64{
		stats.ResyncFrame: c.Resyncs[relay.LostFrame], stats.ResyncSilent: c.Resyncs[relay.LostPeer],
		stats.ResyncHalfHeard: c.Resyncs[relay.LostHalf], stats.ResyncStarted: c.Resyncs[relay.LostStart],
		stats.ResyncBus: c.Resyncs[relay.LostBus],
	} {
		out.Resyncs[i] += n
	}
	for i, n := range [...]int64{
		stats.FrameOfUnknownKey: c.DroppedKey, stats.FrameForeign: c.DroppedForeign,
		stats.FrameMalformed: c.DroppedForm, stats.FrameTooLong: c.DroppedSize,
	} {
		out.FramesDropped[i] += n
	}
}
