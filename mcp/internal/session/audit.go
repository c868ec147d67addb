package session

import (
	"log/slog"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	ext "github.com/mcpgen/mcpgen/generated/protocol/ext/tasks"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
)

// Auditor writes the audit records of the request at hand. It is a part of a [Worker], from whose exported fields and
// methods it has who asks for what.
type Auditor struct {
	log   *slog.Logger // nil for none
	of    *Worker      // has the request
	noted auditNotes
}

// auditNotes is what the records of one request need, and the request itself does not have.
type auditNotes struct {
	begun  time.Time
	target string // of the request
	denied bool   // the caller has no right to what it asks for
	// For a listen: how many topics have a record, and how many have none because there are too many. Those that were
	// denied are in left[0], those allowed in left[1].
	records int
	left    [2]int
}

// beginAudit notes the time at which the current request begins.
func (a *Auditor) beginAudit() {
	if a.log != nil {
		a.noted.begun = time.Now()
	}
}

// forgetAudit forgets the current request.
func (a *Auditor) forgetAudit() { a.noted = auditNotes{} }

// About sets the target of the current request for the audit.
func (a *Auditor) About(target string) { a.noted.target = target }

// Deny notes for the audit that the caller lacks the rights for the current request.
func (a *Auditor) Deny() { a.noted.denied = true }

// isDenied reports whether Deny was called.
func (a *Auditor) isDenied() bool { return a.noted.denied }

// TakeDenied reports whether Deny was called, and forgets it. A listen, which has an audit record for each topic, calls
// it after each topic.
func (a *Auditor) TakeDenied() (was bool) {
	was, a.noted.denied = a.noted.denied, false
	return was
}

// maxAudited is how many bytes of a text of a client an audit record may have.
const maxAudited = 512

// maxAuditedURIs is the largest number of audit records of one listen. One further record has the number of the topics
// left out that were allowed, and another that of the denied.
const maxAuditedURIs = 100

// audited has the methods whose requests get an audit record. It lacks subscriptions/listen, which gets a record for
// each URI and task.
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

// isAudited reports whether the current request gets an audit record when it ends.
func (a *Auditor) isAudited() bool {
	return a.log != nil && (audited[string(a.of.Method)] || a.of.Number.IsOther() && a.noted.target != "")
}

// audit writes the audit record of the current request, before the response is sent. status says how it has ended.
func (a *Auditor) audit(status string) { a.write(a.noted.target, status, !a.noted.denied) }

// AuditedName returns the part of the id of a task that audit records show: the time and 30 of the random bits. It is
// not the whole id, because whoever knows the id of a task without a subject may use the task.
func AuditedName(name string) string { return name[:min(len(name), 16)] }

// AuditListen writes the audit record of one topic that a listen asks for. allowed says whether the listen gets it.
// Beyond the limit of records it only counts the topic for AuditRest. It does nothing for a list.
func (a *Auditor) AuditListen(of pubsub.Topic, allowed bool) {
	if a.log == nil || of.URI == "" {
		return
	}
	if of.Kind == pubsub.Task {
		of.URI = AuditedName(of.URI)
	}
	if a.noted.records++; a.noted.records <= maxAuditedURIs {
		a.write(of.URI, statusOK, allowed)
		return
	}
	i := 0
	if allowed {
		i = 1
	}
	a.noted.left[i]++
}

// AuditRest writes the records for the topics that AuditListen has only counted. It is called once.
func (a *Auditor) AuditRest() {
	for i, n := range a.noted.left {
		if n > 0 {
			a.write(strconv.Itoa(n)+" more URIs", statusOK, i == 1)
		}
	}
}

// status returns what the audit record of the current request says about its end. settled says that there is a
// response.
func (w *Worker) status(settled bool) string {
	switch {
	case !settled && w.Call != nil:
		return auditStatus(w.Call)
	case !settled:
		return statusCancelled
	case w.code != 0:
		return strconv.Itoa(w.code)
	case w.handler.ToolFailed():
		return statusFailed
	}
	return statusOK
}

// auditStatus returns the status of a call that did not end with its handler.
func auditStatus(c *call.Call) string {
	if c.AfterPreempt() {
		return statusTimeout
	}
	return statusCancelled
}

// write writes one audit record. All records have the same keys. Arguments, tokens and session ids are never written.
func (a *Auditor) write(target, status string, allowed bool) {
	took := time.Since(a.noted.begun)
	decision := "allow"
	if !allowed {
		decision = "deny"
	}
	w := a.of
	a.log.LogAttrs(w.Values(), slog.LevelInfo, "mcp: audit",
		slog.String("principal", Short(w.Caller().Subject)),
		slog.String("client", Short(a.clientName())),
		slog.String("method", string(w.Method)),
		slog.String("target", Short(target)),
		slog.String("decision", decision),
		slog.String("status", status),
		slog.Duration("duration", took))
}

// clientName returns the name of the client program, and its version, as the client declares them; "" if it does not.
func (a *Auditor) clientName() string {
	w := a.of
	if era.IsModern(w.Rev) {
		if meta := w.ClientMeta(); meta != nil && meta.ClientInfo != nil {
			return clientText(meta.ClientInfo)
		}
		return ""
	}
	if name := w.Conn.ClientName(); name != nil {
		return *name
	}
	return ""
}

// Short returns a text of a client, shortened for a record.
func Short(s string) string { return safelog.Text(s, maxAudited) }
