package server

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"
)

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

type callerKey struct{}

// WithCaller returns a context for [Server.Serve] with the caller of that connection. Without it the caller is
// [Options.Caller].
func WithCaller(ctx context.Context, who Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, who)
}

// expired reports whether c has to prove again who it is.
func (c *Caller) expired() bool { return !c.Expires.IsZero() && !time.Now().Before(c.Expires) }

// accessHash is a hash of everything in a caller that access depends on; "" for an anonymous caller.
func (c *Caller) accessHash() string {
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
