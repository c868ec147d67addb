package replicas

import (
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/internal/relay"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// AddTo implements [Connection].
func (r *Replica) AddTo(out *stats.Replicas) {
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
