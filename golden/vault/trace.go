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
func (t *Tracer) Trace(c *mcp.Call, next func() error) error {
	t.mu.Lock()
	closed := t.closed
	t.mu.Unlock()
	if closed {
		return mcp.Errorf("closed for today")
	}
	err := next()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts = map[string]int{}
	}
	t.counts[c.Target()]++
	return err
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
