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

// Flusher is a [ResponseWriter] that otherwise sends a small response only when the message was handled, as net/http
// does.
type Flusher interface {
	// RespondNow is Respond, and sends the response at once.
	RespondNow(frame []byte, code int) error
}

// Reserver is a [ResponseWriter] that counts what it has not written yet, and knows whether its client is still there.
type Reserver interface {
	// Reserve counts n bytes for a response that comes later, in place of those that it has counted before. It is false
	// if there is no room for so many.
	Reserve(n int) bool
	// HasLeft reports whether the client has left and does not read the response, at least not yet.
	HasLeft() bool
}

// Waiter is a [ResponseWriter] that is told when the handler of its request waits for a response of the client, which
// may take a person minutes. A transport can then count the request apart from those that use the processor.
type Waiter interface {
	// Wait is called before a request is sent to the client. The returned channel is closed once the client has left
	// and nobody will respond; nil means that this is never known. resume is called once when the wait is over, which
	// may be after the message was handled. If err is not nil, the request is not sent and the handler gets err.
	Wait() (gone <-chan struct{}, resume func(), err error)
}

// Exchange is the [Responder] of a message that a transport brings together with a [ResponseWriter] of its own, as HTTP
// does. The zero value writes nothing.
type Exchange struct {
	mu        sync.Mutex
	w         ResponseWriter // nil once the message was handled
	responded bool
}

// NewExchange returns an exchange that writes to w until it is closed.
func NewExchange(w ResponseWriter) Exchange { return Exchange{w: w} }

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

// Respond implements [Responder]. A client that has gone does not read the response, and needs no other end.
func (x *Exchange) Respond(frame []byte, code int, of Request) []byte {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.beginLocked(of, frame) {
		_ = x.w.Respond(frame, code)
	}
	return frame
}

// RespondNow implements [Responder].
func (x *Exchange) RespondNow(frame []byte, code int, of Request) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.beginLocked(of, frame) {
		return
	}
	if f, ok := x.w.(Flusher); ok {
		_ = f.RespondNow(frame, code)
		return
	}
	_ = x.w.Respond(frame, code)
}

// beginLocked reports whether the response of a request may be written; the first one only.
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

// Reserve implements [Reserver].
func (x *Exchange) Reserve(n int) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	w, ok := x.w.(Reserver)
	return !ok || w.Reserve(n)
}

// HasLeft implements [Reserver].
func (x *Exchange) HasLeft() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	w, ok := x.w.(Reserver)
	return ok && w.HasLeft()
}

// IsDeserted reports whether the client has left, as far as is known without waiting for a write that is under way.
func (x *Exchange) IsDeserted() bool {
	if !x.mu.TryLock() {
		return false
	}
	defer x.mu.Unlock()
	w, ok := x.w.(Reserver)
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
