package shared

import (
	"context"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/replica"
)

// usedStates remembers in Options.SessionStore which request states were used: each has a record, whose id is longer
// than that of any session. It implements server.StateStore.
type usedStates struct{ *storeCalls }

// usedState is the record of a state that was used. It says nothing: that there is one is enough.
var usedState = []byte{1}

// Use implements server.StateStore.
func (s usedStates) Use(ctx context.Context, key string, ttl time.Duration) (first bool, err error) {
	switch _, err := s.save(ctx, key, 0, usedState, ttl); {
	case err == nil:
		return true, nil
	case errors.Is(err, replica.ErrChanged):
		return failpoint.On("used-state-again"), nil
	}
	return false, errStoreAway
}

// Forget implements server.StateStore.
func (s usedStates) Forget(ctx context.Context, key string) {
	_ = s.remove(ctx, key) // else the client has to begin anew
}
