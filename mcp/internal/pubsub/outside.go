package pubsub

import (
	"context"
	"iter"
	"time"
)

// Keyer says which resource a URI names. Clients may spell the URI of one resource in several ways: %7e for ~, 01 for
// 1, the parameters of a query in another order, a default written out. All these spellings have one key.
//
// A Keyer is used by one goroutine at a time. The hub makes several and uses them again.
type Keyer interface {
	// Key returns the key of uri: the number of the resource and a text that identifies its instance. For a URI that
	// names nothing these are -1 and the URI itself. The text is valid until the next call.
	Key(uri string) (resource int, text []byte)
}

// Authorizer decides whether updates of subscriptions may be delivered.
type Authorizer interface {
	// Authorize is called right before an update of the resource at uri is written; the client has spelled uri. No lock is
	// held: it may run code of the program and take a while, and the other updates of the connection wait for it.
	Authorize(uri string) Decision
}

// Decision is the answer of an [Authorizer].
type Decision uint8

// The decisions of an [Authorizer].
const (
	// Deliver lets the update be written.
	Deliver Decision = iota
	// Postpone leaves the update out until the subscription is marked again, for example by [Streams.Resync].
	Postpone
	// Revoke ends the subscription without a message about it. The client is told that its list of resources has changed.
	Revoke
)

// Encoder writes the messages of one stream, in the revision and with the identifiers of its client. Its methods are
// called with a lock held: they must not block.
type Encoder interface {
	// AppendUpdate appends the notification that a resource or a list may have changed. A URI is as the client has
	// spelled it.
	AppendUpdate(b []byte, t Topic) []byte
	// End returns the messages that tell the client of a listen that the server ends it.
	End() [][]byte
}

// Rest is the end of a message that messages of other streams may share. It must not be changed.
type Rest []byte

// Text returns the bytes of the rest; nil for a nil rest.
func (r *Rest) Text() []byte {
	if r == nil {
		return nil
	}
	return *r
}

// Writer is the outgoing side of a connection.
type Writer interface {
	// WriteMessage writes one message, which ends with a newline, and does not keep it. It is never called twice at the
	// same time. After an error nothing more is written.
	WriteMessage(frame []byte) error
}

// UpdateWriter is a [Writer] that is told which messages are updates. It need not keep them: after a loss
// [Streams.Resync] tells the client again about everything that it has subscribed to.
type UpdateWriter interface {
	// WriteUpdate is WriteMessage for the message that frame and rest form. It may append to frame.
	WriteUpdate(frame []byte, rest *Rest) error
}

// Opener begins to watch the resource at uri. It returns a sequence that yields whenever the resource may have changed,
// until ctx ends; nil if there is nothing to watch.
type Opener func(ctx context.Context, uri string) (iter.Seq2[time.Time, error], error)

// Source has the functions for the subscriptions of a stream to one kind of resource. They get the URI, or the name of
// a topic that has one, so that one Source serves many subscriptions. It is kept as long as they are, and does not
// change.
type Source struct {
	Open       Opener     // nil if nothing watches the resources
	Authorizer Authorizer // nil if everybody may receive their updates
	// Exists reports whether there is something to watch at a URI. It runs code of the program. Nil means that there
	// always is.
	Exists func(uri string) bool
	// Append is [Encoder].AppendUpdate for topics that have a name. It appends the message up to its rest; rest is nil if
	// the message has none.
	Append func(b []byte, name string) (frame []byte, rest *Rest)
}

// NoSource is the source of resources that nothing watches and everybody may see.
var NoSource = new(Source)
