package sessions

import (
	"hash/maphash"
	"iter"
	"sync"
)

// table has sessions by their ids. It is locked in parts; an entry takes half the memory of one in a sync.Map. It is
// safe for concurrent use. Make one with newTable.
type table struct {
	seed  maphash.Seed
	parts [64]struct {
		mu   sync.RWMutex
		byID map[string]*Session
	}
}

func newTable() *table { return &table{seed: maphash.MakeSeed()} }

// find returns the session with an id; nil if there is none.
func (t *table) find(id string) *Session {
	p := &t.parts[maphash.String(t.seed, id)%uint64(len(t.parts))]
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.byID[id]
}

// add adds a session by its id. It returns false if there is a session with that id.
func (t *table) add(x *Session) bool {
	p := &t.parts[maphash.String(t.seed, x.ID)%uint64(len(t.parts))]
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byID[x.ID] != nil {
		return false
	}
	if p.byID == nil {
		p.byID = make(map[string]*Session)
	}
	p.byID[x.ID] = x
	return true
}

// remove takes a session out. It does nothing if the table does not have that session.
func (t *table) remove(x *Session) {
	p := &t.parts[maphash.String(t.seed, x.ID)%uint64(len(t.parts))]
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byID[x.ID] != x {
		return
	}
	if delete(p.byID, x.ID); len(p.byID) == 0 {
		p.byID = nil // a map does not shrink
	}
}

// all returns the sessions. A session that is added or removed meanwhile may be among them or not. No lock is held
// while the loop body runs.
func (t *table) all() iter.Seq[*Session] {
	return func(yield func(*Session) bool) {
		for i := range t.parts {
			p := &t.parts[i]
			p.mu.RLock()
			list := make([]*Session, 0, len(p.byID))
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
