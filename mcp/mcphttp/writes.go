package mcphttp

import (
	"errors"
	"os"
	"time"

	"github.com/mcpgen/mcpgen/mcp/stats"
)

// What gatedConn.deadline knows.
const (
	hasDeadline = 1 << iota // the server has set one
	isCut                   // it is over already: the server does not want to write
	wasLate                 // it has passed, and a write was tried again
)

// lateWrite is how long a write may take that is tried again. A connection with room takes it at once.
const lateWrite = 100 * time.Millisecond

// Write implements net.Conn. A deadline says how long a client may take. If it passes while the process does not run,
// because it was stopped or others use the processors, a write fails that nobody has tried yet, on a connection whose
// client reads everything. So one that was late is tried again, once for each deadline.
func (c *gatedConn) Write(b []byte) (int, error) {
	if c.deadline.Load()&hasDeadline == 0 {
		c.deadline.And(^uint32(wasLate))
		_ = c.Conn.SetWriteDeadline(time.Now().Add(c.gate.timeout))
	}
	n, err := c.Conn.Write(b)
	if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
		return n, err
	}
	if c.deadline.Or(wasLate)&(isCut|wasLate) == 0 {
		var m int
		m, err = c.writeLate(b[n:])
		n += m
	}
	if err != nil && c.deadline.Load()&isCut == 0 && !c.unread.Swap(true) {
		c.gate.admit.counts.Closed[stats.ClosedUnread].Add(1) // net/http closes it
	}
	return n, err
}

// writeLate writes what the connection takes soon.
func (c *gatedConn) writeLate(b []byte) (int, error) {
	_ = c.Conn.SetWriteDeadline(time.Now().Add(lateWrite))
	if c.deadline.Load()&isCut != 0 { // meanwhile
		_ = c.Conn.SetWriteDeadline(longAgo)
	}
	return c.Conn.Write(b)
}

// longAgo is a deadline that ends the write under way.
var longAgo = time.Unix(1, 0)

// SetWriteDeadline implements net.Conn.
func (c *gatedConn) SetWriteDeadline(t time.Time) error {
	c.noteDeadline(t)
	return c.Conn.SetWriteDeadline(t)
}

// SetDeadline implements net.Conn.
func (c *gatedConn) SetDeadline(t time.Time) error {
	c.noteDeadline(t)
	return c.Conn.SetDeadline(t)
}

// noteDeadline notes a deadline before it is set.
func (c *gatedConn) noteDeadline(t time.Time) {
	switch {
	case t.IsZero():
		c.deadline.Store(0)
	case t.Unix() <= longAgo.Unix():
		c.deadline.Store(hasDeadline | isCut)
	default:
		c.deadline.Store(hasDeadline)
	}
}
