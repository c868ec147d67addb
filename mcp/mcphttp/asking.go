package mcphttp

import (
	"context"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
)

// asking is one call of Options.Authenticate, and the context that it gets: that of the request with a deadline. Nearly
// all calls look up a token and return, so the timer is made only if somebody waits for the context to end.
type asking struct {
	context.Context // of the request
	client          *limits.Usage
	deadline        time.Time

	mu     sync.Mutex
	timed  context.Context // with the deadline; nil until it is needed
	cancel context.CancelFunc
	over   bool // the call has returned, or the request was answered before
}

// answer calls respond, which answers the request, unless the call of Options.Authenticate has returned. It reports
// whether it has called respond.
func (x *asking) answer(respond func()) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return false
	}
	x.over = true
	respond()
	return true
}

// end notes that the call has returned. It returns false if the request was answered before.
func (x *asking) end() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	before := x.over
	if x.over = true; x.timed != nil {
		x.cancel()
	}
	return !before
}

// limited returns the context with the deadline.
func (x *asking) limited() context.Context {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.timed == nil {
		x.timed, x.cancel = context.WithDeadline(x.Context, x.deadline)
		if x.over {
			x.cancel()
		}
	}
	return x.timed
}

// Deadline implements [context.Context].
func (x *asking) Deadline() (time.Time, bool) { return x.limited().Deadline() }

// Done implements [context.Context].
func (x *asking) Done() <-chan struct{} { return x.limited().Done() }

// Err implements [context.Context].
func (x *asking) Err() error { return x.limited().Err() }

// Value implements [context.Context].
func (x *asking) Value(key any) any {
	if key == any(clientKey{}) {
		return x.client
	}
	return x.Context.Value(key)
}

// AfterFunc calls f when the context has ended. Package context uses it to derive contexts without a goroutine.
func (x *asking) AfterFunc(f func()) (stop func() bool) { return context.AfterFunc(x.limited(), f) }
