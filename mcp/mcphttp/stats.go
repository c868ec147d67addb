package mcphttp

import (
	"net/http"

	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
	"github.com/mcpgen/mcpgen/mcp/stats"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// refused counts what is refused for a reason that no place in admission is about.
func (h *handler) refused(r stats.Refusal) { h.counts.Refused[r].Add(1) }

// answerError answers a message with an error that the server has not made, and counts it.
func (h *handler) answerError(w http.ResponseWriter, status int, e *server.Envelope, fault *wire.Error) {
	h.counts.Answered(e.Message.Method, fault.Code)
	_ = web.WriteJSON(w, status, wire.AppendError(nil, e.Message.ID, false, fault))
}

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
