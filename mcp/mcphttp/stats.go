package mcphttp

import (
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// addStats adds what only the handler knows.
func (h *handler) addStats(s *stats.Snapshot) {
	h.admit.AddStats(s)
	h.opener.AddStats(s)
	for _, d := range []*safelog.Sparse{
		&h.guard.hostsRefused, &h.guard.originsRefused, &h.callers.refused, &h.callers.late,
	} {
		s.LogRecordsDropped[stats.DroppedRate] += d.Dropped()
	}
	s.LogRecordsDropped[stats.DroppedSlow] += safelog.Dropped(h.log)
	s.Panics[stats.PanicLogger] += safelog.Panics(h.log)
}
