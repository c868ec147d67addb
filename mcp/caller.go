package mcp

import "time"

// Caller is who makes a request, as the transport has found out. The zero value is nobody in
// particular: the process at the other end of stdio, or a client of HTTP that need not say who it is.
// Callers are compared by Subject. Scopes must not be changed.
type Caller struct {
	// Subject names the user or program, and nobody else, among all that use the server.
	Subject string
	// Scopes are what the caller may do, in the words of whoever granted it.
	Scopes []string
	// Expires is when the caller must prove again who it is; zero for never.
	Expires time.Time
}

// Caller returns who makes the request.
func (c *Call) Caller() Caller {
	if c.lane == nil {
		return Caller{}
	}
	return c.lane.caller
}
