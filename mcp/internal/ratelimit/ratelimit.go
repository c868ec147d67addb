// Package ratelimit limits the rate of calls for each of many keys, and the number of calls that run at the same time.
//
// Calls with the same [Key] count together.
package ratelimit

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// MaxKeys is how many keys a [Limiter] remembers. Beyond that it forgets the key that has not called for the longest
// time; this key may then make as many calls as a new one.
const MaxKeys = 10_000

// Key identifies the caller whose calls a rate counts together. The zero Key counts the calls of all callers.
type Key struct {
	Conn    uint64   // number of a connection
	Subject string   // name of a caller
	Addr    [16]byte // address of a client
}

// Rate is how many calls a key may make: Calls in each time Per, and at most Burst of them at once. Burst 0 means
// Calls. Calls and Per must be positive.
type Rate struct {
	Calls, Burst int
	Per          time.Duration
}

// Limiter counts calls. Its zero value has counted none, and it is safe for concurrent use.
type Limiter struct {
	running atomic.Int64

	mu      sync.Mutex
	buckets map[Key]*bucket
	head    *bucket // called last
	tail    *bucket
}

// bucket says how many calls a key may still make.
type bucket struct {
	key        Key
	tokens     float64
	at         time.Time
	prev, next *bucket
}

// Enter counts a call as running until Leave, and returns true. If limit calls are already running, it counts nothing
// and returns false. A limit of 0 means no limit.
func (l *Limiter) Enter(limit int) bool {
	if n := l.running.Add(1); limit > 0 && n > int64(limit) {
		l.running.Add(-1)
		return false
	}
	return true
}

// Leave ends a running call for which Enter has returned true.
func (l *Limiter) Leave() { l.running.Add(-1) }

// Take counts a call of key and returns 0. If the call exceeds the rate r, Take counts nothing and returns how long key
// has to wait. The parameter now is the current time.
func (l *Limiter) Take(key Key, r Rate, now time.Time) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	burst := float64(r.Burst)
	if r.Burst <= 0 {
		burst = float64(r.Calls)
	}
	b := l.bucketLocked(key, burst, now)
	perCall := float64(r.Per) / float64(r.Calls)
	b.tokens = min(burst, b.tokens+float64(now.Sub(b.at))/perCall)
	b.at = now
	if b.tokens < 1 {
		return max(time.Duration(math.Ceil((1-b.tokens)*perCall)), 1)
	}
	b.tokens--
	return 0
}

// bucketLocked returns the bucket of key, and makes it the last one to be forgotten. A new key gets a bucket with full
// tokens.
func (l *Limiter) bucketLocked(key Key, full float64, now time.Time) *bucket {
	b := l.buckets[key]
	switch {
	case b != nil:
		l.unlinkLocked(b)
	case len(l.buckets) >= MaxKeys:
		b = l.tail
		l.unlinkLocked(b)
		delete(l.buckets, b.key)
		*b = bucket{key: key, tokens: full, at: now}
	default:
		b = &bucket{key: key, tokens: full, at: now}
	}
	if l.buckets == nil {
		l.buckets = make(map[Key]*bucket)
	}
	l.buckets[key] = b
	b.prev, b.next = nil, l.head
	if l.head != nil {
		l.head.prev = b
	} else {
		l.tail = b
	}
	l.head = b
	return b
}

func (l *Limiter) unlinkLocked(b *bucket) {
	if b.prev != nil {
		b.prev.next = b.next
	} else {
		l.head = b.next
	}
	if b.next != nil {
		b.next.prev = b.prev
	} else {
		l.tail = b.prev
	}
}
