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

// Caller is who has subscribed, as authenticated at that time.
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
	// Unsubscribe ends the subscription with the key of r. found is false if there is none.
	Unsubscribe(ctx context.Context, r *Request) (found bool, err error)
	// Wake says that there may be new entries of a name, appended here or elsewhere. It does not block.
	Wake(name string)
	// Close stops the deliveries. It returns when nothing is delivered any more, or with an error when ctx ends first.
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
	// For is the duration, 0 or more. A duration that is too long for the type becomes the longest one.
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
	// Schema is the version of the payload, for Reader.Schema.
	Schema int
}

// Granted is a subscription as its client gets it.
type Granted struct {
	ID string
	// RefreshBefore is when the subscription ends; zero for never.
	RefreshBefore time.Time
	// At is the position up to which events are delivered, and Truncated says that events before it are lost.
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
	// Logger returns the logger for operators.
	Logger() *slog.Logger
	// Record writes an audit record, if the server has an audit logger.
	Record(r Record)
	// Seal encrypts plain with the keys of the server. Open decrypts, and needs the same purpose.
	Seal(plain, purpose []byte) []byte
	Open(sealed, purpose []byte) ([]byte, error)
	// LastingKeys returns false if nothing that was sealed can be opened after the end of the process.
	LastingKeys() bool
	// Read returns events behind the position start that the subscription r gets, at most limit of them. If the caller has
	// lost the right to them, Batch.Ended says so. It costs little near the end of the log.
	Read(ctx context.Context, r *Reader, start Position, limit int) (Batch, error)
	// Forget drops what Read keeps in memory for a subscription. It is called when the subscription has ended.
	Forget(id string)
	// Watch makes Match report the subscription r, by its tag, until Unwatch. It returns false if Match cannot report it,
	// so that new entries are found only by Read.
	Watch(r *Reader, tag any) bool
	Unwatch(tag any)
	// Match looks at entries behind the position start, and returns which watched subscriptions may get any of them.
	// Unlike Read it does not check rights.
	Match(ctx context.Context, name string, start Position) (Match, error)
	// Cursor returns the cursor of a position, for clients.
	Cursor(name string, schema int, at Position) string
	// FaultJSON returns f as clients get it: {"code":…,"message":…,"data":…}.
	FaultJSON(f *Error) []byte
}

// The values of Record.Action.
const (
	ActionCommit  = "event/commit"
	ActionPublish = "event/publish"
	ActionDeliver = "event/deliver"
	ActionEnd     = "event/end"
)

// Record is an audit record about an event or a subscription. It has no arguments, payloads or URLs.
type Record struct {
	Action string
	// Principal is who has caused the event, or whose subscription it is; "" for nobody.
	Principal string
	Name      string // of the event
	// Status is "ok", or a word for what has happened instead.
	Status string
	// Denied says that the principal has no right to the event any more.
	Denied bool
	Took   time.Duration
}

// Reader is a subscription, as [Host] needs it to find the events for it.
type Reader struct {
	ID, Name  string
	Arguments json.RawMessage // canonical
	Caller    Caller
	Schema    int // of the payload when the subscription was made
}

// Match is what [Host.Match] returns.
type Match struct {
	// After is the position behind all entries that were looked at, and More says that there are more entries behind
	// After.
	After Position
	More  bool
	// Tags are the tags of the subscriptions that may get some of these entries. All means that any watched subscription
	// may get some: call Read for each.
	Tags []any
	All  bool
}

// Batch is what [Host.Read] returns.
type Batch struct {
	// Events are in the order of the log.
	Events []Occurrence
	// After is the position behind all entries that were looked at, also those that are not for the subscription.
	After Position
	// More says that there are more entries behind After.
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
