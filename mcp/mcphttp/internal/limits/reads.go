package limits

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

// readDeadline is what a connection knows of its deadline for reads.
type readDeadline struct {
	mu    sync.Mutex
	again time.Duration // how long it lasts if it begins anew; 0 if it may not, because it has done so or is not set
}

// Read implements net.Conn. Once bytes of a request were read, its connection is not closed to make room for another
// one, for as long as a header may take.
func (c *gatedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n == 0 && errors.Is(err, os.ErrDeadlineExceeded) {
		if n = c.readLate(b); n > 0 {
			err = nil
		}
	}
	if n > 0 && !c.shared.Load() {
		c.framing.saw(b[:n], len(b))
		if at := c.waiting.Load(); at > 0 && !c.change(-time.Now().UnixNano()) || at == closing {
			return 0, net.ErrClosed
		}
	}
	return n, err
}

// readLate is called after a deadline has passed, and reads bytes that came before it. A deadline is for a slow client.
// If it passes while the process does not run, because it was stopped or others use the processors, a read fails
// although the client was in time. Then the deadline begins once more, one time for each that the server sets: the rest
// may be on its way.
func (c *gatedConn) readLate(b []byte) (n int) {
	c.reads.mu.Lock()
	defer c.reads.mu.Unlock()
	if c.reads.again <= 0 {
		return 0
	}
	if n = readNow(c.Conn, b); n > 0 {
		_ = c.Conn.SetReadDeadline(time.Now().Add(c.reads.again))
		c.reads.again = 0
	}
	return n
}

// SetReadDeadline implements net.Conn. A deadline in the past ends the read under way, as net/http wants it.
func (c *gatedConn) SetReadDeadline(t time.Time) error {
	c.reads.mu.Lock()
	defer c.reads.mu.Unlock()
	c.reads.note(t)
	return c.Conn.SetReadDeadline(t)
}

// note notes a deadline that is set; mu is held.
func (r *readDeadline) note(t time.Time) {
	r.again = 0
	if !t.IsZero() {
		r.again = max(time.Until(t), 0)
	}
}
