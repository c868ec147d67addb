package engine

import "errors"

// Responder is the way back to the client for one request. It has three implementations: the connection that the
// request was read from, the [BatchItem] that the request is, and the [Exchange] that brought the request alone.
type Responder interface {
	// Notify writes a message that precedes the response, such as progress, a log message or a request to the client. It
	// returns [ErrEnded] if the request has ended. It blocks while the client does not read, for as long as the transport
	// allows. frame belongs to the responder from then on.
	Notify(frame []byte, req Request) error
	// Respond writes the response, or keeps it until the batch is complete. code is the code of a JSON-RPC error, 0 for a
	// result. Right before it writes it calls req.Commit, because a request that was cancelled meanwhile gets no response;
	// req is nil for a message that nothing can cancel. It returns the buffer of frame, which may have grown and can be
	// used again; nil if it cannot be used again.
	Respond(frame []byte, code int, req Request) []byte
	// RespondNow is Respond in place of a handler that may go on for any time. It includes Discard.
	RespondNow(frame []byte, code int, req Request)
	// Discard says that the request gets no response, or none besides that of Respond.
	Discard()
	// Flush writes the responses of the batch that have come so far. The others are lost.
	Flush()
	// Wait informs the transport that the handler waits for an answer of the client. gone is closed once the client has
	// left and will not answer; nil if this is never known. resume is called once, when the wait is over. An error says
	// that the client must not be asked.
	Wait() (gone <-chan struct{}, resume func(), err error)
	// Ordered reports whether responses leave in the order in which they are written, notifications of subscriptions
	// included.
	Ordered() bool
	// Room is what the bytes of responses are counted in; nil if nothing counts them.
	Room() Room
}

// Request is what a [Responder] needs to know of the request whose messages it writes.
type Request interface {
	// Running reports whether the request was neither responded to nor cancelled. It is called with locks held and does
	// not block.
	Running() bool
	// Commit takes the right to write frame, the response. It returns false if the request was cancelled before. It is
	// called at most once, under the lock under which frame is written next. So once a cancellation was processed, the
	// response is either written before everything that follows, or never. It does not block.
	Commit(frame []byte) bool
	// Large returns the large values that the response has besides its frame; nil for none. It is called after Commit,
	// except by a batch.
	Large() *Large
}

// commits reports whether frame, the response of a request, may be written. A nil request cannot be cancelled.
func commits(of Request, frame []byte) bool { return of == nil || of.Commit(frame) }

// ErrEnded is returned for a message that comes too late: the request was responded to or cancelled, or belongs to no
// connection.
var ErrEnded = errors.New("mcp: the request has ended")
