package access

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/ratelimit"
	"github.com/mcpgen/mcpgen/mcp/internal/seal"
)

// StateStore remembers which request states were used, for all replicas of a server. Its methods return after a few
// seconds at most.
type StateStore interface {
	// Use remembers key for ttl. first is false if the key was remembered already. An error is meant for the client: it is
	// not known whether key was used.
	Use(ctx context.Context, key string, ttl time.Duration) (first bool, err error)
	// Forget removes key, so that it can be used again. Errors are ignored.
	Forget(ctx context.Context, key string)
}

// How many states one replica gives to a StateStore within AskTimeout: in all, and of one client.
const (
	maxUsedStates       = 1 << 16
	maxUsedStatesClient = 1 << 10
)

// usedStates remembers request states, so that the last round of each is accepted once.
type usedStates struct {
	store       StateStore
	all, client ratelimit.Limiter
}

// UseOnce returns a function that marks a request state as used: of two calls with the same state one fails. giveBack,
// which may be nil, removes the mark: it is called if the handler asks the client once more. The error is for the
// client.
func UseOnce(store StateStore) func(c *call.Call, state string) (giveBack func(), err error) {
	return (&usedStates{store: store}).use
}

// use is described at [UseOnce].
func (u *usedStates) use(c *call.Call, state string) (giveBack func(), err error) {
	within, now := c.Request().Conn.Shared.AskTimeout, time.Now()
	client := (&Limit{By: ByUser}).KeyOf(c)
	wait := u.client.Take(client, ratelimit.Rate{Calls: maxUsedStatesClient, Per: within}, now)
	if wait == 0 {
		wait = u.all.Take(ratelimit.Key{}, ratelimit.Rate{Calls: maxUsedStates, Per: within}, now)
	}
	if wait > 0 {
		return nil, tooOften(c, wait)
	}
	key := seal.Name(state) // a state that could be opened has one spelling only
	first, err := u.store.Use(c, key, within+2*call.ClockSkew)
	if err == nil && !first {
		err = call.ErrState
	}
	if err != nil {
		return nil, err
	}
	return func() { u.store.Forget(c, key) }, nil
}
