package server

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// maxSpare is the largest buffer that a worker keeps for the next message.
const maxSpare = 256 << 10

// errResponded is returned by handlers that send their response themselves or not at all.
var errResponded = errors.New("mcp: responded to elsewhere")

// isResponded reports whether err says that the worker sends no response. It is one of the server's own, and not
// looked for in what errors of the user wrap: their methods may panic.
func isResponded(err error) bool { return err == errResponded } //nolint:errorlint // see above

// errExited is the error of a request whose handler called runtime.Goexit.
var errExited = errors.New("handler ended its goroutine")

// worker handles messages, one after the other. It is also the protocol.ServerHandler of the request at hand, so that
// a request that runs no code of the user costs no allocation of the server.
type worker struct {
	protocol.UnimplementedServerHandler // answers what only newer revisions have
	protocol.UnimplementedNotificationHandler

	c         *conn
	shard     *counters.Shard     // where its requests are counted; nil before the first
	base      context.Context     // values for handlers; nil for those of c
	responder call.Responder      // to the message at hand
	inBatch   bool                // which is an item of a batch
	lease     *engine.ReaderLease // nil for messages that a transport brings one by one
	leads     bool                // no other goroutine has the lease

	out        []byte // buffer, kept from message to message
	params     wire.Decoder
	memo       wire.Memo // of the last _meta, as handlers get it
	meta       engine.MetaReader[protocol.Revision]
	page       protocol.Prepared
	pageWriter *pageWriter // of a page that is being made; nil before the first
	vars       uri.Vars    // of the URI being routed
	listTimer  call.ListTimer
	result     resultBuffer  // parts of the result being encoded
	inserts    []wire.Insert // of the response being encoded
	operations operations
	operation  operation // of those, the one of the request at hand; nil if it has none

	// The request at hand.
	id        wire.ID
	rev       protocol.Revision
	number    counters.Method
	method    []byte
	uri       string       // for the data of errors
	call      *call.Call   // nil until code of the user is about to run
	term      uint64       // of the lease; 0 until enter
	code      int          // of the error that is being sent; 0 for a result
	maxResult int64        // bytes that the result may have; 0 for any number
	target    string       // of the request, for the audit
	denied    bool         // the caller may not do what it asks for
	observed  *observation // nil if there is no observer

	dropped bool // the request was cancelled before it began and gets no response

	// Further values of the audit record.
	begun      time.Time
	clientMeta *protocol.RequestMetaObject // says who the client is
	audited    listenAudit
}

// splitBatch returns the messages of a batch, if the session may send one.
func (w *worker) splitBatch(text []byte) ([][]byte, *wire.Error) {
	texts, bad := wire.SplitBatch(text, engine.Limits)
	if bad == nil {
		bad = era.Table.Batch(w.c.session())
	}
	return texts, bad
}

// handle handles one message; bad says what is wrong with its envelope.
func (w *worker) handle(text []byte, m *wire.Message, bad *wire.Error) {
	switch {
	case bad != nil:
		w.malformed(text, m.ID, bad)
	case m.IsRequest():
		w.request(m)
	case m.IsNotification():
		w.notification(m)
	default:
		w.responded(m)
	}
}

// malformed answers a text that is no message. A failed answer is not answered, lest two peers
// complain to each other for ever.
func (w *worker) malformed(text []byte, id wire.ID, bad *wire.Error) {
	w.number = counters.MethodInvalid
	modern := false
	if bad.Code != wire.CodeParse {
		_, asks := wire.Lookup(text, "method")
		_, isError := wire.Lookup(text, "error")
		_, isResult := wire.Lookup(text, "result")
		if !asks && (isError || isResult) {
			w.c.Log.Debug("mcp: malformed answer dropped", "err", bad)
			return
		}
		modern = engine.DeclaresVersion(text)
	}
	w.refuse(id, modern, bad)
}

// refuse answers a message that is not dispatched.
func (w *worker) refuse(id wire.ID, modern bool, e *wire.Error) {
	w.code = e.Code
	w.counts().End(w.number, counters.CodeOf(e.Code))
	w.respond(wire.AppendError(w.out[:0], id, era.Table.NullID(w.c.session(), modern), e))
}

