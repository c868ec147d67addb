package engine

import "sync"

// ResponseWriter is the way back to a client for one message, where messages do not share a connection. Its methods are
// never called at the same time, and not after the message was handled.
type ResponseWriter interface {
	// Notify writes a message that precedes the response: progress, a log message, a request to the client. frame must
	// not be kept.
	Notify(frame []byte) error
	// Respond writes the response; nothing follows. code is that of a JSON-RPC error, 0 for a result and for the
	// responses to a batch. frame must not be kept.
	Respond(frame []byte, code int) error
}

// Flusher is a [ResponseWriter] that can send a response at once. Without that a small response is sent only when the
// message was handled, as net/http does.
type Flusher interface {
	// RespondNow is Respond, and sends the response at once.
	RespondNow(frame []byte, code int) error
}

// LargeWriter is a [ResponseWriter] that encodes large values while it writes.
type LargeWriter interface {
	// RespondLarge is Respond for a response whose large values are not in frame but in large, and are encoded while it is
	// written. If flush is true, the response is sent at once, as by RespondNow.
	RespondLarge(frame []byte, large *Large, code int, flush bool) error
}

// Leaver is a [ResponseWriter] that knows whether its client is still there.
type Leaver interface {
	// HasLeft reports whether the client has left and nobody reads the response at present. The client may still come
	// back.
	HasLeft() bool
}

// Waiter is a [ResponseWriter] that is told when the handler waits for a response of the client, for which a person may
// need minutes. A transport can then count the request apart from running ones.
type Waiter interface {
	// Wait is called before a request is sent to the client. gone is closed once the client has left and will not respond;
	// nil means that this is never known. resume is called once when the wait is over, which may be after the message was
	// handled. If err is not nil, the request is not sent and the handler gets err.
	Wait() (gone <-chan struct{}, resume func(), err error)
}

// Forbidder is a [ResponseWriter] of a transport with a signal of its own for missing rights, such as the challenge of
// HTTP.
type Forbidder interface {
	// Forbid announces that the next response refuses the caller: it has the scopes granted, and needs one scope of each
	// set in needs. Neither may be changed.
	Forbid(granted []string, needs [][]string)
}

// Exchange is the [Responder] of a message that a transport brings together with a [ResponseWriter] of its own, as HTTP
// does. The zero value writes nothing.
type Exchange struct {
	room      Room // nil for any number of bytes
	mu        sync.Mutex
	w         ResponseWriter // nil once the message was handled
	responded bool
}

// NewExchange returns an exchange that writes to w until it is closed. If w is a [Room], responses count there.
func NewExchange(w ResponseWriter) Exchange {
	room, _ := w.(Room)
	return Exchange{w: w, room: room}
}

// Room implements [Responder].
func (x *Exchange) Room() Room { return x.room }

// Close makes the exchange write nothing any more.
func (x *Exchange) Close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.w = nil
}

// Notify implements [Responder].
func (x *Exchange) Notify(frame []byte, of Request) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.w == nil || x.responded || !of.Running() {
		return ErrEnded
	}
	return x.w.Notify(frame)
}

// Respond implements [Responder]. An error of writing means that the client has left: then it returns nil in place of
// the buffer.
func (x *Exchange) Respond(frame []byte, code int, of Request) []byte {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.beginLocked(of, frame) {
		if whole, done := x.largeLocked(frame, code, of, false); !done && x.w.Respond(whole, code) != nil {
			return nil // the transport may still be writing the frame, as on HTTP/2: it must not be used again
		}
	}
	return frame
}

// largeLocked writes a response that has large values, if the writer takes them in pieces. Otherwise it returns the
// response as one text.
func (x *Exchange) largeLocked(frame []byte, code int, of Request, now bool) (whole []byte, done bool) {
	large := largeOf(of)
	if large == nil {
		return frame, false
	}
	if w, ok := x.w.(LargeWriter); ok {
		_ = w.RespondLarge(frame, large, code, now)
		return nil, true
	}
	return large.Whole(frame), false
}

// RespondNow implements [Responder].
func (x *Exchange) RespondNow(frame []byte, code int, of Request) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.beginLocked(of, frame) {
		return
	}
	frame, done := x.largeLocked(frame, code, of, true)
	if done {
		return
	}
	if f, ok := x.w.(Flusher); ok {
		_ = f.RespondNow(frame, code)
		return
	}
	_ = x.w.Respond(frame, code)
}

// beginLocked reports whether the response of a request may be written. It returns true only once.
func (x *Exchange) beginLocked(of Request, frame []byte) bool {
	if !commits(of, frame) || x.w == nil || x.responded {
		return false
	}
	x.responded = true
	return true
}

// Discard implements [Responder]. Whoever handles the message ends the exchange.
func (x *Exchange) Discard() {}

// Flush implements [Responder].
func (x *Exchange) Flush() {}

// HasLeft implements [Leaver].
func (x *Exchange) HasLeft() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	w, ok := x.w.(Leaver)
	return ok && w.HasLeft()
}

// IsDeserted reports whether the client has left, as far as is known without waiting for a write that is under way.
func (x *Exchange) IsDeserted() bool {
	if !x.mu.TryLock() {
		return false
	}
	defer x.mu.Unlock()
	w, ok := x.w.(Leaver)
	return ok && w.HasLeft()
}

// Wait implements [Responder].
func (x *Exchange) Wait() (gone <-chan struct{}, resume func(), err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if w, ok := x.w.(Waiter); ok {
		return w.Wait()
	}
	return nil, func() {}, nil
}

// Ordered implements [Responder]: notifications of subscriptions have a stream of their own.
func (x *Exchange) Ordered() bool { return false }

// Refuse implements [Refuser].
func (x *Exchange) Refuse() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if w, ok := x.w.(Refuser); ok {
		w.Refuse()
	}
}

// Forbid implements [Forbidder]. The goroutine that handles the message calls it before the response.
func (x *Exchange) Forbid(granted []string, needs [][]string) {
	x.mu.Lock()
	w := x.w
	x.mu.Unlock()
	if f, ok := w.(Forbidder); ok {
		f.Forbid(granted, needs)
	}
}
