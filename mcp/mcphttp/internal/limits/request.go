package limits

import (
	"errors"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Request is what one request takes while it is handled: bytes for its response, and a place among those that wait for
// a person. It has the methods of engine.Room except Await, and is safe for concurrent use.
type Request struct {
	Admission *Admission
	Usage     *Usage // of the client for which the request counts

	mu        sync.Mutex
	questions int    // to a person, open now; guarded by mu
	resume    func() // undoes Admission.wait; nil before the first question; guarded by mu
}

// NewRequest returns a request of u. The caller must hold u as long as the request is used.
func NewRequest(admit *Admission, u *Usage) Request { return Request{Admission: admit, Usage: u} }

// Take implements engine.Room.
func (r *Request) Take(n int64) bool { return r.took(r.Admission.Take(r.Usage, PendingBytes, n), n) }

// AwaitTurn is engine.Room.Await that also ends, with false, when the channel left is closed, because the client has
// left.
func (r *Request) AwaitTurn(n int64, ended, left <-chan struct{}) bool {
	return r.took(r.Admission.turns.Await(r.Usage, n, ended, left), n)
}

// took counts n bytes for the response if ok is set, and otherwise a refusal. It returns ok.
func (r *Request) took(ok bool, n int64) bool {
	if !ok {
		r.Admission.Deny(PendingBytes)
		return false
	}
	r.Admission.answers.Add(n)
	return true
}

// Give implements engine.Room.
func (r *Request) Give(n int64) {
	r.Admission.answers.Add(-n)
	r.Admission.Give(r.Usage, PendingBytes, n)
}

// Client implements the method by which the server finds out whose subscriptions count together.
func (r *Request) Client() string { return r.Usage.Name() }

// Origin implements call.Origin.
func (r *Request) Origin() [16]byte { return r.Usage.address() }

// errWaiting is the error for a handler whose question would be one too many.
var errWaiting = mcp.Public(errors.New("too many questions are open: try again later"))

// BeginWait counts the request as waiting for a person, from its first open question on. The error is for the handler.
func (r *Request) BeginWait() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.questions == 0 {
		resume, ok := r.Admission.wait(r.Usage)
		if !ok {
			return errWaiting
		}
		r.resume = resume
	}
	r.questions++
	return nil
}

// EndWait undoes BeginWait.
func (r *Request) EndWait() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.questions--; r.questions == 0 {
		r.resume()
	}
}

// ErrUnread is sent in place of a response for which the client has read too little of earlier ones.
var ErrUnread = wire.NewError(wire.CodeInternal, "too many bytes of earlier responses are unread: try again later")
