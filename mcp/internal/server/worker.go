package server

import (
	"context"
	"errors"
	"io"
	"runtime/debug"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/transport"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// maxSpare is the largest buffer that a worker keeps for the next message.
const maxSpare = 256 << 10

// limits leaves the size of messages to the transport, which has bounded it already.
var limits = wire.Limits{Bytes: 1 << 30}

// errAnswered is returned by handlers that send their answer themselves or not at all.
var errAnswered = errors.New("mcp: answered elsewhere")

// isAnswered reports whether err says that no answer is wanted of the worker. It is one of the server's own, and not
// looked for in what errors of the user wrap: their methods may panic.
func isAnswered(err error) bool { return err == errAnswered } //nolint:errorlint // see above

// errExited is the fate of a request whose handler called runtime.Goexit.
var errExited = errors.New("handler ended its goroutine")

// worker is a goroutine that leads: it reads a message, handles it, and reads on unless somebody
// took over meanwhile. It is also the protocol.ServerHandler of the request at hand, so that
// a request that runs no code of the user costs no allocation of ours.
type worker struct {
	protocol.UnimplementedServerHandler // answers what only newer revisions have
	protocol.UnimplementedNotificationHandler

	c     *conn
	base  context.Context // values for handlers; nil for those of c
	leads bool
	whole bool // run has returned; false while the goroutine is torn down by Goexit

	in, out []byte // buffers, kept from message to message
	params  wire.Decoder
	memo    wire.Memo // of the last _meta, as handlers get it
	meta    metaMemo
	page    protocol.Prepared
	refs    *refs // of a page that is being made; nil before the first
	vars    Vars  // of the URI being routed
	overdue overdue
	answer  answer // parts of the result being encoded

	// The request at hand.
	id     wire.ID
	rev    protocol.Revision
	method []byte
	uri    string // for the data of errors
	call   *Call  // nil until code of the user is about to run
	turn   uint64 // of lead; 0 until enter
	part   *part  // nil outside of a batch
	lane   *lane  // nil if answers go through the conn
	code   int    // of the error that is being sent; 0 for a result
	most   int64  // bytes that the result may have; 0 for any number
	target string // of the request, for the audit
	denied bool   // the caller may not do what it asks for

	dropped bool // nobody waits for an answer: the request was cancelled before it began

	// What the audit tells besides.
	begun   time.Time
	speaker *protocol.RequestMetaObject // says who the client is
}

func newWorker(c *conn) *worker { return &worker{c: c, leads: true} }

// run leads until input ends or another worker was promoted.
func (w *worker) run() {
	defer w.exit()
	for w.leads && w.step() {
	}
	w.whole = true
}

// exit passes the lead on if a handler has ended this goroutine.
func (w *worker) exit() {
	if !w.whole && w.leads {
		w.c.lead.promote()
	}
}

// step handles the next message and reports whether there may be more.
func (w *worker) step() bool {
	if len(w.c.pending) > 0 {
		w.nextPart()
		return true
	}
	text, err := w.c.t.ReadMessage(w.in)
	w.in = text[:0]
	lost, survives := errors.AsType[*transport.MessageError](err)
	if err != nil && !survives {
		w.inputEnded(err)
		return false
	}
	if !w.c.accept() {
		return false
	}
	defer w.c.handled()
	if err != nil {
		w.refuse(wire.ID{}, false, lost.Err)
		return true
	}
	w.message(text)
	if cap(w.in) > maxSpare {
		w.in = nil
		w.params.ResetParams(nil, nil)
	}
	return true
}

// inputEnded tells the conn why nothing more can be read.
func (w *worker) inputEnded(err error) {
	switch {
	case errors.Is(err, io.EOF):
		err = nil
	case errors.Is(err, transport.ErrClosed):
		err = w.c.whyClosed()
	}
	w.c.end(err)
}

// message handles one text: a message or a batch.
func (w *worker) message(text []byte) {
	if wire.IsBatch(text) {
		w.openBatch(text)
		return
	}
	m, bad := wire.ParseMessage(text, limits)
	w.handle(text, &m, bad)
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
		w.c.answered(m)
	}
}

// malformed answers a text that is no message. A failed answer is not answered, lest two peers
// complain to each other for ever.
func (w *worker) malformed(text []byte, id wire.ID, bad *wire.Error) {
	modern := false
	if bad.Code != wire.CodeParse {
		_, asks := wire.Lookup(text, "method")
		_, isError := wire.Lookup(text, "error")
		_, isResult := wire.Lookup(text, "result")
		if !asks && (isError || isResult) {
			w.c.log.Debug("mcp: malformed answer dropped", "err", bad)
			return
		}
		_, modern = wire.Lookup(text, "params", metaKey, metaVersion)
	}
	w.refuse(id, modern, bad)
}

// refuse answers a message that is not dispatched.
func (w *worker) refuse(id wire.ID, modern bool, e *wire.Error) {
	w.code = e.Code
	w.reply(wire.AppendError(w.out[:0], id, w.nullID(modern), e))
}

// nullID reports whether the id of a message that has no readable one is written as null. The
// newer revisions leave it out.
func (w *worker) nullID(modern bool) bool {
	return !modern && w.c.session() < omitUnknownIDsSince
}