// request judges the era of a request and dispatches it.
func (w *worker) request(m *wire.Message) {
	w.id, w.method, w.number = m.ID, m.Method, w.c.s.shared.Counts.NumberOf(m.Method)
	meta := w.meta.Read(era.Table, m.Params)
	rev, e := era.Table.Admit(m, &meta, w.c.session(), w.inBatch)
	w.rev = rev
	if e == nil && w.c.Calls.Has(m.ID) {
		e = engine.ErrDuplicate
	}
	if e == nil && w.c.Calls.CancelledEarly(m.ID) {
		w.counts().End(w.number, counters.CodeCancelled)
		return
	}
	if e != nil {
		w.refuse(m.ID, era.IsModern(rev), e)
		return
	}
	w.dispatch(m)
}

// dispatch runs the handler of a request. Whatever it does, panic and Goexit included, the request is finished.
func (w *worker) dispatch(m *wire.Message) {
	if x := w.c.s.extensions; x != nil && w.number.IsOther() {
		w.run(m.Params, func(b []byte) ([]byte, error) { return x.request(w, b) })
		return
	}
	w.run(m.Params, nil)
}

// run is dispatch with another function for the handler; nil for that of the protocol. It gets the begin of the
// response, and returns it with the result.
func (w *worker) run(params []byte, other func(b []byte) ([]byte, error)) {
	if w.c.s.opts.Audit != nil {
		w.begun = time.Now()
	}
	if w.c.s.opts.Observer != nil {
		observeRequest(w, params)
	}
	w.counts().Running.Add(1)
	var out []byte
	err := errExited
	defer func() {
		if v := recover(); v != nil {
			err = &content.PanicError{Value: v, Stack: debug.Stack()}
			w.panicked(labels.PanicHandler)
		} else if err == errExited { //nolint:errorlint // the very error
			w.panicked(labels.PanicHandler)
		}
		w.finish(out, err)
	}()
	w.params.ResetParams(params, &w.memo)
	out = wire.AppendResult(w.out[:0], w.id)
	w.inserts = w.inserts[:0]
	switch tasks := w.c.s.tasks; {
	case tasks != nil && strings.HasPrefix(asString(w.method), taskMethods):
		out, err = tasks.dispatch(w, params, out) // tasks/update is other to the protocol itself
	case other != nil:
		out, err = other(out)
	default:
		out, err = protocol.Dispatch(w.values(), (*handler)(w), w.rev, w.method, &w.params, out)
	}
}

// finish sends what a handler has made, unless the request was cancelled, and gives back what the
// request had taken.
func (w *worker) finish(out []byte, err error) {
	call := w.call
	switch {
	case w.dropped:
		auditor{w}.end(false)
		w.counts().End(w.number, counters.CodeCancelled)
	case isResponded(err):
		if call != nil {
			call.AfterPreempt()
		}
		auditor{w}.end(true)
		w.countElsewhere(counters.CodeOK)
	case call == nil || call.Settle():
		out = w.response(out, err)
		auditor{w}.end(true)
		w.counts().End(w.number, w.outcomeCode())
		w.respond(out)
	default:
		call.AfterPreempt() // its writer is ours to give back
		auditor{w}.end(false)
		w.countElsewhere(counters.CodeCancelled)
	}
	w.counts().Running.Add(-1)
	if call != nil {
		call.Release()
		if !call.Running() {
			call.End(context.Canceled)
		}
		w.c.Calls.Returned()
	} else if !w.dropped {
		w.c.Calls.EndedEarly(w.id)
	}
	if w.term != 0 {
		w.leads = w.lease.Leave(w.term)
	}
	w.result.clear()
	if len(w.inserts) > 0 {
		clear(w.inserts)
		w.inserts = w.inserts[:0]
	}
	if w.operation != nil {
		w.operation.reset()
		w.operation = nil
	}
	if cap(w.page) > maxSpare {
		w.page, w.pageWriter = nil, nil
	}
	w.call, w.term, w.uri = nil, 0, ""
	w.maxResult, w.target, w.denied, w.dropped, w.clientMeta = 0, "", false, false, nil
}

// response is the whole response: the result that a handler has made, or its error.
func (w *worker) response(out []byte, err error) []byte {
	if err == nil && w.maxResult > 0 {
		out, err = w.fits(out)
	}
	if err == nil {
		if call := w.call; call != nil && len(w.inserts) > 0 {
			call.SetLarge(w.inserts)
		}
		return append(out, '}')
	}
	fault := faultWriter{w}.safeFault(err)
	w.code = fault.Code
	if w.observed != nil {
		w.observed.fault = fault
	}
	if x, ok := w.responder.(*call.HTTPExchange); ok && engine.IsBusy(fault) {
		x.Refuse()
	}
	return wire.AppendError(w.out[:0], w.id, false, fault)
}

