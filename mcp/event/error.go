package event

// ErrorKind is what an [Error] is about.
type ErrorKind uint8

// The kinds of errors. The error codes that clients get depend on the [Profile].
const (
	// Internal says nothing about the request. It is the zero value.
	Internal ErrorKind = iota
	// InvalidParams means that the request is wrong.
	InvalidParams
	// NotFound means that there is no such event, or no such subscription, as Error.Of says.
	NotFound
	// Forbidden means that the caller may not have the event; Error.Reason may say why.
	Forbidden
	// ResourceExhausted means that Error.Limit is reached.
	ResourceExhausted
	// Unsupported means that Error.Feature cannot be served; Error.Value or Error.Reason says more.
	Unsupported
	// CallbackEndpoint means that the callback did not answer as it must; Error.Reason is a word of [Status].LastError.
	CallbackEndpoint
)

// Error is an error that a client gets, in a response or as the end of a subscription. Its texts are for clients.
type Error struct {
	Kind    ErrorKind
	Message string
	// Of is what was not found: "event" or "subscription".
	Of string
	// Reason is a word for programs: of Forbidden, Unsupported and CallbackEndpoint.
	Reason string
	// Feature is what Unsupported is about, and Value the value of it that is not served; "" for none.
	Feature, Value string
	// Limit names the limit of ResourceExhausted, and Max is its value; 0 if clients are not told.
	Limit string
	Max   int
}

// Error implements error.
func (f *Error) Error() string { return "event: " + f.Message }

// Word returns one word for the error, for audit records: the Reason or, without one, the Kind.
func (f *Error) Word() string {
	if f.Reason != "" {
		return f.Reason
	}
	return [...]string{"internal", "invalid_params", "not_found", "forbidden", "resource_exhausted", "unsupported",
		"callback_endpoint"}[f.Kind]
}

// SchemaChanged returns the error for a cursor or a subscription that is older than an incompatible change of the
// payload of the named event.
func SchemaChanged(name string) *Error {
	return &Error{Kind: Unsupported, Message: "the payload of the event " + name + " has changed: subscribe anew",
		Feature: "payloadSchema", Reason: "schema_changed"}
}

// NoEvent returns the error for a name that is no event, or that the caller must not know of.
func NoEvent(name string) *Error {
	return &Error{Kind: NotFound, Message: "unknown event: " + name, Of: "event"}
}
