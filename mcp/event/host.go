package event

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/mcp/stats"
)

// Position is a place in the log of one event name.
type Position struct {
	// Epoch is that of [Page]. Places of different epochs cannot be compared.
	Epoch string
	Seq   uint64
}

// Caller is who has subscribed, as it was authenticated then.
type Caller struct {
	// Subject identifies the principal; never "" for a webhook.
	Subject string
	// Scopes and Roles are those that the caller had.
	Scopes, Roles []string
}

// Webhooks delivers events to callbacks. Package mcp/webhook implements it. Its methods are safe for concurrent use. An
// error of type *[Error] is meant for the client.
type Webhooks interface {
	// Start is called once, by the constructor of the server. Nothing is delivered before.
	Start(h Host) error
	// Subscribe creates a subscription, or refreshes the one with the same key. It verifies the callback.
	Subscribe(ctx context.Context, r *Request) (*Granted, error)
	// Unsubscribe ends the subscription with the key of r. It is false if there is none.
	Unsubscribe(ctx context.Context, r *Request) (found bool, err error)
	// Wake says that there may be new entries of a name, appended here or elsewhere. It does not block.
	Wake(name string)
	// Close returns when nothing is delivered any more: at the latest when ctx ends.
	Close(ctx context.Context) error
	// Lasting reports whether subscriptions survive the end of the process.
	Lasting() bool
	// Stats returns the numbers of this replica, for the numbers of the server.
	Stats() stats.Webhooks
}

// TTL is how long a client wants a subscription to last.
type TTL struct {
	// Set is false if the client has not said anything, and Never is true if it asks for no end (null).
	Set, Never bool
	// For is the duration, 0 or more. Durations that are too long for the type are the longest one.
	For time.Duration
}

// Request is what a client sends about a subscription. The arguments are valid, and the caller may have the event.
type Request struct {
	Caller Caller
	// Name is the name of the event.
	Name string
	// Arguments is a JSON object in canonical form (RFC 8785): equal arguments are equal texts.
	Arguments json.RawMessage
	// URL and Secret are as the client has sent them. There is no secret to unsubscribe.
	URL, Secret string
	TTL         TTL
	// Start is where deliveries begin. Truncated says that events before Start are lost. Both are ignored if the request
	// refreshes a subscription that is live. HasCursor says that the client has sent a cursor.
	Start     Position
	Truncated bool
	HasCursor bool
	// Schema is the version of the payload, for [Reader].
	Schema int
}

// Granted is a subscription as its client gets it.
type Granted struct {
	ID string
	// RefreshBefore is when the subscription ends; zero for never.
	RefreshBefore time.Time
	// At is the watermark, and Truncated says that events before it are lost.
	At        Position
	Truncated bool
	// Status is that of deliveries so far; nil for a new subscription.
	Status *Status
}

// Status is how deliveries go.
type Status struct {
	Active       bool
	LastDelivery time.Time // zero for none
	// LastError is "" or one of connection_refused, timeout, tls_error, http_4xx, http_5xx and challenge_failed.
	LastError   string
	FailedSince time.Time // zero if the last delivery was accepted
	// Throttled says that deliveries wait, for about RetryAfter.
	Throttled  bool
	RetryAfter time.Duration
}

// Host is the server, as [Webhooks] sees it. Its methods are safe for concurrent use.
type Host interface {
	// Logger is for operators.
	Logger() *slog.Logger
	// Record writes a record of the audit, if there is one.
	Record(r Record)
	// Seal encrypts plain with the keys of the server, for a purpose. Open is the reverse.
	Seal(plain, purpose []byte) []byte
	Open(sealed, purpose []byte) ([]byte, error)
	// LastingKeys is false if nothing that was sealed can be opened after the end of the process.
	LastingKeys() bool
	// Read returns the events after a position that a subscription gets, and checks that it may still have them. It costs
	// little near the end of the log.
	Read(ctx context.Context, r *Reader, after Position, limit int) (Batch, error)
	// Forget drops what was kept to read for a subscription, which has ended.
	Forget(id string)
	// Watch has Match tell of a subscription, under a tag, until Unwatch. It is false if each has to read by itself.
	Watch(r *Reader, tag any) bool
	Unwatch(tag any)
	// Match looks for all that are watched at what is behind a position. It does not ask for rights, as Read does.
	Match(ctx context.Context, name string, after Position) (Match, error)
	// Cursor returns the cursor of a position, for clients.
	Cursor(name string, schema int, at Position) string
	// FaultJSON returns a fault as clients get it: {"code":…,"message":…,"data":…}.
	FaultJSON(f *Error) []byte
}

// The values of Record.Action.
const (
	ActionCommit  = "event/commit"
	ActionPublish = "event/publish"
	ActionDeliver = "event/deliver"
	ActionEnd     = "event/end"
)

// Record is what the audit is told of an event, or of a subscription. It has no arguments, payloads and URLs.
type Record struct {
	Action string
	// Principal is who has caused the event, or whose subscription it is; "" for nobody.
	Principal string
	Name      string // of the event
	// Status is "ok", or a word for what has happened instead.
	Status string
	// Denied says that it is because the principal may not have it any more.
	Denied bool
	Took   time.Duration
}

// Reader is who reads: a subscription.
type Reader struct {
	ID, Name  string
	Arguments json.RawMessage // canonical
	Caller    Caller
	Schema    int // of the payload when the subscription was made
}

// Match is what [Host.Match] returns.
type Match struct {
	// After is the position behind everything that was looked at, and More says that there is more behind it.
	After Position
	More  bool
	// Tags are those of subscriptions that may get something of it. All means that each of them has to read.
	Tags []any
	All  bool
}

// Batch is what [Host.Read] returns.
type Batch struct {
	// Events are in the order of the log.
	Events []Occurrence
	// After is the position behind everything that was looked at, whether it was for the subscription or not.
	After Position
	// More says that there is more behind After.
	More bool
	// Truncated says that entries behind the position of the call are lost. Those that are left follow.
	Truncated bool
	// Ended says that the subscription has ended, and why. Then there are no events.
	Ended *Error
}

// Occurrence is an event for one subscription.
type Occurrence struct {
	At   Position
	ID   string
	Time time.Time
	// Body is a JSON object without its last brace. It has no cursor: the sender appends a member, or the brace.
	Body []byte
}
