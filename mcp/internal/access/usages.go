package access

import (
	"fmt"
	"maps"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/internal/ratelimit"
)

// Usages counts the calls of the features of a server, so that the limits of their guards can be applied. Take is safe
// for concurrent use, also while SetAdded is called. The other methods must not be called concurrently.
type Usages struct {
	// Share returns the part of this replica in a rate that holds for all replicas; nil if rates hold for this process.
	Share func(ratelimit.Rate) ratelimit.Rate
	// Refused counts the refused calls.
	Refused *[labels.NumRefusals]atomic.Int64

	declared, added map[*Guard]*ratelimit.Limiter
	all             atomic.Pointer[map[*Guard]*ratelimit.Limiter] // both; a map is not changed once it is here
}

// Declare makes u count the calls of the features with these guards. u keeps the map.
func (u *Usages) Declare(declared map[*Guard]*ratelimit.Limiter) {
	u.declared = declared
	u.all.Store(&declared) // without SetAdded, which servers without AddTool do not link
}

// SetAdded makes u count the calls of these guards besides the declared ones, in place of those of the last call. u
// keeps the map.
func (u *Usages) SetAdded(added map[*Guard]*ratelimit.Limiter) {
	u.added = added
	all := u.declared
	if len(added) > 0 {
		all = maps.Clone(u.declared)
		maps.Copy(all, added)
	}
	u.all.Store(&all)
}

// CountWith makes u share the counters of other: a limit of a feature holds for the calls of both servers together. It
// must be called before Take.
func (u *Usages) CountWith(other *Usages) {
	u.declared = maps.Clone(u.declared)
	maps.Copy(u.declared, *other.all.Load())
	u.SetAdded(u.added)
}

// Take counts a call of a feature that g guards. If a limit is exceeded, it returns the error of the response.
// Otherwise the caller must call Leave of the limiter when the call has ended, unless the limiter is nil.
func (u *Usages) Take(g *Guard, c *call.Call) (*ratelimit.Limiter, error) {
	if !g.Counts() {
		return nil, nil
	}
	l, used := &g.Limit, (*u.all.Load())[g]
	if used == nil {
		return nil, nil // the guard of a tool that was just removed
	}
	run := c.Task()
	if l.Rate > 0 && run == nil { // a task was counted when it was created
		rate := ratelimit.Rate{Calls: l.Rate, Burst: l.Burst, Per: l.Per}
		if u.Share != nil {
			rate = u.Share(rate)
		}
		if wait := used.Take(l.KeyOf(c), rate, time.Now()); wait > 0 {
			u.Refused[labels.RefusedRate].Add(1)
			return nil, tooOften(c, wait)
		}
	}
	if !used.Enter(l.Concurrency) {
		if run != nil {
			run.Busy()
		}
		u.Refused[labels.RefusedConcurrency].Add(1)
		text := fmt.Sprintf("too many calls at the same time, at most %d: try again later", l.Concurrency)
		return nil, call.LimitError(c, text, 0)
	}
	return used, nil
}
