package mcphttp

import (
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// addStats adds the numbers that only the handler has.
func (h *handler) addStats(s *stats.Snapshot) {
	h.admit.AddStats(s)
	h.opener.AddStats(s)
	for _, d := range []*safelog.Sparse{
		&h.guard.hostsRefused, &h.guard.originsRefused, &h.callers.refused, &h.callers.late,
	} {
		labels.Add(&s.LogRecordsDropped, labels.DroppedRate, d.Dropped())
	}
	labels.Add(&s.LogRecordsDropped, labels.DroppedSlow, safelog.Dropped(h.log))
	labels.Add(&s.Panics, labels.PanicLogger, safelog.Panics(h.log))
}
