package session

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// MaxSpare is the largest buffer that a worker keeps for the next message.
const MaxSpare = 256 << 10

// ErrResponded is returned by handlers that send their response themselves or not at all.
var ErrResponded = errors.New("mcp: responded to elsewhere")

// isResponded reports whether err is ErrResponded. It does not use errors.Is, because methods of the user's errors may
// panic.
func isResponded(err error) bool { return err == ErrResponded } //nolint:errorlint // see above

// errExited is the error of a request whose handler called runtime.Goexit.
var errExited = errors.New("handler ended its goroutine")

// Worker handles messages, one after the other. It is used again for the next message, so that a request that runs no
// code of the user costs no allocation. Other packages only read its exported fields; they change the request at hand
// by the methods.
type Worker struct {
	host      *Host
	Conn      *Conn
	handler   Handler
	shard     *counters.Shard     // where its requests are counted; nil before the first request
	base      context.Context     // has the values for handlers, unless an observer gives them; nil means Conn.Context
	Responder call.Responder      // to the message at hand
	inBatch   bool                // the message at hand is an item of a batch
	lease     *engine.ReaderLease // nil for messages that a transport brings one by one
	leads     bool                // this goroutine reads the next message

	out     []byte // buffer, kept from message to message
	params  wire.Decoder
	memo    wire.Memo // the last _meta, decoded for handlers
	meta    engine.MetaReader[protocol.Revision]
	inserts []wire.Insert // of the response being encoded

	// Which request is at hand, from its message. Each message sets them, and nothing empties them.
	ID     wire.ID
	Rev    protocol.Revision
	Number counters.Method
	Method []byte

	AtHand
	Auditor
}

// newWorker returns a worker for messages of c.
func newWorker(h *Host, c *Conn) *Worker {
	w := &Worker{host: h, Conn: c}
	w.Auditor = Auditor{log: h.Audit, of: w}
	w.handler = h.NewHandler(w)
	return w
}

