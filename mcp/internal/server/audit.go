package server

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// maxAudited bounds the texts of clients in a record, in bytes.
const maxAudited = 512

// audited are the methods that leave a record when they end. A listen leaves one for each URI.
var audited = map[string]bool{
	protocol.MethodToolsCall: true, protocol.MethodResourcesRead: true,
	protocol.MethodPromptsGet: true, protocol.MethodResourcesSubscribe: true,
}

// What the record of a request says about its end, besides the code of an error.
const (
	statusOK        = "ok"
	statusFailed    = "failed" // a tool that has run and failed
	statusCancelled = "cancelled"
	statusTimeout   = "timeout"
)

// record writes the audit record of the request that w has finished, before its answer is sent. settled says that
// there is one.
func (w *worker) record(settled bool) {
	if w.c.s.opts.Audit == nil || !audited[string(w.method)] {
		return
	}
	status := statusOK
	switch {
	case !settled && w.call != nil:
		status = w.call.fate()
	case !settled:
		status = statusCancelled
	case w.code != 0:
		status = strconv.Itoa(w.code)
	case w.answer.tool.IsError != nil && *w.answer.tool.IsError:
		status = statusFailed
	}
	w.audit(w.target, status, !w.denied, time.Since(w.begun))
}

// auditListen writes the record of one URI that a listen asks for.
func (w *worker) auditListen(uri string, allowed bool) {
	if w.c.s.opts.Audit != nil && uri != "" {
		w.audit(uri, statusOK, allowed, time.Since(w.begun))
	}
}

// fate is what has become of a call that somebody else has ended.
func (c *Call) fate() string {
	if c.afterPreempt() {
		return statusTimeout
	}
	return statusCancelled
}

// audit writes one record. The keys are the same in all of them. Arguments, tokens and session ids are never
// written.
func (w *worker) audit(target, status string, allowed bool, took time.Duration) {
	decision := "allow"
	if !allowed {
		decision = "deny"
	}
	w.c.s.opts.Audit.LogAttrs(context.Background(), slog.LevelInfo, "mcp: audit",
		slog.String("principal", short(w.caller().Subject)),
		slog.String("client", short(w.clientName())),
		slog.String("method", string(w.method)),
		slog.String("target", short(target)),
		slog.String("decision", decision),
		slog.String("status", status),
		slog.Duration("duration", took))
}

// clientName is what the program at the other end calls itself.
func (w *worker) clientName() string {
	if isModern(w.rev) {
		if w.speaker == nil || w.speaker.ClientInfo == nil {
			return ""
		}
		return clientText(w.speaker.ClientInfo)
	}
	if name := w.c.legacy.client.Load(); name != nil {
		return *name
	}
	return ""
}

// clientText is a name and a version as one word.
func clientText(info *protocol.Implementation) string {
	if info.Version == "" {
		return info.Name
	}
	return info.Name + "/" + info.Version
}

// short cuts a text of a client.
func short(s string) string {
	if len(s) > maxAudited {
		return s[:maxAudited] + "…"
	}
	return s
}
