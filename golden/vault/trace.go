package vault

import (
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
)

// Tracer counts what runs, and can close the vault.
type Tracer struct {
	mu     sync.Mutex
	counts map[string]int
	closed bool
}

var _ VaultMiddleware = (*Tracer)(nil)

// Trace runs around everything.
func (t *Tracer) Trace(c *mcp.Call, p mcp.Params, next mcp.Next) (mcp.Result, error) {
	t.mu.Lock()
	closed := t.closed
	t.mu.Unlock()
	if closed {
		return nil, mcp.Errorf("closed for today")
	}
	r, err := next(c, p)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts = map[string]int{}
	}
	t.counts[c.Target()]++
	return r, err
}

// Close makes everything fail until the end of the day.
func (t *Tracer) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
}

// Count is how often the target has run to its end.
func (t *Tracer) Count(target string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.counts[target]
}
