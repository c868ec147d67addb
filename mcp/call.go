package mcp

import (
	"context"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
)

// Call is one request on its way through the server, and the context of its handler. It ends when
// the client cancels the request, when the connection ends, and when the request was answered.
// A Call may be kept and used from several goroutines.
type Call server.Call

var _ context.Context = (*Call)(nil)

func (c *Call) impl() *server.Call { return (*server.Call)(c) }

// Caller returns who makes the request.
func (c *Call) Caller() Caller { return Caller(c.impl().Caller()) }

// Client returns what asks the client of the request.
func (c *Call) Client() Client { return Client(c.impl().Client()) }

// Logger returns a logger whose messages go to the client that sent the request, until it is
// answered. Clients get what they asked for: the level of logging/setLevel in a legacy session,
// that of the request itself from 2026-07-28 on, and nothing before they ask. A server sends
// log messages only if it declares the capability, as generated servers do for handlers with a
// *slog.Logger parameter. Clients show the messages to people and models: no secrets.
func (c *Call) Logger() *slog.Logger { return c.impl().Logger() }

// Progress returns what reports progress of the request to its client, if the client asked for it.
// All calls return the same.
func (c *Call) Progress() Progress { return Progress(c.impl().Progress()) }

// URI returns the URI of the resource that the request is about; "" if it is about none.
func (c *Call) URI() string { return c.impl().URI() }

// Target returns what the request is about: the URI of a resource, or the name of a tool or a prompt.
func (c *Call) Target() string { return c.impl().Target() }

// Revision returns the revision of the protocol that the client speaks.
func (c *Call) Revision() protocol.Revision { return c.impl().Revision() }

// ResourceUpdated tells the subscribers of uri that the resource may have changed, like
// [Server.ResourceUpdated]. In a watcher it does nothing: what a watcher yields is what it reports.
func (c *Call) ResourceUpdated(uri string) { c.impl().ResourceUpdated(uri) }

// ResourceListChanged tells clients that resources/list may give another answer now, like
// [Server.ResourceListChanged]. In a watcher it does nothing.
func (c *Call) ResourceListChanged() { c.impl().ResourceListChanged() }

// Deadline implements [context.Context]. It is that of the timeout of the feature, if it has one.
func (c *Call) Deadline() (deadline time.Time, ok bool) { return c.impl().Deadline() }

// Done implements [context.Context].
func (c *Call) Done() <-chan struct{} { return c.impl().Done() }

// Err implements [context.Context].
func (c *Call) Err() error { return c.impl().Err() }

// Value implements [context.Context]: values are those of the context given to [Server.Serve].
func (c *Call) Value(key any) any { return c.impl().Value(key) }

// AfterFunc starts f on a goroutine of its own once the call has ended. The returned function
// takes that back and reports whether it was in time. Package context uses it to derive contexts
// without a goroutine each.
func (c *Call) AfterFunc(f func()) (stop func() bool) { return c.impl().AfterFunc(f) }

// Caller is who makes a request, as the transport has found out. The zero value is nobody in
// particular: the process at the other end of stdio, or a client of HTTP that need not say who it is.
// Callers are compared by Subject. Scopes and Roles must not be changed.
type Caller struct {
	// Subject names the user or program, and nobody else, among all that use the server.
	Subject string
	// Scopes are what the caller may do, in the words of whoever granted it.
	Scopes []string
	// Roles are what the caller is, such as editor, in the words of whoever knows it.
	Roles []string
	// Expires is when the caller must prove again who it is; zero for never.
	Expires time.Time
}

// WithCaller returns a context for [Server.Serve] that says who the client of that connection is: if it does
// not, the client is [Options.Caller].
func WithCaller(ctx context.Context, who Caller) context.Context {
	return server.WithCaller(ctx, server.Caller(who))
}

// Progress tells the client how far its request has come. A handler that wants it takes it as a
// parameter, or from [Call.Progress]. The zero value reports to nobody. It is safe for concurrent
// use (basic/utilities/progress).
type Progress server.Progress

// Wanted reports whether the client asked for progress. Without that, reports cost nothing and go
// nowhere, and need no such check.
func (p Progress) Wanted() bool { return server.Progress(p).Wanted() }

// Report tells that done of total is reached, in any unit; a total of 0 means that it is not known.
// Message is for people and may be empty; clients of 2024-11-05 do not get it. Reports must grow:
// one that is not above those before is dropped. The first 20 are sent at once, later ones at
// most every 50 milliseconds, the newest replacing those that wait; the one that reaches the total is
// always sent. Once the request is answered or cancelled, reports do nothing.
func (p Progress) Report(done, total float64, message string) {
	server.Progress(p).Report(done, total, message)
}

// Levels of the protocol that log/slog has no name for (server/utilities/logging). A level between two of the
// protocol's counts as the lower one.
const (
	LevelNotice    = server.LevelNotice
	LevelCritical  = server.LevelCritical
	LevelAlert     = server.LevelAlert
	LevelEmergency = server.LevelEmergency
)
