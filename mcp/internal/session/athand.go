package session

import (
	"sync/atomic"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// About sets the target of the current request for the audit.
func (w *Worker) About(target string) { w.target = target }

// SentBy sets the _meta of the current request, from which audit records get the name of the client.
func (w *Worker) SentBy(meta *protocol.RequestMetaObject) { w.clientMeta = meta }

// ClientMeta returns the _meta that SentBy was given for the current request.
func (w *Worker) ClientMeta() *protocol.RequestMetaObject { return w.clientMeta }

// AtURI sets the URI of the resource that the current request is about. The data of an error response contains it.
func (w *Worker) AtURI(uri string) { w.uri = uri }

// URI returns what AtURI was given.
func (w *Worker) URI() string { return w.uri }

// Deny notes for the audit that the caller lacks the rights for the current request.
func (w *Worker) Deny() { w.denied = true }

// TakeDenied reports whether Deny was called, and forgets it. A listen, which has an audit record for each topic, calls
// it after each topic.
func (w *Worker) TakeDenied() (was bool) {
	was, w.denied = w.denied, false
	return was
}

// LimitResult limits the result of the current request to n bytes; 0 means no limit of its own.
func (w *Worker) LimitResult(n int64) { w.maxResult = n }

// Insert notes a large value of the response that is being encoded.
func (w *Worker) Insert(in wire.Insert) { w.inserts = append(w.inserts, in) }

// Inserts returns what Insert has noted for the response.
func (w *Worker) Inserts() []wire.Insert { return w.inserts }

// notificationIDs numbers the notifications that are handled like requests, because the table of calls needs an id for
// each.
var notificationIDs atomic.Int64

// RunNotification handles the current notification by f, like a request without a response. The limits of requests
// apply, and if f takes long, another goroutine reads the next messages.
func (w *Worker) RunNotification(method, params []byte, f func(b []byte) ([]byte, error)) {
	to := w.Responder
	w.Responder = call.NoResponse{Responder: to}
	defer func() { w.Responder = to }()
	w.ID = wire.LocalID(notificationIDs.Add(1))
	w.Method, w.Number = method, w.host.Counts.NumberOf(method)
	w.Run(params, f)
}

// WorkerFor returns a worker without a message. It is used to decide whether a caller has the right to a subscription
// of the session.
func (x *Session) WorkerFor(who call.Caller) *Worker {
	return &Worker{host: x.c.host, Conn: x.Conn(), Rev: x.Revision(), Responder: &call.HTTPExchange{Caller: who}}
}
