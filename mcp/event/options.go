package event

import "time"

// Profile says which form of the protocol a server follows where the specification and clients in use differ.
type Profile uint8

// The profiles.
const (
	// Specification follows SEP-3415.
	Specification Profile = iota
	// Shipped follows the clients in use today, which were written for an earlier draft: codes -32011 to -32015, and an
	// empty result for the end of a subscription that does not exist.
	Shipped
)

// Options are [Settings]. They say where the events of a server are kept, and how they reach clients. The zero value
// means the defaults; a negative number is an error.
type Options struct {
	// Log holds the events. Nil means a [Memory] of the server: what has happened before is lost with the process, and
	// other replicas do not see it.
	Log Log
	// Local allows a server with webhooks or replicas to keep its events in the memory of this process. Without Local that
	// is an error.
	Local bool
	// Webhooks delivers events to callbacks; nil means that clients are not offered webhooks.
	Webhooks Webhooks
	// Sessions serves events/list, events/subscribe and events/unsubscribe in revisions before 2026-07-28 too. The
	// specification does not have that, but clients in use today need it.
	Sessions bool
	// Profile says what clients get where clients in use differ from the specification.
	Profile Profile
	// MaxStreams limits the open streams of the server; 0 means 10,000. MaxStreamsPerPrincipal limits those of one subject
	// or, without a subject, of one connection or address; 0 means 100.
	MaxStreams, MaxStreamsPerPrincipal int
	// Heartbeat is how long a stream may be silent before a heartbeat is sent; 0 means 20 seconds.
	Heartbeat time.Duration
	// MaxPending limits the events of one name that were published without waiting and are not appended yet; 0 means
	// 1,024. Further events are lost, and clients are told of a gap.
	MaxPending int
}

// Settings are the event options of a server: an [Options], or nil. They are an interface, so that programs without
// events do not link this code.
type Settings interface{ events() }

func (*Options) events() {}