// request judges the era of a request and dispatches it.
func (w *worker) request(m *wire.Message) {
	w.id, w.method = m.ID, m.Method
	rev, e := w.c.admit(m, w.meta.read(m.Params), w.part != nil)
	w.rev = rev
	if e == nil && w.c.inFlight(m.ID) {
		e = errDuplicate
	}
	if e == nil && w.c.cancelledEarly(m.ID) {
		return
	}
	if e != nil {
		w.refuse(m.ID, isModern(rev), e)
		return
	}
	w.dispatch(m)
}

// dispatch runs the handler of a request. Whatever it does, panic and Goexit included, the
// request is finished.
func (w *worker) dispatch(m *wire.Message) {
	if w.c.s.opts.Audit != nil {
		w.begun = time.Now()
	}
	var out []byte
	err := errExited
	defer func() {
		if v := recover(); v != nil {
			err = &panicError{value: v, stack: debug.Stack()}
		}
		w.finish(out, err)
	}()
	w.params.ResetParams(m.Params, &w.memo)
	out, err = protocol.Dispatch(w.values(), (*handler)(w), w.rev, m.Method, &w.params, wire.AppendResult(w.out[:0], m.ID))
}

// finish sends what a handler has made, unless the request was cancelled, and gives back what the
// request had taken.
func (w *worker) finish(out []byte, err error) {
	call := w.call
	switch {
	case w.dropped:
		w.record(false)
	case isAnswered(err):
		if call != nil {
			call.afterPreempt()
		}
		w.record(true)
	case call == nil || call.settle():
		out = w.response(out, err)
		w.record(true)
		w.reply(out)
	default:
		call.afterPreempt() // its port is ours to give back
		w.record(false)
	}
	if call != nil {
		if call.state.Load() != callRunning {
			call.end(context.Canceled)
		}
		w.c.release()
	} else if !w.dropped {
		w.c.endedEarly(w.id)
	}
	if w.turn != 0 {
		w.leads = w.c.lead.leave(w.turn)
	}
	w.answer.clear()
	if cap(w.page) > maxSpare {
		w.page, w.refs = nil, nil
	}
	w.call, w.turn, w.uri = nil, 0, ""
	w.most, w.target, w.denied, w.dropped, w.speaker = 0, "", false, false, nil
}

// response is the whole response: the result that a handler has made, or its error.
func (w *worker) response(out []byte, err error) []byte {
	if err == nil && w.most > 0 {
		out, err = w.fits(out)
	}
	if err == nil {
		return append(out, '}')
	}
	fault := w.safeFault(err)
	w.code = fault.Code
	return wire.AppendError(w.out[:0], w.id, false, fault)
}

// reply sends a whole response, or adds it to that of the batch.
func (w *worker) reply(frame []byte) {
	switch {
	case w.part != nil:
		w.part.batch.add(frame)
	case w.lane != nil:
		w.lane.answer(frame, w.code)
	default:
		frame = w.c.send(frame)
	}
	w.code = 0
	w.out = frame[:0]
	if cap(frame) > maxSpare {
		w.out = nil
	}
}

// notification dispatches a notification. Nobody is told of mistakes in it.
func (w *worker) notification(m *wire.Message) {
	rev := w.c.session()
	if meta := w.meta.read(m.Params); meta.claimed {
		rev, _ = meta.modernRevision()
	} else if rev == 0 {
		rev = newestLegacy
	}
	w.rev = rev
	w.params.ResetParams(m.Params, &w.memo)
	if err := protocol.DispatchNotification(w.values(), (*handler)(w), rev, m.Method, &w.params); err != nil {
		w.c.log.Debug("mcp: notification ignored", "method", string(m.Method), "err", err)
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
func (w *worker) start() (*Call, error) {
	if w.call != nil { // by the first of two lists in one answer
		return w.call, nil
	}
	call := new(Call)
	return call, w.register(call)
}

// startPath is start for an instance of a template; the variables are those routed last.
func (w *worker) startPath() (*Call, error) {
	p := &pathCall{vars: w.vars}
	p.Vars = &p.vars
	return &p.Call, w.register(&p.Call)
}

func (w *worker) register(call *Call) error {
	call.conn, call.base = w.c, w.values()
	call.id, call.about, call.rev, call.part, call.lane = w.id, w.uri, w.rev, w.part, w.lane
	if err := w.c.register(call); err != nil {
		w.dropped = err == errDropped //nolint:errorlint // the very error
		return err
	}
	w.call = call
	return nil
}

// enter must be called right before code of the user runs, and after all that must happen in the
// order of the messages: from here on another worker may read. In a batch one does so at once,
// because the rest of the batch comes before the next message.
func (w *worker) enter() {
	if w.turn != 0 || w.lane != nil {
		return // a carrier that brings messages one by one has a goroutine for each
	}
	w.turn = w.c.lead.enter()
	if w.part != nil {
		w.c.lead.hand(w.turn)
	}
}

// enterFor is enter for code that may ask the client something. It is expected to take long, so
// another worker reads from now on. The error says that the code must not run any more.
func (w *worker) enterFor(asks bool) error {
	w.enter()
	if asks && w.part == nil && w.lane == nil {
		w.c.lead.hand(w.turn)
	}
	return w.call.live()
}
