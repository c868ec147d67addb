package task

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// defaultMaxBytes is what a Memory holds at most.
	defaultMaxBytes = 256 << 20
	// headroom is what a task may grow by without asking for more room.
	headroom = 4 << 10
)

var _ SelectiveStore = (*Memory)(nil)

// Memory is a [Store] in the memory of one process. Nothing is durable. Servers of one process that share it behave
// like replicas of one server. The zero value is ready to use; it must not be copied after the first use. Claim and
// Expire look at all records.
type Memory struct {
	// MaxBytes limits the bytes of all records together; 0 means 256 MiB. One principal has at most a quarter. What
	// exceeds them is [ErrFull]. A task that has not ended counts for at least 4 KiB more than it had when it was
	// created, so that it can be claimed and ended whatever others keep. MaxBytes must not be changed after the first
	// use.
	MaxBytes int64

	mu         sync.Mutex
	records    map[string]stored
	principals map[string]*holding
	bytes      int64
	version    uint64 // the last one that was given to a record of any id
}

// stored is a record as bytes, and what Memory looks for.
type stored struct {
	data      []byte
	size      int64 // what it counts for
	least     int64 // the least that it counts for until it has ended
	principal string
	version   uint64
	due       time.Time // when it becomes claimable; zero if it does not
	expires   time.Time
}

// holding is what one principal has.
type holding struct {
	bytes int64
	ids   []string // in the order of bytes
}

func (s *stored) record() (*Record, error) {
	r := &Record{Version: s.version}
	err := r.Decode(s.data)
	return r, err
}

// Create implements [Store].
func (m *Memory) Create(ctx context.Context, r *Record, limits Limits) error {
	data, err := m.encode(ctx, r)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, exists := m.records[r.ID]; exists {
		return ErrExists
	}
	has := m.principals[r.Principal]
	switch {
	case has != nil && len(has.ids) >= limits.PerPrincipal:
		return ErrPrincipalFull
	case len(m.records) >= limits.Total:
		return ErrFull
	}
	return m.putLocked(r, data)
}

// Get implements [Store].
func (m *Memory) Get(ctx context.Context, id string) (*Record, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	s, found := m.records[id]
	m.mu.Unlock()
	if !found {
		return nil, ErrNotFound
	}
	return s.record()
}

// Swap implements [Store].
func (m *Memory) Swap(ctx context.Context, r *Record) error {
	data, err := m.encode(ctx, r)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s, found := m.records[r.ID]
	switch {
	case !found:
		return ErrNotFound
	case s.version != r.Version:
		return ErrChanged
	case s.principal != r.Principal:
		return errors.New("task: the principal of a record never changes")
	}
	return m.putLocked(r, data)
}

// Claim implements [Store].
func (m *Memory) Claim(ctx context.Context, owner string, now, until time.Time) (*Record, error) {
	return m.ClaimExcept(ctx, owner, now, until, nil)
}

// ClaimExcept implements [SelectiveStore].
func (m *Memory) ClaimExcept(
	ctx context.Context, owner string, now, until time.Time, principals []string,
) (*Record, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	found := ""
	for id, s := range m.records {
		if s.due.IsZero() || now.Before(s.due) || !now.Before(s.expires) || slices.Contains(principals, s.principal) {
			continue
		}
		if found == "" || s.due.Before(m.records[found].due) || s.due.Equal(m.records[found].due) && id < found {
			found = id
		}
	}
	if found == "" {
		return nil, ErrNotFound
	}
	s := m.records[found]
	r, err := s.record()
	if err != nil {
		return nil, err
	}
	r.Lease(owner, until)
	data, err := r.Encode()
	if err != nil {
		return nil, err
	}
	if err := m.putLocked(r, data); err != nil {
		return nil, err
	}
	return r, nil
}

// List implements [Store].
func (m *Memory) List(ctx context.Context, principal, after string, limit int) ([]*Record, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var found []stored
	m.mu.Lock()
	if has := m.principals[principal]; has != nil {
		i, exact := slices.BinarySearch(has.ids, after)
		if exact {
			i++
		}
		for _, id := range has.ids[i:min(len(has.ids), i+max(limit, 0))] {
			found = append(found, m.records[id])
		}
	}
	m.mu.Unlock()
	out := make([]*Record, 0, len(found))
	for _, s := range found {
		r, err := s.record()
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// Expire implements [Store].
func (m *Memory) Expire(ctx context.Context, now time.Time, limit int) (removed int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, s := range m.records {
		if removed >= limit {
			break
		}
		if now.Before(s.expires) {
			continue
		}
		m.removeLocked(id)
		removed++
	}
	return removed, nil
}

// encode returns the bytes of a record that is about to be kept.
func (m *Memory) encode(ctx context.Context, r *Record) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch {
	case len(r.ID) == 0 || len(r.ID) > MaxID || strings.Trim(r.ID, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "":
		return nil, errors.New("task: the id of the record is not valid")
	case len(r.Principal) == 0 || len(r.Principal) > MaxPrincipal:
		return nil, errors.New("task: the principal of the record is not valid")
	}
	data, err := r.Encode()
	if err == nil && len(data) > MaxRecord {
		err = fmt.Errorf("%w: the record has %d bytes, and may have %d", ErrFull, len(data), MaxRecord)
	}
	return data, err
}

// putLocked keeps a record under a new version, if there is room for it.
func (m *Memory) putLocked(r *Record, data []byte) error {
	old, replaces := m.records[r.ID]
	s := stored{data: data, size: int64(len(data)), least: old.least, principal: r.Principal, expires: r.Expires}
	if !replaces {
		s.least = s.size + headroom
	}
	if !r.Status.Final() {
		s.size = max(s.size, s.least)
	}
	grows := s.size - old.size
	if m.records == nil {
		m.records, m.principals = make(map[string]stored), make(map[string]*holding)
	}
	has := m.principals[r.Principal]
	if has == nil {
		has = new(holding)
	}
	most := m.MaxBytes
	if most <= 0 {
		most = defaultMaxBytes
	}
	switch {
	case grows > 0 && has.bytes+grows > most/4:
		return ErrPrincipalFull
	case grows > 0 && m.bytes+grows > most:
		return ErrFull
	}
	if !replaces {
		i, _ := slices.BinarySearch(has.ids, r.ID)
		has.ids = slices.Insert(has.ids, i, r.ID)
		m.principals[r.Principal] = has
	}
	m.bytes += grows
	has.bytes += grows
	m.version++
	s.version = m.version
	r.Version = m.version
	if r.Status == Working {
		s.due = r.LeaseUntil
		if s.due.IsZero() {
			s.due = r.Created
		}
	}
	m.records[r.ID] = s
	return nil
}

func (m *Memory) removeLocked(id string) {
	s := m.records[id]
	delete(m.records, id)
	has := m.principals[s.principal]
	m.bytes -= s.size
	has.bytes -= s.size
	if i, found := slices.BinarySearch(has.ids, id); found {
		has.ids = slices.Delete(has.ids, i, i+1)
	}
	if len(has.ids) == 0 {
		delete(m.principals, s.principal)
	}
}
