package auth

import (
	"crypto/sha256"
	"sync"
	"time"
)

// cache keeps values by the hashes of secrets until they expire, and of too many those that were used last. It is
// safe for concurrent use.
type cache[T any] struct {
	max int

	mu         sync.Mutex
	young, old map[[sha256.Size]byte]cached[T] // old is what young was when it had half of max
}

type cached[T any] struct {
	value T
	until time.Time
}

func newCache[T any](most int) *cache[T] { return &cache[T]{max: most} }

// get returns what was put for the secret.
func (c *cache[T]) get(key [sha256.Size]byte) (value T, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.young[key]
	if !ok {
		if e, ok = c.old[key]; ok {
			c.putLocked(key, e)
		}
	}
	if !ok || !time.Now().Before(e.until) {
		return value, false
	}
	return e.value, true
}

// put keeps a value until a time.
func (c *cache[T]) put(key [sha256.Size]byte, value T, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.putLocked(key, cached[T]{value, until})
}

func (c *cache[T]) putLocked(key [sha256.Size]byte, e cached[T]) {
	if len(c.young) >= c.max/2 || c.young == nil {
		c.old, c.young = c.young, make(map[[sha256.Size]byte]cached[T])
	}
	c.young[key] = e
}
