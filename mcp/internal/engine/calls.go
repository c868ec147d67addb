package engine

import (
	"math"
	"sync"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Errors of requests that do not begin.
var (
	ErrBusy      = wire.NewError(wire.CodeInternal, "too many requests in flight")
	ErrDuplicate = wire.NewError(wire.CodeInvalidRequest,
		"invalid request: a request with this id is still being answered")
	ErrShutdown = wire.NewError(wire.CodeInternal, "the server ended before the request was answered")
	// ErrDropped means that the request gets no response.
	ErrDropped = wire.NewError(wire.CodeInternal, "nobody waits for an answer")
)

// Calls counts the messages of one connection that are being handled, and holds its requests in flight by their ids. C
// is the type of a request. The zero value is an empty table.
type Calls[C comparable] struct {
	mu       sync.Mutex
	stopping bool          // no further message is handled
	messages int32         // that are being handled
	running  int32         // requests whose handler has not returned, and does not wait for a person
	inFlight byID[C]       // see ToCancel
	early    cancellations // where messages may overtake each other
	writing  byID[C]       // requests whose response is being written; empty if early.most is 0
	refusal  *wire.Error   // why no further request begins; nil while they do
	waiting  map[C]int     // how many answers of the client a request waits for; it does not count as running meanwhile
	quiet    Latch
}

// RememberCancellations makes the table remember cancellations that come before their requests. It remembers at most
// limit of them at the same time. It must be called before the first message.
func (t *Calls[C]) RememberCancellations(limit int) { t.early.most = int32(min(limit, math.MaxInt32)) }

// Accept counts n messages as being handled. It returns false, and counts none, after Stop.
func (t *Calls[C]) Accept(n int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopping {
		return false
	}
	t.messages += int32(n)
	return true
}

// AcceptMore counts n more messages of a batch that is being handled.
func (t *Calls[C]) AcceptMore(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.messages += int32(n)
}

// Handled says that a message was handled: it has its response, if it needs one.
func (t *Calls[C]) Handled() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.messages--
	if t.stopping && t.messages == 0 {
		t.quiet.Close()
	}
}

// Stop makes Accept refuse further messages. Quiet is closed when the present ones are handled.
func (t *Calls[C]) Stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.stopping && t.messages == 0 {
		t.quiet.Close()
	}
	t.stopping = true
}

// Quiet is closed when no message is handled any more after Stop.
func (t *Calls[C]) Quiet() <-chan struct{} { return t.quiet.Done() }

// Has reports whether id belongs to a request in flight.
func (t *Calls[C]) Has(id wire.ID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.inFlight.len() == 0 {
		return false
	}
	_, found := t.inFlight.get(id.Canonical())
	return found
}

// Begin enters a request. At most limit requests may run. The error says why the request must not begin: [ErrBusy] if
// the limit is reached; [ErrDuplicate] if another request in flight has its id; [ErrDropped] if the client has
// cancelled it already; after Close, the error that Close was given.
func (t *Calls[C]) Begin(id wire.ID, call C, limit int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := id.Canonical()
	switch {
	case t.refusal != nil:
		return t.refusal
	case t.early.take(key):
		return ErrDropped
	case int(t.running) >= limit:
		return ErrBusy
	}
	if _, twice := t.inFlight.get(key); twice {
		return ErrDuplicate
	}
	t.running++
	t.inFlight.put(key, call)
	return nil
}

// Room reports whether fewer than limit requests are running.
func (t *Calls[C]) Room(limit int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return int(t.running) < limit
}

// Returned says that the handler of a request has returned.
func (t *Calls[C]) Returned() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running--
}

// Forget frees the id of a request that was responded to or cancelled.
func (t *Calls[C]) Forget(id wire.ID, call C) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if key := id.Canonical(); t.inFlight.has(key, call) {
		t.inFlight.remove(key)
		t.early.end(key)
	}
}

// Respond is Forget for a request whose response is about to be written; call Written after that. In between ToCancel
// still finds the request if messages may overtake each other.
func (t *Calls[C]) Respond(id wire.ID, call C) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := id.Canonical()
	if !t.inFlight.has(key, call) {
		return
	}
	t.inFlight.remove(key)
	t.early.end(key)
	if t.early.most > 0 {
		t.writing.remove(key) // of an earlier request with the same id
		t.writing.put(key, call)
	}
}

// Written says that the response of a request was written.
func (t *Calls[C]) Written(id wire.ID, call C) {
	if t.early.most == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if key := id.Canonical(); t.writing.has(key, call) {
		t.writing.remove(key)
	}
}

// Open reports whether a request is in flight, or its response is being written.
func (t *Calls[C]) Open(id wire.ID, call C) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := id.Canonical()
	return t.inFlight.has(key, call) || t.writing.has(key, call)
}

// ToCancel returns the request with an id that is in flight or whose response is being written. If there is none, it
// remembers the cancellation.
func (t *Calls[C]) ToCancel(id wire.ID) (call C, found bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := id.Canonical()
	if call, found = t.inFlight.get(key); !found {
		call, found = t.writing.get(key)
	}
	if !found {
		t.early.add(key)
	}
	return call, found
}

// CancelledEarly reports whether the request with an id was cancelled before it came, and forgets that cancellation.
func (t *Calls[C]) CancelledEarly(id wire.ID) bool {
	if t.early.most == 0 {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.early.take(id.Canonical())
}

// EndedEarly notes the end of a request that did not begin.
func (t *Calls[C]) EndedEarly(id wire.ID) {
	if t.early.most == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.early.end(id.Canonical())
}

// Close makes Begin refuse every further request with the error fault. Further calls do nothing.
func (t *Calls[C]) Close(fault *wire.Error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.refusal == nil {
		t.refusal = fault
	}
}

// Dropped reports whether the table was closed with [ErrDropped].
func (t *Calls[C]) Dropped() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.refusal == ErrDropped
}

// InFlight returns the requests in flight, in no order.
func (t *Calls[C]) InFlight() []C {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.inFlight.all()
}

// Busy reports whether there is a request whose handler has not returned.
func (t *Calls[C]) Busy() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return int(t.running)+len(t.waiting) > 0
}

// BeginWait counts a request as waiting for a person, no longer as running. At most limit requests may wait; ok is
// false if as many wait already. first is true if this request did not wait yet.
func (t *Calls[C]) BeginWait(call C, limit int) (first, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting == nil {
		t.waiting = make(map[C]int)
	}
	n := t.waiting[call]
	if n == 0 {
		if len(t.waiting) >= limit {
			return false, false
		}
		t.running--
	}
	t.waiting[call] = n + 1
	return n == 0, true
}

// EndWait undoes BeginWait. It returns true if the request no longer waits.
func (t *Calls[C]) EndWait(call C) (last bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting[call]--; t.waiting[call] == 0 {
		delete(t.waiting, call)
		if len(t.waiting) == 0 {
			t.waiting = nil
		}
		t.running++
		return true
	}
	return false
}
