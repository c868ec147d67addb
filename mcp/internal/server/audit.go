package server

import (
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	ext "github.com/mcpgen/mcpgen/generated/protocol/ext/tasks"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
)

// auditor is a worker that writes the audit records of its requests.
type auditor struct{ *worker }

// maxAudited bounds the texts of clients in a record, in bytes.
const maxAudited = 512

// maxAuditedURIs bounds the records of one listen. What is left out is counted in a record of its own.
const maxAuditedURIs = 100

// listenAudit counts the records of a listen, and the URIs that were denied or allowed beyond them.
type listenAudit struct {
	records int
	left    [2]int
}

// audited are the methods that leave a record when they end. A listen leaves one for each URI and task.
var audited = map[string]bool{
	protocol.MethodToolsCall: true, protocol.MethodResourcesRead: true,
	protocol.MethodPromptsGet: true, protocol.MethodResourcesSubscribe: true,
	protocol.MethodTasksCancel: true, ext.MethodTasksUpdate: true,
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
func (w auditor) record(settled bool) {
	if w.c.s.opts.Audit == nil || !audited[string(w.method)] && !w.isExtension() {
		return
	}
	status := statusOK
	switch {
	case !settled && w.call != nil:
		status = auditStatus(w.call)
	case !settled:
		status = statusCancelled
	case w.code != 0:
		status = strconv.Itoa(w.code)
	case w.result.tool.IsError != nil && *w.result.tool.IsError:
		status = statusFailed
	}
	w.audit(w.target, status, !w.denied, time.Since(w.begun))
}

// isExtension reports whether the request is for a method of an extension.
func (w auditor) isExtension() bool { return w.number.IsOther() && w.target != "" }

// auditedTask is what records have of the id of a task: its time and 30 of its random bits. The whole of it is all that
// a client without a subject is known by.
func auditedTask(id string) string { return id[:min(len(id), 16)] }

// auditListen writes the record of one URI, or of the topic of a task, that a listen asks for, or counts it.
func (w auditor) auditListen(uri string, allowed bool) {
	if w.c.s.opts.Audit == nil || uri == "" {
		return
	}
	if w.audited.records++; w.audited.records <= maxAuditedURIs {
		if id, ok := strings.CutPrefix(uri, taskTopic); ok {
			uri = auditedTask(id)
		}
		w.audit(uri, statusOK, allowed, time.Since(w.begun))
		return
	}
	i := 0
	if allowed {
		i = 1
	}
	w.audited.left[i]++
}

// auditRest writes the records of what auditListen has counted.
func (w auditor) auditRest() {
	for i, n := range w.audited.left {
		if n > 0 {
			w.audit(strconv.Itoa(n)+" more URIs", statusOK, i == 1, time.Since(w.begun))
		}
	}
	w.audited = listenAudit{}
}

// auditStatus is the status of a call that was ended from outside of its handler.
func auditStatus(c *call.Call) string {
	if c.AfterPreempt() {
		return statusTimeout
	}
	return statusCancelled
}

// audit writes one record. The keys are the same in all of them. Arguments, tokens and session ids are never
// written.
func (w auditor) audit(target, status string, allowed bool, took time.Duration) {
	decision := "allow"
	if !allowed {
		decision = "deny"
	}
	w.c.s.opts.Audit.LogAttrs(w.values(), slog.LevelInfo, "mcp: audit",
		slog.String("principal", short(w.caller().Subject)),
		slog.String("client", short(w.clientName())),
		slog.String("method", string(w.method)),
		slog.String("target", short(target)),
		slog.String("decision", decision),
		slog.String("status", status),
		slog.Duration("duration", took))
}

// clientName is what the program at the other end calls itself.
func (w auditor) clientName() string {
	if era.IsModern(w.rev) {
		if w.clientMeta == nil || w.clientMeta.ClientInfo == nil {
			return ""
		}
		return clientText(w.clientMeta.ClientInfo)
	}
	if name := w.c.legacy.clientName(); name != nil {
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

// short is a text of a client as a record can hold it.
func short(s string) string { return safelog.Text(s, maxAudited) }
