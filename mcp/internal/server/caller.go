package server

import (
	"context"
	"time"
)

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

// Caller returns who makes the request.
func (c *Call) Caller() Caller {
	if c.responder == nil {
		return Caller{}
	}
	return *c.responder.sender()
}

// principal is who has sent the request, as far as the transport knows; "" if it does not.
func (c *Call) principal() string { return c.Caller().Subject }

type callerKey struct{}

// WithCaller returns a context for [Server.Serve] that says who the client of that connection is: if it does
// not, the client is [Options.Caller].
func WithCaller(ctx context.Context, who Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, who)
}

// callerOf is who the client of a connection is.
func (s *Server) callerOf(ctx context.Context) Caller {
	if who, ok := ctx.Value(callerKey{}).(Caller); ok {
		return who
	}
	return s.opts.Caller
}