// fits returns the response that w has made, without its last brace, or what is sent if that is too large.
func (w *worker) fits(out []byte) ([]byte, error) {
	size := int64(wire.SizeOf(out, w.inserts) - len(wire.AppendResult(nil, w.id)))
	if w.maxResult == 0 || size <= w.maxResult {
		return out, nil
	}
	text := fmt.Sprintf("the result has %d bytes: at most %d are sent", size, w.maxResult)
	if string(w.method) != protocol.MethodToolsCall {
		return nil, call.LimitError(w.call, text, 0)
	}
	w.inserts = w.inserts[:0]
	failure := w.call.AppendFailure(w.out[:0], text)
	return failure[:len(failure)-1], nil
}

// respond sends a whole response.
func (w *worker) respond(frame []byte) {
	var of engine.Request
	if w.call != nil {
		of = w.call.AsRequest()
	}
	frame = w.responder.Respond(frame, w.code, of)
	w.code = 0
	w.out = frame[:0]
	if cap(frame) > maxSpare {
		w.out = nil
	}
}

// notification dispatches a notification. Mistakes in it are not reported.
func (w *worker) notification(m *wire.Message) {
	meta := w.meta.Read(era.Table, m.Params)
	rev := era.Table.Notification(&meta, w.c.session())
	w.rev = rev
	if x := w.c.s.extensions; x != nil && x.Notifies(m.Method) {
		x.notification(w, m.Method, m.Params)
		return
	}
	w.params.ResetParams(m.Params, &w.memo)
	if err := protocol.DispatchNotification(w.values(), (*handler)(w), rev, m.Method, &w.params); err != nil {
		w.c.Log.Debug("mcp: notification ignored", "method", string(m.Method), "err", err)
	}
}

// responded gives a response to the request of the server that it belongs to.
func (w *worker) responded(m *wire.Message) {
	if !w.c.Requests.Respond(m) {
		w.c.Log.Debug("mcp: answer to no request", "id", m.ID.String())
	}
}

// values is the context whose values handlers see.
func (w *worker) values() context.Context {
	if w.base != nil {
		return w.base
	}
	return w.c.ctx
}

// start makes the Call of the request at hand and enters it into the table of the conn.
func (w *worker) start() (*call.Call, error) {
	if w.call != nil { // by the first of two lists in one answer
		return w.call, nil
	}
	call := new(call.Call)
	return call, w.register(call)
}

// startPath is start for an instance of a template; the variables are those routed last.
func (w *worker) startPath() (*call.Call, error) {
	p := &call.PathCall{Values: w.vars}
	p.Vars = &p.Values
	return &p.Call, w.register(&p.Call)
}

func (w *worker) register(c *call.Call) error {
	of := call.Request{Conn: &w.c.Conn, Base: w.values(), ID: w.id, Responder: w.responder, Target: w.uri}
	c.Init(of, w.rev, w.number)
	if err := w.c.Calls.Begin(w.id, c, w.c.s.shared.MaxInFlight); err != nil {
		w.dropped = err == engine.ErrDropped //nolint:errorlint // the very error
		if err == engine.ErrBusy {           //nolint:errorlint // the same
			w.refused(labels.RefusedInFlight)
		}
		return err
	}
	w.call = c
	return nil
}

// enter must be called right before code of the user runs, and after all that must happen in the
// order of the messages: from here on another leader may read. In a batch one does so at once,
// because the rest of the batch comes before the next message, unless one more request would be one too many: then the
// rest of the batch waits for this one.
func (w *worker) enter() {
	if w.term != 0 || w.lease == nil {
		return // a transport that brings messages one by one has a goroutine for each
	}
	w.term = w.lease.Enter()
	if w.inBatch && w.c.Calls.Room(w.c.s.shared.MaxInFlight) {
		w.lease.Transfer(w.term)
	}
}

// enterFor is enter for code that may take long, such as a request to the client: another leader reads from now on. The
// error says that the code must not run any more.
func (w *worker) enterFor(long bool) error {
	w.enter()
	if long && w.lease != nil {
		w.lease.Transfer(w.term)
	}
	return w.call.Live()
}

// handler is a worker as protocol.Dispatch sees it. Its methods run on the goroutine that has read
// the request, in the order of the requests, until they call enter.
type handler worker
