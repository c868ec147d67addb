package pubsub

import (
	"sync"

	"github.com/mcpgen/mcpgen/mcp/internal/fair"
)

// countKind is a kind of thing that is counted, for each client and in all.
type countKind int

const (
	countSubscriptions countKind = iota // to resources
	countWatched                        // subscriptions whose topic is watched; several may share a watcher
	countWatchers                       // only counted in all, not for a client
	countKinds
)

// clientPart bounds the share of a client: it may have at most one in clientPart of all.
const clientPart = 4

// shares counts what each client has, and all together. It is safe for concurrent use. Its lock may be taken while any
// other lock is held.
type shares struct {
	all, each [countKinds]int // the most; 0 means no bound

	mu      sync.Mutex
	total   [countKinds]int
	clients map[string]*[countKinds]int // none is without anything
	refused [countKinds]int64
}

// bound sets the limits for subscriptions and watchers of all clients together.
func (s *shares) bound(subscriptions, watchers int) {
	s.clients = make(map[string]*[countKinds]int)
	s.all = [countKinds]int{countSubscriptions: subscriptions, countWatchers: watchers}
	s.each = [countKinds]int{countSubscriptions: perClient(subscriptions), countWatched: perClient(watchers)}
}

// perClient returns how many one client may have, if most is the limit of all clients together.
func perClient(most int) int {
	if most == 0 {
		return 0
	}
	return max(1, most/clientPart)
}

// take counts n more for a client. If that is too many for all clients together or for this one, it counts nothing and
// returns false. The client "" has no limit of its own, such as the only client of a process on stdio.
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

// watch is take for a subscription that is watched. opens says that it needs a new watcher. The share of a client in
// the watchers is counted by its watched subscriptions.
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

// hasRoomLocked reports whether a client may have n more of kind. The parameter of is the kind whose limit and count
// for all clients together apply; it may differ from kind. A request for n at once is judged like n requests for one.
func (s *shares) hasRoomLocked(client string, kind, of countKind, n int) bool {
	has := n
	if c := s.clients[client]; c != nil {
		has += c[kind]
	}
	most, left := s.all[of], s.all[of]-s.total[of]
	if most > 0 && n > left {
		return false
	}
	if client == "" {
		return true
	}
	scarce := most > 0 && has > 1 && fair.Scarce(int64(has), int64(left-n+1), int64(most/fair.Newcomers))
	return !scarce && (s.each[kind] == 0 || has <= s.each[kind])
}

// addLocked counts n more for a client and in all.
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

// give undoes take.
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

// inAll returns how many all clients together have.
func (s *shares) inAll(kind countKind) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int64(s.total[kind])
}

// refuse counts refusals that take did not decide.
func (s *shares) refuse(kind countKind, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused[kind] += int64(n)
}

// refusals returns how many of a kind were refused since the hub was made.
func (s *shares) refusals(kind countKind) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused[kind]
}
