package access

import (
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/ratelimit"
)

// KeyOf returns the key of c: calls with the same key share one rate. The key is the subject, the address of a client
// without a subject, or the connection, as By says; for Global all calls have one key.
func (l *Limit) KeyOf(c *call.Call) ratelimit.Key {
	subject := c.Principal()
	of := c.Request()
	switch {
	case l.By == Global:
		return ratelimit.Key{}
	case subject == "" && (of.Conn.Serial == 0 || l.By == ByUser && call.OriginOf(of.Responder) != [16]byte{}):
		// A client can open any number of sessions, so they do not count as different clients.
		return ratelimit.Key{Addr: call.OriginOf(of.Responder)}
	case l.By == ByUser && subject != "" || of.Conn.Serial == 0:
		return ratelimit.Key{Subject: subject}
	}
	return ratelimit.Key{Conn: of.Conn.Serial}
}

// NewUsage returns a counter for the calls of the guarded feature; nil if they are not counted.
func (g *Guard) NewUsage() *ratelimit.Limiter {
	if !g.Counts() {
		return nil
	}
	return new(ratelimit.Limiter)
}

// tooOften returns the error for a call that exceeds a rate. wait is the time until the next one is allowed.
func tooOften(c *call.Call, wait time.Duration) error {
	millis := (wait + time.Millisecond - 1).Milliseconds()
	text := strconv.FormatInt(millis, 10) + " ms"
	if wait > time.Second {
		text = strconv.FormatInt((millis+999)/1000, 10) + " s"
	}
	return call.LimitError(c, "called too often: try again in "+text, millis)
}
