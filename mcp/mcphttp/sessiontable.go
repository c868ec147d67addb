package mcphttp

import (
	"hash/maphash"
	"iter"
	"sync"
)

// sessionTable has sessions by their ids. It is locked in parts, and an entry costs half of one in a sync.Map. It is
// safe for concurrent use. Make one with newSessionTable.
type sessionTable struct {
	seed  maphash.Seed
	parts [64]struct {
		mu   sync.RWMutex
		byID map[string]*session
	}
}

func newSessionTable() *sessionTable { return &sessionTable{seed: maphash.MakeSeed()} }

// find returns the session with an id; nil if there is none.
func (t *sessionTable) find(id string) *session {
	p := &t.parts[maphash.String(t.seed, id)%uint64(len(t.parts))]
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.byID[id]
}

// add adds a session by its id. It is false if there is one with that id.
func (t *sessionTable) add(x *session) bool {
	p := &t.parts[maphash.String(t.seed, x.id)%uint64(len(t.parts))]
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byID[x.id] != nil {
		return false
	}
	if p.byID == nil {
		p.byID = make(map[string]*session)
	}
	p.byID[x.id] = x
	return true
}

// remove takes a session out. It does nothing if that is not there.
func (t *sessionTable) remove(x *session) {
	p := &t.parts[maphash.String(t.seed, x.id)%uint64(len(t.parts))]
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byID[x.id] != x {
		return
	}
	if delete(p.byID, x.id); len(p.byID) == 0 {
		p.byID = nil // a map does not shrink
	}
}

// all are the sessions, those that come or go meanwhile or not. No lock is held while they are used.
func (t *sessionTable) all() iter.Seq[*session] {
	return func(yield func(*session) bool) {
		for i := range t.parts {
			p := &t.parts[i]
			p.mu.RLock()
			list := make([]*session, 0, len(p.byID))
			for _, x := range p.byID {
				list = append(list, x)
			}
			p.mu.RUnlock()
			for _, x := range list {
				if !yield(x) {
					return
				}
			}
		}
	}
}
