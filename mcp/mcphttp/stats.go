package mcphttp

import (
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// refused counts what is refused for a reason that no place in admission is about.
func (h *handler) refused(r stats.Refusal) { h.counts.Refused[r].Add(1) }

// addStats adds what only the handler knows.
func (h *handler) addStats(s *stats.Snapshot) {
	h.admit.AddStats(s)
	h.opener.AddStats(s)
	for _, d := range []*safelog.Sparse{
		&h.hostsRefused, &h.originsRefused, &h.callersRefused, &h.callersLate,
	} {
		s.LogRecordsDropped[stats.DroppedRate] += d.Dropped()
	}
	s.LogRecordsDropped[stats.DroppedSlow] += safelog.Dropped(h.log)
	s.Panics[stats.PanicLogger] += safelog.Panics(h.log)
}
