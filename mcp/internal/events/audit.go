package events

import (
	"context"
	"log/slog"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
)

// maxAudited bounds the subject in a record, in bytes.
const maxAudited = 512

// Record writes an audit record of something that has happened to an event or a subscription, with the keys that all
// audit records have. It does nothing if Config.Audit is nil.
func (e *Engine) Record(r event.Record) {
	if e.Audit == nil {
		return
	}
	decision := "allow"
	if r.Denied {
		decision = "deny"
	}
	e.Audit.LogAttrs(context.Background(), slog.LevelInfo, "mcp: audit",
		slog.String("principal", safelog.Text(r.Principal, maxAudited)),
		slog.String("client", ""),
		slog.String("method", r.Action),
		slog.String("target", r.Name),
		slog.String("decision", decision),
		slog.String("status", r.Status),
		slog.Duration("duration", r.Took))
}
