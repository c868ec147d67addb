package limits

import (
	"errors"
	"os"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
)

// The bits of gatedConn.deadline.
const (
	hasDeadline = 1 << iota // the server has set one
	isCut                   // it was in the past when it was set: the server does not want to write
	wasLate                 // it has passed, and something was written nevertheless
)

// Write implements net.Conn. A deadline is for a slow client. If it passes while the process does not run, because it
// was stopped or others use the processors, a write would fail although the client reads everything. So once after each
// deadline, Write still writes what the connection takes at once. If the server has set no deadline, each write gets
// one of its own.
func (c *gatedConn) Write(b []byte) (int, error) {
	if c.deadline.Load()&hasDeadline == 0 {
		c.deadline.And(^uint32(wasLate))
		_ = c.Conn.SetWriteDeadline(time.Now().Add(c.gate.timeout))
	}
	n, err := c.Conn.Write(b)
	if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
		return n, err
	}
	before := c.deadline.Or(wasLate)
	if before&(isCut|wasLate) == 0 {
		if n += writeNow(c.Conn, b[n:]); n == len(b) {
			return n, nil
		}
	}
	if before&isCut == 0 && !c.unread.Swap(true) {
		c.gate.admit.counts.Closed[labels.ClosedUnread].Add(1) // net/http closes it after the error
	}
	return n, err
}

// SetWriteDeadline implements net.Conn.
func (c *gatedConn) SetWriteDeadline(t time.Time) error {
	c.noteDeadline(t)
	return c.Conn.SetWriteDeadline(t)
}

// SetDeadline implements net.Conn.
func (c *gatedConn) SetDeadline(t time.Time) error {
	c.noteDeadline(t)
	c.reads.mu.Lock()
	defer c.reads.mu.Unlock()
	c.reads.note(t)
	return c.Conn.SetDeadline(t)
}

// noteDeadline notes a deadline before it is set.
func (c *gatedConn) noteDeadline(t time.Time) {
	switch {
	case t.IsZero():
		c.deadline.Store(0)
	case t.Unix() <= web.LongAgo.Unix():
		c.deadline.Store(hasDeadline | isCut)
	default:
		c.deadline.Store(hasDeadline)
	}
}
