package pubsub

import (
	"sync"

	"github.com/mcpgen/mcpgen/mcp/internal/fair"
)

// countKind says what is counted, for each client and for all clients together.
type countKind int

const (
	countSubscriptions countKind = iota // to all topics except lists
	countWatched                        // subscriptions whose topic is watched; several may share a watcher
	countWatchers                       // counted only for all clients together
	countKinds
)

// clientPart bounds the share of a client: it has at most 1/clientPart of the limit for all clients together.
const clientPart = 4

// shares counts the subscriptions and watchers of each client, and of all clients together. It is safe for concurrent
// use. Its lock may be taken while any other lock is held.
type shares struct {
	all, each [countKinds]int // the limits; 0 means no limit

	mu      sync.Mutex
	total   [countKinds]int
	clients map[string]*[countKinds]int // without clients that have nothing
	refused [countKinds]int64
}

// bound sets the limits for subscriptions and watchers of all clients together.
func (s *shares) bound(subscriptions, watchers int) {
	s.clients = make(map[string]*[countKinds]int)
	s.all = [countKinds]int{countSubscriptions: subscriptions, countWatchers: watchers}
	s.each = [countKinds]int{countSubscriptions: perClient(subscriptions), countWatched: perClient(watchers)}
}

// perClient returns the limit for one client. limit is that for all clients together; 0 means no limit for both.
func perClient(limit int) int {
	if limit == 0 {
		return 0
	}
	return max(1, limit/clientPart)
}

// take counts n more for a client and returns true. If these exceed the limit of the client or of all clients together,
// it counts a refusal and returns false. The client "" has no limit of its own; it is the only client of a process on
// stdio.
func (s *shares) take(client string, kind countKind, n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.hasRoomLocked(client, kind, kind, n) {
		s.refused[kind] += int64(n)
		return false
	}
	s.addLocked(client, kind, n)
	return true
}

// watch is take for one watched subscription. opens says that the subscription needs a new watcher. The share of a
// client in the watchers is the number of its watched subscriptions.
func (s *shares) watch(client string, opens bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := countWatched
	if opens {
		of = countWatchers
	}
	if !s.hasRoomLocked(client, countWatched, of, 1) {
		s.refused[countWatched]++
		return false
	}
	s.addLocked(client, countWatched, 1)
	if opens {
		s.total[countWatchers]++
	}
	return true
}

// hasRoomLocked reports whether a client may have n more of kind. The limit and the count for all clients together are
// those of total, which may be another kind. n at once are judged like n requests for one.
func (s *shares) hasRoomLocked(client string, kind, total countKind, n int) bool {
	has := n
	if c := s.clients[client]; c != nil {
		has += c[kind]
	}
	most, left := s.all[total], s.all[total]-s.total[total]
	if most > 0 && n > left {
		return false
	}
	if client == "" {
		return true
	}
	scarce := most > 0 && has > 1 && fair.Scarce(int64(has), int64(left-n+1), int64(most/fair.Newcomers))
	return !scarce && (s.each[kind] == 0 || has <= s.each[kind])
}

// addLocked counts n more of kind for a client and in total.
func (s *shares) addLocked(client string, kind countKind, n int) {
	s.total[kind] += n
	if client == "" {
		return
	}
	c := s.clients[client]
	if c == nil {
		c = new([countKinds]int)
		s.clients[client] = c
	}
	c[kind] += n
}

// give takes n off the counts, as the reverse of take.
func (s *shares) give(client string, kind countKind, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total[kind] -= n
	c := s.clients[client]
	if c == nil {
		return
	}
	c[kind] -= n
	if *c == [countKinds]int{} {
		delete(s.clients, client)
	}
}

// inAll returns the count for all clients together.
func (s *shares) inAll(kind countKind) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int64(s.total[kind])
}

// refuse counts n refusals that were not made by take.
func (s *shares) refuse(kind countKind, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused[kind] += int64(n)
}

// refusals returns the number of refusals of a kind since the hub was made.
func (s *shares) refusals(kind countKind) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused[kind]
}
