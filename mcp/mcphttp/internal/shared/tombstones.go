package shared

import (
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/sessions"
)

// maxTombstones is how many ended sessions one of the two halves of tombstones remembers.
const maxTombstones = 32 << 10

// tombstones remember the sessions that clients have ended, so that no process goes on with them as long as their
// ids are valid. They take 3 MB at most: beyond that the oldest half is forgotten. A session that is forgotten too
// early can be used again by the user who has ended it, and has no subscriptions. The zero value has none.
type tombstones struct {
	mu       sync.Mutex
	new, old map[sessions.Key]struct{}
	since    time.Time // of new
}

// add remembers that a session has ended. It returns false if ids that are still valid were forgotten for it.
func (t *tombstones) add(k sessions.Key, now time.Time, lifetime time.Duration) (kept bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept = true
	if age := now.Sub(t.since); age >= lifetime || len(t.new) >= maxTombstones {
		kept = age >= lifetime || len(t.old) == 0
		t.old, t.new, t.since = t.new, make(map[sessions.Key]struct{}), now
	}
	t.new[k] = struct{}{}
	return kept
}

// has reports whether a session has ended.
func (t *tombstones) has(k sessions.Key) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, fresh := t.new[k]
	_, known := t.old[k]
	return fresh || known
}
