package pubsub

import "sync"

// countKind is one of the things that are counted for each client and in all.
type countKind int

const (
	countSubscriptions countKind = iota // to resources
	countWatched                        // subscriptions whose topic is watched; several may share a watcher
	countWatchers                       // these are nobody's
	countKinds
)

// clientPart is the part of what there is in all that one client may have: one in clientPart.
const clientPart = 4

// shares counts what clients have, each and together. It is safe for concurrent use, and its lock is taken with any
// other one held.
type shares struct {
	all, each [countKinds]int // the most; 0 means no bound

	mu      sync.Mutex
	total   [countKinds]int
	clients map[string]*[countKinds]int // none is without anything
	refused [countKinds]int64
}

// bound sets how many subscriptions and watchers there may be.
func (s *shares) bound(subscriptions, watchers int) {
	s.clients = make(map[string]*[countKinds]int)
	s.all = [countKinds]int{countSubscriptions: subscriptions, countWatchers: watchers}
	s.each = [countKinds]int{countSubscriptions: perClient(subscriptions), countWatched: perClient(watchers)}
}

// perClient is what one client may have of most.
func perClient(most int) int {
	if most == 0 {
		return 0
	}
	return max(1, most/clientPart)
}

// take counts n more for a client, and reports false if these are too many: for all clients together, or for this one.
// Nobody in particular has no name and no bound of its own, such as the only client of a process on stdio.
func (s *shares) take(client string, kind countKind, n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.clients[client]
	has := 0
	if c != nil {
		has = c[kind]
	}
	if beyond(s.total[kind]+n, s.all[kind]) || client != "" && beyond(has+n, s.each[kind]) {
		s.refused[kind] += int64(n)
		return false
	}
	if client != "" && c == nil {
		c = new([countKinds]int)
		s.clients[client] = c
	}
	if c != nil {
		c[kind] += n
	}
	s.total[kind] += n
	return true
}

func beyond(n, most int) bool { return most > 0 && n > most }

// give takes back what take has counted.
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

// refuse counts what was refused for another reason.
func (s *shares) refuse(kind countKind, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused[kind] += int64(n)
}

// refusals returns how many were refused since the hub was made.
func (s *shares) refusals(kinds ...countKind) (n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range kinds {
		n += s.refused[k]
	}
	return n
}
