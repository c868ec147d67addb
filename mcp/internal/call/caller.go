package call

import (
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

// Expired reports whether c has to prove again who it is.
func (c *Caller) Expired() bool { return !c.Expires.IsZero() && !time.Now().Before(c.Expires) }

// AccessKey returns everything in a caller that access depends on; "" for an anonymous caller.
func (c *Caller) AccessKey() string {
	if c.Subject == "" && c.Scopes == nil && c.Roles == nil {
		return ""
	}
	set := func(words []string) []string {
		words = slices.Clone(words)
		slices.Sort(words)
		return slices.Compact(words)
	}
	return fmt.Sprintf("%q %q %q", c.Subject, set(c.Scopes), set(c.Roles))
}

// Equal reports whether c and o have the same rights and expire at the same time.
func (c *Caller) Equal(o *Caller) bool { return c.SameRights(o) && c.Expires.Equal(o.Expires) }

// SameRights reports whether c and o have the same subject, and the same scopes and roles in the same order.
func (c *Caller) SameRights(o *Caller) bool {
	return c.Subject == o.Subject && slices.Equal(c.Scopes, o.Scopes) && slices.Equal(c.Roles, o.Roles)
}