// handle handles one message. bad says what is wrong with its envelope; nil if nothing is.
func (w *Worker) handle(text []byte, m *wire.Message, bad *wire.Error) {
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

// malformed answers a text that is no valid message. It does not answer a malformed response, lest two peers complain
// to each other for ever.
func (w *Worker) malformed(text []byte, id wire.ID, bad *wire.Error) {
	w.Number = counters.MethodInvalid
	modern := false
	if bad.Code != wire.CodeParse {
		_, asks := wire.Lookup(text, "method")
		_, isError := wire.Lookup(text, "error")
		_, isResult := wire.Lookup(text, "result")
		if !asks && (isError || isResult) {
			w.Conn.Log.Debug("mcp: malformed answer dropped", "err", bad)
			return
		}
		modern = engine.DeclaresVersion(text)
	}
	w.refuse(id, modern, bad)
}

// refuse answers a message with the error e, and does not dispatch it.
func (w *Worker) refuse(id wire.ID, modern bool, e *wire.Error) {
	w.counts().End(w.Number, counters.CodeOf(e.Code))
	w.respond(wire.AppendError(w.out[:0], id, era.Table.NullID(w.Conn.Revision(), modern), e), e.Code)
}

// request finds out which revision a request is of, and dispatches the request or refuses it.
func (w *Worker) request(m *wire.Message) {
	w.ID, w.Method, w.Number = m.ID, m.Method, w.host.Counts.NumberOf(m.Method)
	meta := w.meta.Read(era.Table, m.Params)
	rev, e := era.Table.Admit(m, &meta, w.Conn.Revision(), w.inBatch)
	w.Rev = rev
	if e == nil && w.Conn.Calls.Has(m.ID) {
		e = engine.ErrDuplicate
	}
	if e == nil && w.Conn.Calls.CancelledEarly(m.ID) {
		w.counts().End(w.Number, counters.CodeCancelled)
		return
	}
	if e != nil {
		w.refuse(m.ID, era.IsModern(rev), e)
		return
	}
	w.dispatch(m)
}

// dispatch runs the handler of a request.
func (w *Worker) dispatch(m *wire.Message) { w.Run(m.Params, nil) }

// Run calls f, or the handler if f is nil, and sends the response. f gets the beginning of the response in b, and
// returns it with the result appended. The request is finished even if f panics or ends its goroutine.
func (w *Worker) Run(params []byte, f func(b []byte) ([]byte, error)) {
	w.beginAudit()
	if w.host.Observer != nil {
		w.observe(params)
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
	out = wire.AppendResult(w.out[:0], w.ID)
	w.inserts = w.inserts[:0]
	if f == nil {
		out, err = w.handler.Request(params, out)
	} else {
		out, err = f(out)
	}
}

// finish sends the result of a handler or its error, unless the request was cancelled. It gives back what the request
// had taken, even if a transport panics or ends the goroutine.
func (w *Worker) finish(out []byte, err error) {
	call := w.Call
	defer w.giveBack(call)
	switch {
	case w.dropped:
		w.end(false)
		w.counts().End(w.Number, counters.CodeCancelled)
	case isResponded(err):
		if call != nil {
			call.AfterPreempt()
		}
		w.end(true)
		w.countElsewhere(counters.CodeOK)
	case call == nil || call.Settle():
		out = w.response(out, err)
		w.end(true)
		w.counts().End(w.Number, w.outcomeCode())
		w.respond(out, w.code)
	default:
		call.AfterPreempt() // its writer is ours to give back
		w.end(false)
		w.countElsewhere(counters.CodeCancelled)
	}
}

// giveBack gives back what the request at hand had taken, and forgets the request.
func (w *Worker) giveBack(call *call.Call) {
	w.counts().Running.Add(-1)
	if call != nil {
		call.Release()
		if !call.Running() {
			call.End(context.Canceled)
		}
		w.Conn.Calls.Returned()
	} else if !w.dropped {
		w.Conn.Calls.EndedEarly(w.ID)
	}
	if w.term != 0 {
		w.leads = w.lease.Leave(w.term)
	}
	if len(w.inserts) > 0 {
		clear(w.inserts)
		w.inserts = w.inserts[:0]
	}
	w.handler.Reset()
	w.AtHand = AtHand{}
	w.forgetAudit()
}

// response returns the whole response, with the result of a handler or its error.
func (w *Worker) response(out []byte, err error) []byte {
	if err == nil && w.maxResult > 0 {
		out, err = w.fits(out)
	}
	if err == nil {
		if call := w.Call; call != nil && len(w.inserts) > 0 {
			call.SetLarge(w.inserts)
		}
		return append(out, '}')
	}
	fault := w.safeFault(err)
	w.code = fault.Code
	if w.observed != nil {
		w.observed.fault = fault
	}
	w.own.fails(fault)
	if x, ok := w.Responder.(*call.HTTPExchange); ok && engine.IsBusy(fault) {
		x.Refuse()
	}
	return wire.AppendError(w.out[:0], w.ID, false, fault)
}

// fits returns out, a response without its last brace, if it is not too large. If it is, fits returns an error, or for
// a tool call a result that reports the failure.
func (w *Worker) fits(out []byte) ([]byte, error) {
	size := int64(wire.SizeOf(out, w.inserts) - len(wire.AppendResult(nil, w.ID)))
	if w.maxResult == 0 || size <= w.maxResult {
		return out, nil
	}
	text := fmt.Sprintf("the result has %d bytes: at most %d are sent", size, w.maxResult)
	fault := call.LimitError(w.Call, text, 0)
	if string(w.Method) != protocol.MethodToolsCall {
		return nil, fault
	}
	w.own.fails(fault)
	w.inserts = w.inserts[:0]
	failure := w.Call.AppendFailure(w.out[:0], text)
	return failure[:len(failure)-1], nil
}

// respond sends a whole response. code is that of its error; 0 for a result.
func (w *Worker) respond(frame []byte, code int) {
	var of engine.Request
	if w.Call != nil {
		of = w.Call.AsRequest()
	}
	frame = w.Responder.Respond(frame, code, of)
	w.out = frame[:0]
	if cap(frame) > MaxSpare {
		w.out = nil
	}
}

// notification dispatches a notification. Mistakes in it are not reported.
func (w *Worker) notification(m *wire.Message) {
	meta := w.meta.Read(era.Table, m.Params)
	rev := era.Table.Notification(&meta, w.Conn.Revision())
	w.Rev = rev
	w.handler.Notification(m.Method, m.Params)
}

// responded takes a response of the client to a request of the server.
func (w *Worker) responded(m *wire.Message) {
	if !w.Conn.Requests.Respond(m) {
		w.Conn.Log.Debug("mcp: answer to no request", "id", m.ID.String())
	}
}

// Decoder returns a decoder of the params of the current message. It is valid until the next message.
func (w *Worker) Decoder(params []byte) *wire.Decoder {
	w.params.ResetParams(params, &w.memo)
	return &w.params
}

// Insert notes a large value of the response that is being encoded.
func (w *Worker) Insert(in wire.Insert) { w.inserts = append(w.inserts, in) }

// Inserts returns what Insert has noted for the response.
func (w *Worker) Inserts() []wire.Insert { return w.inserts }

// Values returns the context from which handlers get their values.
func (w *Worker) Values() context.Context {
	switch {
	case w.observed != nil:
		return w.observed.values
	case w.base != nil:
		return w.base
	}
	return w.Conn.Context
}

// Start makes the Call of the request at hand and enters it into the table of the conn.
func (w *Worker) Start() (*call.Call, error) {
	if w.Call != nil { // by the first of two lists in one answer
		return w.Call, nil
	}
	call := new(call.Call)
	return call, w.Register(call)
}

// Register makes c the Call of the request at hand, and enters it into the table of the conn.
func (w *Worker) Register(c *call.Call) error {
	of := call.Request{Conn: &w.Conn.Conn, Base: w.Values(), ID: w.ID, Responder: w.Responder, Target: w.uri}
	c.Init(of, w.Rev, w.Number)
	if err := w.Conn.Calls.Begin(w.ID, c, w.host.MaxInFlight); err != nil {
		switch err {
		case engine.ErrDropped: //nolint:errorlint // the very errors
			w.dropped = true
		case engine.ErrBusy:
			w.refused(labels.RefusedInFlight)
		}
		return err
	}
	w.Call = c
	return nil
}

// Enter must be called right before code of the user runs, when all that has to happen in the order of the messages is
// done. Afterwards another goroutine may read the next messages. In a batch another goroutine goes on with the rest at
// once, unless no more requests may be in flight: then the rest of the batch waits for this request.
func (w *Worker) Enter() {
	if w.term != 0 || w.lease == nil {
		return // a transport that brings messages one by one has a goroutine for each
	}
	w.term = w.lease.Enter()
	if w.inBatch && w.Conn.Calls.Room(w.host.MaxInFlight) {
		w.lease.Transfer(w.term)
	}
}

// EnterFor is [Worker.Enter]. If long is set, another goroutine begins to read at once: the code will take long, as a
// question to the client does. If EnterFor returns an error, the code must not run any more.
func (w *Worker) EnterFor(long bool) error {
	w.Enter()
	if long && w.lease != nil {
		w.lease.Transfer(w.term)
	}
	return w.Call.Live()
}

// Caller returns the sender of the current request.
func (w *Worker) Caller() *call.Caller { return w.Responder.Sender() }

// counts returns the counters for the requests of w.
func (w *Worker) counts() *counters.Shard {
	if w.shard == nil {
		w.shard = w.host.Counts.Shard()
	}
	return w.shard
}

// panicked counts a panic in code of the user.
func (w *Worker) panicked(p labels.Panic) { w.host.Counts.Panicked[p].Add(1) }

// refused counts a refusal.
func (w *Worker) refused(r labels.Refusal) { w.host.Counts.Refused[r].Add(1) }

// outcomeCode returns the code under which the current response is counted.
func (w *Worker) outcomeCode() counters.Code {
	if w.code == 0 && w.handler.ToolFailed() {
		return counters.CodeToolError
	}
	return counters.CodeOf(w.code)
}

// countElsewhere counts a request for which w sends no response. A request that was answered in place of its handler,
// such as at its deadline, is counted already; now that the handler has returned, it is no longer counted as abandoned.
func (w *Worker) countElsewhere(c counters.Code) {
	switch {
	case w.Call != nil && call.WasPreempted(w.Call):
		w.host.Counts.Left.Add(-1)
		return
	case w.Call != nil && w.Call.Cancelled():
		c = counters.CodeCancelled
	}
	w.counts().End(w.Number, c)
}
