package session

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	ext "github.com/mcpgen/mcpgen/generated/protocol/ext/tasks"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/stats"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// observation is the state of the current request that only the observer needs.
type observation struct {
	settled bool            // there is a response
	outer   context.Context // Worker.base before the observer got the request
	fault   *wire.Error     // of the response; nil if that is a result
}

// observeRequest tells the observer that the current request begins. The handler gets the context that the observer
// returns.
func observeRequest(w *Worker, params []byte) {
	w.observed = &observation{outer: w.base}
	w.base = call.Observe(w.Values(), &w.Conn.Conn, &receivedOperation{w, params}, nil)
}

// end writes the audit record of the current request and tells the observer that the request ends, before the response
// is sent. settled says that there is a response.
func (w *Worker) end(settled bool) {
	w.record(settled)
	o := w.observed
	if o == nil {
		return
	}
	o.settled = settled
	if w.Call == nil || !call.WasPreempted(w.Call) { // otherwise the observer was told when the call was preempted
		call.Observe(w.base, &w.Conn.Conn, nil, receivedOutcome{w})
	}
	w.base, w.observed = o.outer, nil
}

// receivedOperation implements [stats.Operation] for the current request of a worker. It is a type of its own, so that
// the linker leaves its methods out of servers without an observer.
type receivedOperation struct {
	w  *Worker
	of []byte // the params
}

func (o *receivedOperation) Kind() stats.OperationKind {
	if call.TaskOf(o.w.Values()) != nil {
		return stats.OperationTask
	}
	return stats.OperationReceived
}

func (o *receivedOperation) Method() string { return o.w.host.Counts.NameOf(o.w.Number) }

// maxObservedMeta is the longest member of params._meta that the observer gets, in bytes. It is the limit of the W3C
// for the header baggage.
const maxObservedMeta = 8192

func (o *receivedOperation) Meta(name string) string {
	if own := o.w.own; own != nil {
		return textAt(own.Meta, maxObservedMeta, name)
	}
	return textAt(o.of, maxObservedMeta, "_meta", name)
}

func (o *receivedOperation) HTTP() bool {
	from := o.w.Responder
	if n, ok := from.(call.NoResponse); ok {
		from = n.Responder
	}
	return call.ExchangeOf(from) != nil && o.Kind() != stats.OperationTask
}

func (o *receivedOperation) ID() string {
	if _, notifies := o.w.Responder.(call.NoResponse); notifies {
		return ""
	}
	return Short(o.w.ID.String())
}

func (o *receivedOperation) Revision() string {
	if o.w.Rev == 0 {
		return ""
	}
	return o.w.Rev.String()
}

func (o *receivedOperation) Session() string { return call.SessionName(&o.w.Conn.Conn, o.w.Rev) }

func (o *receivedOperation) Target() string {
	if own := o.w.own; own != nil {
		return own.Target
	}
	switch string(o.w.Method) {
	case protocol.MethodToolsCall:
		if name := textAt(o.of, maxAudited, "name"); o.w.handler.Offers(feature.KindTool, name) {
			return name
		}
	case protocol.MethodPromptsGet:
		if name := textAt(o.of, maxAudited, "name"); o.w.handler.Offers(feature.KindPrompt, name) {
			return name
		}
	case protocol.MethodResourcesRead, protocol.MethodResourcesSubscribe, protocol.MethodResourcesUnsubscribe:
		return Short(textAt(o.of, MaxSpare, "uri"))
	}
	return ""
}

// textAt returns the string at a path in params; "" if there is no string, or its JSON has more than longest bytes.
func textAt(params []byte, longest int, path ...string) string {
	raw, _ := wire.Lookup(params, path...)
	if wire.KindOf(raw) != wire.KindString || len(raw) > longest+len(`""`) {
		return ""
	}
	d := wire.NewDecoder(raw)
	return d.String()
}

// receivedOutcome implements [stats.Outcome] for the current request of a worker.
type receivedOutcome struct{ w *Worker }

func (o receivedOutcome) Cancelled() bool {
	return !o.w.observed.settled || o.w.Call != nil && o.w.Call.Cancelled()
}

