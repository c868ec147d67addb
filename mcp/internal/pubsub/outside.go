package pubsub

import (
	"context"
	"iter"
	"time"
)

// Keyer says which resource a URI identifies. Clients may spell the URI of one resource in several ways: %7e for ~, 01
// for 1, the parameters of a query in another order, a default value written out. All spellings have the same key.
//
// Only one goroutine at a time uses a Keyer. The hub makes several and uses them again.
type Keyer interface {
	// Key returns the key of uri: the number of the declared resource and a text that identifies the instance. For a URI
	// that belongs to no declared resource these are -1 and uri itself. The text is valid until the next call.
	Key(uri string) (resource int, text []byte)
}

// Authorizer decides whether updates of subscriptions may be delivered.
type Authorizer interface {
	// Authorize is called right before an update of the resource at uri is written. uri is as the client has spelled it.
	// No lock is held, so Authorize may run code of the program and take a while. The other updates of the connection wait
	// meanwhile.
	Authorize(uri string) Decision
}

// Decision is the result of an [Authorizer].
type Decision uint8

// The decisions of an [Authorizer].
const (
	// Deliver lets the update be written.
	Deliver Decision = iota
	// Postpone drops the update. The subscription gets one when it is marked again, for example by [Streams.Resync].
	Postpone
	// Revoke ends the subscription without telling the client. The client is only told that its list of resources has
	// changed.
	Revoke
)

// Encoder encodes the messages of one stream, in the revision of its client. Its methods are called with a lock held,
// so they must not block.
type Encoder interface {
	// AppendUpdate appends the notification that a resource or a list may have changed. The URI in t is as the client has
	// spelled it.
	AppendUpdate(b []byte, t Topic) []byte
	// End returns the messages that tell the client that the server ends the listen.
	End() [][]byte
}

// Rest is the last part of a message. Messages of several streams may share it, so it must not be changed.
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
	// WriteMessage writes one message, which ends with a newline. It must not keep frame. It is never called twice at the
	// same time, and not any more once it has returned an error.
	WriteMessage(frame []byte) error
}

// UpdateWriter is a [Writer] that gets updates by a method of its own. It need not store updates to send them again:
// [Streams.Resync] makes up for lost ones.
type UpdateWriter interface {
	// WriteUpdate is WriteMessage for an update that consists of frame followed by rest, which may be nil. It may append
	// to frame.
	WriteUpdate(frame []byte, rest *Rest) error
}

// Opener begins to watch the resource at uri. It returns a sequence that yields whenever the resource may have changed,
// until ctx ends; nil if there is nothing to watch.
type Opener func(ctx context.Context, uri string) (iter.Seq2[time.Time, error], error)

// Source has the functions for subscriptions of a stream, for example for all subscriptions to instances of one
// template. The functions get the URI or the name of the topic, so that many subscriptions can share a Source. A Source
// must not be changed.
type Source struct {
	Open       Opener     // nil if nothing watches the resources
	Authorizer Authorizer // nil if everybody may receive their updates
	// Exists reports whether the resource at a URI exists. It runs code of the program. Nil means that all resources
	// exist.
	Exists func(uri string) bool
	// Append is [Encoder].AppendUpdate for named topics. It appends the message to b, without its rest. rest is the last
	// part of the message, or nil if frame is the whole message.
	Append func(b []byte, name string) (frame []byte, rest *Rest)
}

// NoSource is the source of resources that nothing watches and everybody may read.
var NoSource = new(Source)
