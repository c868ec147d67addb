package attack

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// drops counts the requests of clients that drop their connections. What a server has not read when a connection breaks
// is lost, so that a client must not leave before its request has begun. Each of these clients sends one.
type drops struct {
	sent    atomic.Int64
	refused atomic.Int64 // which do not begin

	before int64 // calls that have begun before

	mu    sync.Mutex
	asked time.Time // when the server was asked last
	begun int64     // what it has said
}

// start begins to count, for a group of clients.
func (d *drops) start(ctx context.Context, p *Process) {
	d.sent.Store(0)
	d.refused.Store(0)
	d.before = d.count(ctx, p)
}

// longest bounds how long a client waits, for servers that refuse without a word.
const longest = 10 * time.Second

// await waits until the request of a client has a response, or all that were sent so far have begun.
func (d *drops) await(ctx context.Context, r *run, c *conn) {
	if !r.own {
		return // it does not say
	}
	for late := time.Now().Add(longest); time.Now().Before(late) && ctx.Err() == nil; time.Sleep(5 * time.Millisecond) {
		_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
		_, err := c.r.Peek(1)
		_ = c.SetReadDeadline(late)
		if err == nil {
			kind, _, _ := c.read(FirstEvent)
			if !strings.HasPrefix(kind, "200") || strings.Contains(kind, "-") {
				d.refused.Add(1)
			}
			return
		}
		if ended(err) == "closed" {
			d.refused.Add(1)
			return
		}
		if n := d.count(ctx, r.proc); n-d.before+d.refused.Load() >= d.sent.Load() {
			return
		}
	}
}

// count returns how many requests have begun, as the server said not long ago.
func (d *drops) count(ctx context.Context, p *Process) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if time.Since(d.asked) > 5*time.Millisecond {
		if n, err := p.begun(ctx); err == nil {
			d.begun = n
		}
		d.asked = time.Now()
	}
	return d.begun
}

// begun asks the server how many calls have begun that may wait.
func (s *Process) begun(ctx context.Context) (n int64, err error) {
	text, err := s.get(ctx, "/begun", longest)
	if err == nil {
		_, err = fmt.Sscan(string(text), &n)
	}
	return n, err
}
