package server

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
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

type callerKey struct{}

// WithCaller returns a context for [Server.Serve] that says who the client of that connection is: if it does
// not, the client is [Options.Caller].
func WithCaller(ctx context.Context, who Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, who)
}

// expired reports whether c has to prove again who it is.
func (c *Caller) expired() bool { return !c.Expires.IsZero() && !time.Now().Before(c.Expires) }

// mark tells callers apart by all that access depends on; "" for nobody in particular.
func (c *Caller) mark() string {
	if c.Subject == "" && c.Scopes == nil && c.Roles == nil {
		return ""
	}
	set := func(words []string) []string {
		words = slices.Clone(words)
		slices.Sort(words)
		return slices.Compact(words)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", c.Subject, set(c.Scopes), set(c.Roles)))
	return string(sum[:16])
}
