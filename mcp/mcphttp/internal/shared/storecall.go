package shared

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/replica"
)

const (
	// storeTimeout is how long one call of Options.SessionStore may take.
	storeTimeout = 2 * time.Second
	// maxStoreCalls is how many calls of the store are under way at most. Further calls wait for a place, within their
	// storeTimeout.
	maxStoreCalls = 256
)

var (
	errStoreLate  = errors.New("Options.SessionStore takes too long")
	errStorePanic = errors.New("Options.SessionStore has panicked, or ended its goroutine")
)

// storeCalls calls a store that may hang, panic, or ignore the end of a context. A caller waits no longer than
// storeTimeout, and at most maxStoreCalls calls may be unfinished.
type storeCalls struct {
	store  replica.SessionStore
	places chan struct{}
	fails  func(error) // called with the error of a store that is not available
}

// stored is the result of a call of the store.
type stored struct {
	sealed  []byte
	version uint64
	err     error
}

func (c *storeCalls) load(ctx context.Context, id string) ([]byte, uint64, error) {
	s := c.call(ctx, func(ctx context.Context) (s stored) {
		s.sealed, s.version, s.err = c.store.Load(ctx, id)
		return s
	})
	return s.sealed, s.version, s.err
}

func (c *storeCalls) save(ctx context.Context, id string, version uint64, sealed []byte, ttl time.Duration,
) (uint64, error) {
	s := c.call(ctx, func(ctx context.Context) (s stored) {
		s.version, s.err = c.store.Save(ctx, id, version, sealed, ttl)
		return s
	})
	return s.version, s.err
}

func (c *storeCalls) remove(ctx context.Context, id string) error {
	return c.call(ctx, func(ctx context.Context) stored { return stored{err: c.store.Delete(ctx, id)} }).err
}

// call runs f on a goroutine of its own, and returns the result. After storeTimeout it returns errStoreLate instead,
// and f may go on. The end of ctx does not end f.
func (c *storeCalls) call(ctx context.Context, f func(context.Context) stored) stored {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	select {
	case c.places <- struct{}{}:
	case <-ctx.Done():
		c.fails(errStoreLate)
		return stored{err: errStoreLate}
	}
	done := make(chan stored, 1)
	go func() {
		s := stored{err: errStorePanic}
		defer func() {
			<-c.places
			if p := recover(); p != nil {
				c.fails(errors.New("panic in Options.SessionStore: " + string(debug.Stack())))
			}
			done <- s
		}()
		s = f(ctx)
	}()
	var s stored
	select {
	case s = <-done:
	case <-ctx.Done():
		s.err = errStoreLate
	}
	if s.err != nil && !errors.Is(s.err, replica.ErrNotFound) && !errors.Is(s.err, replica.ErrChanged) {
		c.fails(s.err)
	}
	return s
}

// usedStates remembers in Options.SessionStore which request states were used. Each has a record. The id of such a
// record cannot be that of a session, because it is longer. It implements access.StateStore.
type usedStates struct{ *storeCalls }

// usedState is the record of a state that was used. Its content means nothing; only its existence counts.
var usedState = []byte{1}

// Use implements access.StateStore.
func (s usedStates) Use(ctx context.Context, key string, ttl time.Duration) (first bool, err error) {
	switch _, err := s.save(ctx, key, 0, usedState, ttl); {
	case err == nil:
		return true, nil
	case errors.Is(err, replica.ErrChanged):
		return failpoint.On("used-state-again"), nil
	}
	return false, errStoreAway
}

// Forget implements access.StateStore.
func (s usedStates) Forget(ctx context.Context, key string) {
	_ = s.remove(ctx, key) // else the client has to begin anew
}
