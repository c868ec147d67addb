package server

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/stats"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// observation is what the observer knows of the request at hand.
type observation struct {
	settled bool            // there is a response
	outer   context.Context // what base was before
	fault   *wire.Error     // that is being sent
}

// observeRequest tells the observer of the request at hand, whose handler gets the context that it returns.
func observeRequest(w *worker, params []byte) {
	w.observed = &observation{outer: w.base}
	w.base = call.Observe(w.values(), &w.c.Conn, &receivedOperation{(*handler)(w), params}, nil)
}

// end writes the audit record of the request at hand and tells the observer of its end, before the response is
// sent. settled says that there is one.
func (w auditor) end(settled bool) {
	w.record(settled)
	o := w.observed
	if o == nil {
		return
	}
	o.settled = settled
	if w.call == nil || !call.WasPreempted(w.call) { // else the observer knows
		call.Observe(w.base, &w.c.Conn, nil, receivedOutcome{(*handler)(w.worker)})
	}
	w.base, w.observed = o.outer, nil
}

// receivedOperation implements [stats.Operation] for the request at hand of a worker. The linker leaves the methods
// out of servers without an observer, as it does with those of the other types here that only an observer calls.
type receivedOperation struct {
	w  *handler // whose type programs have anyway
	of []byte   // the params
}

func (o *receivedOperation) Kind() stats.OperationKind {
	if (*worker)(o.w).values().Value(call.TaskRunKey{}) != nil {
		return stats.OperationTask
	}
	return stats.OperationReceived
}

func (o *receivedOperation) Method() string { return o.w.c.s.shared.Counts.NameOf(o.w.number) }

// maxObservedMeta is the longest member of params._meta that the observer gets. It is what the W3C allows for baggage.
const maxObservedMeta = 8192

func (o *receivedOperation) Meta(name string) string {
	return textAt(o.of, maxObservedMeta, "_meta", name)
}

func (o *receivedOperation) HTTP() bool {
	from := o.w.responder
	if n, ok := from.(call.NoResponse); ok {
		from = n.Responder
	}
	return call.ExchangeOf(from) != nil && o.Kind() != stats.OperationTask
}

func (o *receivedOperation) ID() string {
	if _, notifies := o.w.responder.(call.NoResponse); notifies {
		return ""
	}
	return short(o.w.id.String())
}

func (o *receivedOperation) Revision() string {
	if o.w.rev == 0 {
		return ""
	}
	return o.w.rev.String()
}

func (o *receivedOperation) Session() string { return call.SessionName(&o.w.c.Conn, o.w.rev) }

func (o *receivedOperation) Target() string {
	switch string(o.w.method) {
	case protocol.MethodToolsCall:
		if name := textAt(o.of, maxAudited, "name"); o.w.c.s.tool(name, o.w.rev) != nil {
			return name
		}
	case protocol.MethodPromptsGet:
		if name := textAt(o.of, maxAudited, "name"); o.w.c.s.prompt(name, o.w.rev) != nil {
			return name
		}
	case protocol.MethodResourcesRead, protocol.MethodResourcesSubscribe, protocol.MethodResourcesUnsubscribe:
		return short(textAt(o.of, maxSpare, "uri"))
	}
	return ""
}

// textAt returns the string at a path, unless it is longer than that.
func textAt(params []byte, longest int, path ...string) string {
	raw, _ := wire.Lookup(params, path...)
	if wire.KindOf(raw) != wire.KindString || len(raw) > longest+len(`""`) {
		return ""
	}
	d := wire.NewDecoder(raw)
	return d.String()
}

// receivedOutcome implements [stats.Outcome] for the request at hand of a worker.
type receivedOutcome struct{ w *handler }

func (o receivedOutcome) Cancelled() bool {
	return !o.w.observed.settled || o.w.call != nil && o.w.call.Cancelled()
}

func (o receivedOutcome) Fault() (code int, message string) {
	if o.Cancelled() || o.w.code == 0 {
		return 0, ""
	}
	return o.w.code, o.w.observed.fault.Message
}

func (o receivedOutcome) ToolError() bool {
	return !o.Cancelled() && o.w.code == 0 && o.w.result.tool.IsError != nil && *o.w.result.tool.IsError
}

func (o receivedOutcome) Denied() bool { return o.w.denied }

func (o receivedOutcome) Waited() time.Duration {
	if o.w.call == nil {
		return 0
	}
	return call.Waited(o.w.call)
}
