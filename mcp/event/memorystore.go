package event

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

var _ Store = (*MemoryStore)(nil)

// MemoryStore is a [Store] in the memory of one process. Nothing is durable. Servers of one process that share it
// behave like replicas of one server. The zero value is ready to use; it must not be copied after the first use.
type MemoryStore struct {
	mu      sync.Mutex
	held    map[string]Stored
	changes []memoryChange // in the order of versions; some are not the last ones of their subscriptions
	live    map[string]int // the number of live subscriptions of each principal
	all     int            // the number of live subscriptions
	version uint64
	leases  map[string]Lease
}

// memoryChange is a change of a subscription.
type memoryChange struct {
	version uint64
	id      string
}

// Put implements [Store].
func (m *MemoryStore) Put(ctx context.Context, s *Subscription, p *Progress, limits SubscriptionLimits) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	old, found := m.held[s.ID]
	var version uint64
	wasLive := false
	if found {
		version, wasLive = old.Subscription.Version, old.Subscription.State == Live
	}
	if version != s.Version {
		return ErrChanged
	}
	if s.State == Live && !wasLive {
		if err := limits.Check(m.live[s.Principal], m.all); err != nil {
			return err
		}
	}
	m.version++
	s.Version = m.version
	if p != nil {
		s.Birth, p.Birth, p.ID = s.Version, s.Version, s.ID
		old.Progress = p.Clone()
	}
	if m.held == nil {
		m.held, m.live = make(map[string]Stored), make(map[string]int)
	}
	m.countLocked(old.Subscription, -1)
	m.countLocked(s, 1)
	m.held[s.ID] = Stored{Subscription: s.Clone(), Progress: old.Progress}
	m.changes = append(m.changes, memoryChange{s.Version, s.ID})
	if len(m.changes) > 2*len(m.held)+64 {
		m.changes = slices.DeleteFunc(m.changes, func(c memoryChange) bool { return !m.isLastLocked(c) })
	}
	return nil
}

// isLastLocked reports whether c is the newest change of its subscription, which is still stored.
func (m *MemoryStore) isLastLocked(c memoryChange) bool {
	s, found := m.held[c.id]
	return found && s.Subscription.Version == c.version
}

func (m *MemoryStore) countLocked(s *Subscription, n int) {
	if s == nil || s.State != Live {
		return
	}
	m.all += n
	if m.live[s.Principal] += n; m.live[s.Principal] == 0 {
		delete(m.live, s.Principal)
	}
}

// Get implements [Store].
func (m *MemoryStore) Get(ctx context.Context, id string) (*Subscription, *Progress, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s, found := m.held[id]
	if !found {
		return nil, nil, ErrNoSubscription
	}
	return s.Subscription.Clone(), s.Progress.Clone(), nil
}

// Save implements [Store].
func (m *MemoryStore) Save(ctx context.Context, progress []*Progress) (refused []string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range progress {
		if s, found := m.held[p.ID]; found && s.Progress.Birth == p.Birth && s.Progress.Fence <= p.Fence {
			m.held[p.ID] = Stored{Subscription: s.Subscription, Progress: p.Clone()}
		} else {
			refused = append(refused, p.ID)
		}
	}
	return refused, nil
}

// Changed implements [Store].
func (m *MemoryStore) Changed(ctx context.Context, shards []int, after uint64, limit int) ([]Stored, error) {
	return m.collect(ctx, limit, func() (ids []string) {
		i, _ := slices.BinarySearchFunc(m.changes, after+1, func(c memoryChange, version uint64) int {
			return cmp.Compare(c.version, version)
		})
		for _, c := range m.changes[i:] {
			if len(ids) >= limit {
				break
			}
			if m.isLastLocked(c) && slices.Contains(shards, m.held[c.id].Subscription.Shard) {
				ids = append(ids, c.id)
			}
		}
		return ids
	})
}

// List implements [Store].
func (m *MemoryStore) List(ctx context.Context, principal, after string, limit int) ([]Stored, error) {
	return m.collect(ctx, limit, func() (ids []string) {
		for id, s := range m.held {
			if id > after && (principal == "" || s.Subscription.Principal == principal) {
				ids = append(ids, id)
			}
		}
		slices.Sort(ids)
		return ids
	})
}

// collect returns the subscriptions with the ids that find returns, at most limit of them. It calls find with m.mu
// held.
func (m *MemoryStore) collect(ctx context.Context, limit int, find func() []string) ([]Stored, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	ids := find()
	var out []Stored
	for _, id := range ids[:min(len(ids), max(limit, 0))] {
		s := m.held[id]
		out = append(out, Stored{Subscription: s.Subscription.Clone(), Progress: s.Progress.Clone()})
	}
	return out, nil
}

// Expire implements [Store].
func (m *MemoryStore) Expire(ctx context.Context, now time.Time, limit int) (removed int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, s := range m.held {
		if removed >= limit {
			break
		}
		if s.Subscription.Expired(now) {
			m.countLocked(s.Subscription, -1)
			delete(m.held, id)
			removed++
		}
	}
	return removed, nil
}

// Leases implements [Store].
func (m *MemoryStore) Leases(ctx context.Context) (out []Lease, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.leases {
		out = append(out, l)
	}
	return out, nil
}

// Take implements [Store].
func (m *MemoryStore) Take(ctx context.Context, leases []Lease) (taken []Lease, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.leases == nil {
		m.leases = make(map[string]Lease)
	}
	for _, l := range leases {
		if m.leases[l.Name].Beat == l.Beat {
			l.Beat++
			m.leases[l.Name] = l
			taken = append(taken, l)
		}
	}
	return taken, nil
}

// Lasting implements [Store]: it is false.
func (m *MemoryStore) Lasting() bool { return false }
