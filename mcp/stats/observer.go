package stats

import (
	"context"
	"time"
)

// Observer is told of each operation of a server, for traces and for metrics of single requests. It is set by
// mcp.Options.Observer; module otel has one. A server without an observer pays nothing for it.
//
// The methods may be called at the same time. Operations wait for them, so they must not block. A panic is logged, and
// the operation goes on without the observer.
type Observer interface {
	// Begin is called before an operation begins. It returns ctx, maybe with values of its own. The code that runs for the
	// operation sees these values, and End gets that context. op is valid until Begin returns.
	Begin(ctx context.Context, op Operation) context.Context
	// End is called once for each Begin, with the context that Begin has returned. It is called right before the response
	// is sent, or when the handler returns if there is no response. The context may have ended. out is valid until End
	// returns.
	End(ctx context.Context, out Outcome)
	// Carry is called when the operation of ctx sends a request to the client, or becomes a task, which another process
	// may run. It calls set for each member to add to params._meta there, such as a trace id.
	Carry(ctx context.Context, set func(key, value string))
}

// Operation is a request of a client, a notification of an extension, a run of a task, or a request to a client.
type Operation interface {
	// Kind says what the operation is.
	Kind() OperationKind
	// Method is the method; "other" for one that the server does not have.
	Method() string
	// Target is the name of the tool or the prompt, if the server has it, or the URI of the resource, cut after 512
	// bytes; "" for other methods.
	Target() string
	// ID is the id of the request, cut after 512 bytes; "" for a notification.
	ID() string
	// Meta is the member of params._meta of the client with that name, if it is a string of at most 8,192 bytes; else "".
	Meta(name string) string
	// Revision is the revision of the protocol; "" if none was negotiated yet.
	Revision() string
	// Session identifies the session of a client of a revision before 2026-07-28, in all processes; "" from then on. It is
	// not the id that clients send, and no secret.
	Session() string
	// HTTP reports whether the message has come over HTTP.
	HTTP() bool
}

// OperationKind is what an [Operation] is.
type OperationKind uint8

// The values of OperationKind.
const (
	OperationReceived OperationKind = iota // a request or a notification of a client
	OperationTask                          // a run of a task, whose request was answered before
	OperationAsked                         // a request to a client
)

// Outcome is how an operation has ended.
type Outcome interface {
	// Fault is the code and the message of the error of the response, as it is sent; 0 and "" for a result.
	Fault() (code int, message string)
	// ToolError reports whether the result of a tool says that the tool has failed.
	ToolError() bool
	// Cancelled reports whether there is no response.
	Cancelled() bool
	// Denied reports whether the caller may not do what it asks for.
	Denied() bool
	// Waited is how long the handler has waited for answers of the client, or for the end of a task.
	Waited() time.Duration
}
