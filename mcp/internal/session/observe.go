package session

import (
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/stats"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// observe tells the observer that the current request begins. The handler gets the context that the observer returns.
func (w *Worker) observe(params []byte) {
	values := call.Observe(w.Values(), &w.Conn.Conn, &receivedOperation{w, params}, nil)
	w.observed = &observation{values: values}
}

// end writes the audit record of the current request and tells the observer that the request ends, before the response
// is sent. settled says that there is a response.
func (w *Worker) end(settled bool) {
	if w.isAudited() {
		w.audit(w.status(settled))
	}
	if w.observed == nil {
		return
	}
	w.observed.settled = settled
	if w.Call == nil || !call.WasPreempted(w.Call) { // otherwise the observer was told when the call was preempted
		call.Observe(w.observed.values, &w.Conn.Conn, nil, receivedOutcome{w})
	}
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

func (o receivedOutcome) Denied() bool { return o.w.isDenied() }

func (o receivedOutcome) Waited() time.Duration {
	if o.w.Call == nil {
		return 0
	}
	return call.Waited(o.w.Call)
}
