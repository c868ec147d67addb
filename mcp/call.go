package mcp

import (
	"context"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Call is a request and the context of its handler. It ends when the client cancels the request, when the connection
// ends, and when the response was sent. It is safe for concurrent use, also after it has ended.
type Call call.Call

var _ context.Context = (*Call)(nil)

func (c *Call) impl() *call.Call { return (*call.Call)(c) }

// Caller returns the caller of the request.
func (c *Call) Caller() Caller { return Caller(c.impl().Caller()) }

// Peer returns the means to send requests to the client of c.
func (c *Call) Peer() Peer { return Peer(c.impl().Peer()) }

// Logger returns a logger that sends its messages to the client of the request, until the response is sent. A legacy
// session sets the level with logging/setLevel; from 2026-07-28 on each request has its own. A client that has set none
// gets no messages. The server must declare the capability, as generated servers do for handlers with a *slog.Logger
// parameter. Clients show the messages to users and models, so they must not contain secrets.
//
// Levels of log/slog are those of the protocol; slog.LevelInfo+2 is notice, and slog.LevelError+4, +8 and +12 are
// critical, alert and emergency.
func (c *Call) Logger() *slog.Logger { return c.impl().Logger() }

// Progress returns the means to report progress of the request to its client. It returns the same value each time.
func (c *Call) Progress() Progress { return Progress(c.impl().Progress()) }

// Notify sends a notification of an extension (SEP-2133) to the client of the request, before the response: n is a
// struct with //mcp:notification. It does nothing if the client has not declared the extension or speaks a version of
// it without the notification, and after the response or a cancellation. It also does nothing where there is no
// response: in the handler of a notification and for a task. It blocks while the client does not read, for as long as
// the transport allows. An error means that n cannot be encoded, or that the connection is broken.
func (c *Call) Notify(n interface{ MCPNotification() wire.Notification }) error {
	return c.impl().Notify(n.MCPNotification())
}

// TaskID returns the id of the task that the handler runs for; "" for a call that is no task. It is the same in each
// run, so other systems can use it as a key to detect a repetition. The context of a task ends when it is cancelled or
// expires, when another process has taken it, and when the server closes. Middleware runs around the call that creates
// a task, where TaskID is "", and around each run of the handler.
func (c *Call) TaskID() string { return c.impl().TaskID() }

// SetStatus sets the status message of the task, which clients see when they ask for its state and in notifications.
// The text is cut after 1,024 bytes, and stored a little later, after SetStatus has returned. SetStatus never blocks,
// and does nothing for a call that is no task.
func (c *Call) SetStatus(text string) { c.impl().SetStatus(text) }

// Checkpoint returns what an earlier run of the task has saved by [Call.SaveCheckpoint]; nil if there is nothing.
func (c *Call) Checkpoint() []byte { return c.impl().Checkpoint() }

// SaveCheckpoint stores b, at most 256 KiB, for a later run of the task: after a crash, or after an answer of the
// client. It is stored once the method returns nil. For a call that is no task it does nothing.
func (c *Call) SaveCheckpoint(b []byte) error { return c.impl().SaveCheckpoint(b) }

// URI returns the URI of the resource of the request, or "" if the request has none.
func (c *Call) URI() string { return c.impl().URI() }

// Target returns the URI of the resource of the request, or the name of its tool or prompt.
func (c *Call) Target() string { return c.impl().Target() }

// Revision returns the revision of the protocol of the request.
func (c *Call) Revision() protocol.Revision { return c.impl().Revision() }

// ResourceUpdated publishes an update of the resource at uri, like [Server.ResourceUpdated]. In a watch function it
// does nothing, because the function reports changes by yielding.
func (c *Call) ResourceUpdated(uri string) { c.impl().ResourceUpdated(uri) }

// ResourceListChanged announces a change of the list of resources, like [Server.ResourceListChanged]. In a watch
// function it does nothing.
func (c *Call) ResourceListChanged() { c.impl().ResourceListChanged() }

// Deadline implements [context.Context]. The deadline comes from the timeout of the feature, if it has one.
func (c *Call) Deadline() (deadline time.Time, ok bool) { return c.impl().Deadline() }

// Done implements [context.Context].
func (c *Call) Done() <-chan struct{} { return c.impl().Done() }

// Err implements [context.Context].
func (c *Call) Err() error { return c.impl().Err() }

// Value implements [context.Context]. The values are those of the context of [Server.Serve] or, over HTTP, of the HTTP
// request.
func (c *Call) Value(key any) any { return c.impl().Value(key) }

// AfterFunc calls f on a new goroutine after the call has ended. stop prevents that, and reports whether it came in
// time. Package context uses the method to derive contexts without a goroutine.
func (c *Call) AfterFunc(f func()) (stop func() bool) { return c.impl().AfterFunc(f) }

// Caller is the user or program that makes a request, as the transport has authenticated it. The zero value is an
// anonymous caller: the process at the other end of stdio, or an HTTP client without authentication. Callers are
// compared by Subject. Scopes and Roles must not be changed.
type Caller struct {
	// Subject identifies the user or program uniquely.
	Subject string
	// Scopes are the scopes that were granted to the caller.
	Scopes []string
	// Roles are the roles of the caller, such as editor.
	Roles []string
	// Expires is when the authentication of the caller ends; zero means never.
	Expires time.Time
}

// WithCaller returns a context for [Server.Serve] with the caller of that connection. Without it the caller is
// [Options.Caller].
func WithCaller(ctx context.Context, who Caller) context.Context {
	return server.WithCaller(ctx, call.Caller(who))
}

// Progress reports the progress of a request to its client (basic/utilities/progress). A handler gets it as a
// parameter or from [Call.Progress]. The zero value reports nothing. It is safe for concurrent use.
type Progress call.Progress

// Wanted reports whether the client asked for progress. If not, Report does nothing and costs nothing, so callers need
// no check.
func (p Progress) Wanted() bool { return call.Progress(p).Wanted() }

// Report reports how much is done, in any unit, and the total in the same unit; a total of 0 means unknown. The message
// is for users and may be empty; clients of 2024-11-05 do not get it. done must increase: a report whose done is not
// greater than those before is dropped. The first 20 reports are sent at once. Later ones are sent at most every 50
// milliseconds, the newest of them each time. The report that reaches the total is always sent. After the response or a
// cancellation, Report does nothing.
func (p Progress) Report(done, total float64, message string) {
	call.Progress(p).Report(done, total, message)
}
