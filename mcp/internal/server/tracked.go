package server

import (
	"hash/maphash"
	"sync"
)

// tracked is what a transport has opened by [Server.Exchange] or [Server.NewSession], and what ends with the server.
type tracked interface {
	// shutDown ends it because the server closes. Requests may go on for as long as [Options.Grace] says; nobody waits
	// for them afterwards.
	shutDown()
}

// trackedTable holds what is open. It has shards with a lock each, so that requests do not wait for each other. The
// zero value is ready to use.
type trackedTable struct {
	shards [16]trackedShard
}

type trackedShard struct {
	mu     sync.Mutex
	all    map[tracked]struct{}
	closed bool
	_      [40]byte // shards are in different cache lines
}

var trackedSeed = maphash.MakeSeed()

func (t *trackedTable) shard(x tracked) *trackedShard {
	return &t.shards[maphash.Comparable(trackedSeed, x)%uint64(len(t.shards))]
}

// close makes the table refuse what comes from now on, and returns what is in it.
func (t *trackedTable) close() (all []tracked) {
	for i := range t.shards {
		p := &t.shards[i]
		p.mu.Lock()
		p.closed = true
		for x := range p.all {
			all = append(all, x)
		}
		p.mu.Unlock()
	}
	return all
}

// track enters t into what ends with the server. It is false if the server is closed.
func (s *Server) track(t tracked) bool {
	p := s.tracked.shard(t)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	s.open()
	if p.all == nil {
		p.all = make(map[tracked]struct{})
	}
	p.all[t] = struct{}{}
	s.serves.Add(1)
	if _, ok := t.(*Session); ok {
		s.shared.Counts.Sessions.Add(1)
	}
	return true
}

// untrack takes t out again. It does nothing the second time.
func (s *Server) untrack(t tracked) {
	p := s.tracked.shard(t)
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.all[t]; ok {
		delete(p.all, t)
		s.serves.Done()
		if _, ok := t.(*Session); ok {
			s.shared.Counts.Sessions.Add(-1)
		}
	}
}
