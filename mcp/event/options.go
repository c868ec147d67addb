package event

import "time"

// Profile says which form of the protocol a server follows where the specification and clients in use differ.
type Profile uint8

// The profiles.
const (
	// Specification follows SEP-3415.
	Specification Profile = iota
	// Shipped follows the clients in use today, which were written for an earlier draft: the codes -32011 to -32015, and
	// an empty result for the end of a subscription that there is not.
	Shipped
)

// Options are [Settings]. They say where the events of a server are kept, and how they reach clients. The zero value
// means the defaults; a negative number is an error.
type Options struct {
	// Log holds the events. Nil means a [Memory] of the server: what has happened before is lost with the process, and
	// other replicas do not see it.
	Log Log
	// Local declares that it is meant that events are in the memory of this process, although the server has webhooks or
	// replicas. Otherwise that is an error.
	Local bool
	// Webhooks delivers events to callbacks; nil means that clients are not offered webhooks.
	Webhooks Webhooks
	// Sessions serves events/list, events/subscribe and events/unsubscribe in revisions before 2026-07-28 too, which the
	// specification does not know. Clients in use today ask for it.
	Sessions bool
	// Profile is what clients get where they differ from the specification.
	Profile Profile
	// MaxStreams limits the open streams of the server, and MaxStreamsPerPrincipal those of one subject, or of one
	// connection or address without a subject; 0 means 10,000 and 100.
	MaxStreams, MaxStreamsPerPrincipal int
	// Heartbeat is how long a stream may be silent; 0 means 20 seconds.
	Heartbeat time.Duration
	// MaxPending limits the events that wait to be appended after they were published without waiting; 0 means 1,024
	// for each name. What is beyond is lost, and clients are told of a gap.
	MaxPending int
}

// Settings are what a server is told about events: an [Options], or nil. As an interface, they bring nothing into a
// program without events.
type Settings interface{ events() }

func (*Options) events() {}