func (o receivedOutcome) Fault() (code int, message string) {
	if o.Cancelled() || o.w.code == 0 {
		return 0, ""
	}
	return o.w.code, o.w.observed.fault.Message
}

func (o receivedOutcome) ToolError() bool {
	return !o.Cancelled() && o.w.code == 0 && o.w.handler.ToolFailed()
}

func (o receivedOutcome) Denied() bool { return o.w.denied }

func (o receivedOutcome) Waited() time.Duration {
	if o.w.Call == nil {
		return 0
	}
	return call.Waited(o.w.Call)
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

// record writes the audit record of the request that w has finished, before the response is sent. settled says that
// there is a response.
func (w *Worker) record(settled bool) {
	if w.host.Audit == nil || !audited[string(w.Method)] && (!w.Number.IsOther() || w.target == "") {
		return
	}
	status := statusOK
	switch {
	case !settled && w.Call != nil:
		status = auditStatus(w.Call)
	case !settled:
		status = statusCancelled
	case w.code != 0:
		status = strconv.Itoa(w.code)
	case w.handler.ToolFailed():
		status = statusFailed
	}
	w.writeAudit(w.target, status, !w.denied, time.Since(w.begun))
}

// AuditedName returns the part of the id of a task that audit records show: the time and 30 of the random bits. It is
// not the whole id, because whoever knows the id of a task without a subject may use the task.
func AuditedName(name string) string { return name[:min(len(name), 16)] }

// AuditListen writes the audit record of one topic that a listen asks for. allowed says whether the listen gets it.
// Beyond the limit of records it only counts the topic for AuditRest. It does nothing for a list.
func (w *Worker) AuditListen(of pubsub.Topic, allowed bool) {
	if w.host.Audit == nil || of.URI == "" {
		return
	}
	if of.Kind == pubsub.Task {
		of.URI = AuditedName(of.URI)
	}
	if w.audited.records++; w.audited.records <= maxAuditedURIs {
		w.writeAudit(of.URI, statusOK, allowed, time.Since(w.begun))
		return
	}
	i := 0
	if allowed {
		i = 1
	}
	w.audited.left[i]++
}

// AuditRest writes the records for the topics that AuditListen has only counted.
func (w *Worker) AuditRest() {
	for i, n := range w.audited.left {
		if n > 0 {
			w.writeAudit(strconv.Itoa(n)+" more URIs", statusOK, i == 1, time.Since(w.begun))
		}
	}
	w.audited = listenAudit{}
}

// auditStatus returns the status of a call that did not end with its handler.
func auditStatus(c *call.Call) string {
	if c.AfterPreempt() {
		return statusTimeout
	}
	return statusCancelled
}

// writeAudit writes one audit record. All records have the same keys. Arguments, tokens and session ids are never
// written.
func (w *Worker) writeAudit(target, status string, allowed bool, took time.Duration) {
	decision := "allow"
	if !allowed {
		decision = "deny"
	}
	w.host.Audit.LogAttrs(w.Values(), slog.LevelInfo, "mcp: audit",
		slog.String("principal", Short(w.Caller().Subject)),
		slog.String("client", Short(w.clientName())),
		slog.String("method", string(w.Method)),
		slog.String("target", Short(target)),
		slog.String("decision", decision),
		slog.String("status", status),
		slog.Duration("duration", took))
}

// clientName returns the name of the client program, and its version, as the client declares them; "" if it does not.
func (w *Worker) clientName() string {
	if era.IsModern(w.Rev) {
		if w.clientMeta == nil || w.clientMeta.ClientInfo == nil {
			return ""
		}
		return clientText(w.clientMeta.ClientInfo)
	}
	if name := w.Conn.ClientName(); name != nil {
		return *name
	}
	return ""
}

// Short returns a text of a client, shortened for a record.
func Short(s string) string { return safelog.Text(s, maxAudited) }

// listenAudit counts the audit records of a listen and, beyond their limit, the topics without a record: those denied
// in left[0], those allowed in left[1].
type listenAudit struct {
	records int
	left    [2]int
}
