package task

import (
	"container/heap"
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

var _ Store = (*Memory)(nil)

// Memory is a [Store] in the memory of one process. Nothing is durable. Servers of one process that share it behave
// like replicas of one server. The zero value is ready to use; it must not be copied after the first use. Claim looks
// at all tasks with the status Working, and Expire at all records.
type Memory struct {
	mu         sync.Mutex
	records    map[string]stored
	working    map[string]struct{} // the ids of the records that Claim looks at
	principals map[string]*holder
	most       [kinds]mostFirst // the principals whose ended tasks can make room, by each kind of amount
	all        Holding
	version    uint64 // the last one that was given to a record of any id
}

// stored is a record as bytes, with what Memory looks at.
type stored struct {
	head, body []byte
	Head       // only what Claimable, Expired, Holding and the method before look at, and Principal
}

// holder is what one principal has.
type holder struct {
	Holding
	ids   []string   // in the order of bytes
	ended []string   // those of tasks that have ended, in the same order
	at    [kinds]int // its index in each of Memory.most, if ended is not empty
}

// decode returns the head.
func (s *stored) decode() (*Head, error) {
	h := &Head{Version: s.Version, Size: s.Size}
	return h, h.DecodeHead(s.head)
}

// Create implements [Store].
func (m *Memory) Create(ctx context.Context, r *Record, limits Limits) error {
	head, body, err := r.Encode()
	if err = errors.Join(ctx.Err(), err); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, exists := m.records[r.ID]; exists {
		return ErrExists
	}
	if err := m.roomLocked(r.Principal, Holding{Tasks: 1, Bytes: SizeOf(head, body)}, limits, ""); err != nil {
		return err
	}
	m.putLocked(&r.Head, head, body)
	return nil
}

// Head implements [Store].
func (m *Memory) Head(ctx context.Context, id string) (*Head, error) {
	s, err := m.find(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.decode()
}

// Get implements [Store].
func (m *Memory) Get(ctx context.Context, id string) (*Record, error) {
	s, err := m.find(ctx, id)
	if err != nil {
		return nil, err
	}
	r := &Record{Head: Head{Version: s.Version, Size: s.Size}}
	return r, r.Decode(s.head, s.body)
}

func (m *Memory) find(ctx context.Context, id string) (s stored, err error) {
	if err := ctx.Err(); err != nil {
		return s, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s, found := m.records[id]
	if !found {
		return s, ErrNotFound
	}
	return s, nil
}

// Swap implements [Store].
func (m *Memory) Swap(ctx context.Context, h *Head, b *Body, limits Limits) (err error) {
	var head, body []byte
	if b != nil {
		r := Record{*h, *b}
		head, body, err = r.Encode()
	}
	if err = errors.Join(ctx.Err(), err); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s, found := m.records[h.ID]
	switch {
	case !found:
		return ErrNotFound
	case s.Version != h.Version:
		return ErrChanged
	case s.Principal != h.Principal:
		return errors.New("task: the principal of a record never changes")
	}
	if b == nil {
		body = s.body
		if head, err = h.EncodeHead(s.head); err != nil {
			return err
		}
	}
	if grows := SizeOf(head, body) - s.Size; grows > Slack {
		if err := m.roomLocked(h.Principal, Holding{Bytes: grows}, limits, h.ID); err != nil {
			return err
		}
	}
	m.putLocked(h, head, body)
	return nil
}

// Claim implements [Store].
func (m *Memory) Claim(ctx context.Context, c Claim) (*Head, uint64, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var found stored // without bytes until there is one
	for id := range m.working {
		s := m.records[id]
		if s.Claimable(c.Now, c.Still) && (!c.Owned || s.Owner != "") && !slices.Contains(c.Except, s.Principal) &&
			(found.head == nil || s.before(&found, c.Still)) {
			found = s
		}
	}
	latest := m.version
	if found.head == nil {
		return nil, latest, ErrNotFound
	}
	h, err := found.decode()
	if err != nil {
		return nil, latest, err
	}
	h.Lease(c.Owner, c.Until)
	head, err := h.EncodeHead(found.head)
	if err != nil {
		return nil, latest, err
	}
	m.putLocked(h, head, found.body)
	return h, latest, nil
}

// before reports whether s is claimed before o, by a claim with this Claim.Still.
func (s *stored) before(o *stored, still uint64) bool {
	switch a, b := s.Version <= still, o.Version <= still; {
	case a != b:
		return a
	case a || s.LeaseUntil.Equal(o.LeaseUntil):
		return s.Version < o.Version
	}
	return s.LeaseUntil.Before(o.LeaseUntil)
}

// List implements [Store].
func (m *Memory) List(ctx context.Context, principal, after string, limit int) ([]*Head, error) {
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
	out := make([]*Head, 0, len(found))
	for _, s := range found {
		h, err := s.decode()
		if err != nil {
			return nil, err
		}
		out = append(out, h)
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
		if s.Expired(now) {
			m.removeLocked(id)
			removed++
		}
	}
	return removed, nil
}

// roomLocked makes room for what a principal wants in addition to what it has. It never removes the record with the id
// keepID. The error is ErrPrincipalFull or ErrFull if there is no room.
func (m *Memory) roomLocked(principal string, wanted Holding, limits Limits, keepID string) error {
	for {
		own := Holding{}
		if has := m.principals[principal]; has != nil {
			own = has.Holding
		}
		err := limits.Check(own, m.all, wanted)
		if err == nil || errors.Is(err, ErrPrincipalFull) {
			return err
		}
		id := m.oldestLocked(limits.Short(m.all, wanted), own, keepID)
		if id == "" {
			return err
		}
		m.removeLocked(id)
	}
}

// oldestLocked returns the id of the record to remove, so that a principal with the Holding own gets room; "" if there
// is none. It never returns keepID.
func (m *Memory) oldestLocked(amount func(of Holding) int64, own Holding, keepID string) string {
	most := &m.most[kindOf(amount)]
	if most.Len() == 0 || amount(most.of[0].Holding) < amount(own) {
		return ""
	}
	for _, id := range most.of[0].ended {
		if id != keepID {
			return id
		}
	}
	return ""
}

// putLocked stores a record, new or not, under a new version. It sets h.Version and h.Size.
func (m *Memory) putLocked(h *Head, head, body []byte) {
	if m.records == nil {
		m.records, m.principals = make(map[string]stored), make(map[string]*holder)
		m.working = make(map[string]struct{})
	}
	has := m.principals[h.Principal]
	if has == nil {
		has = new(holder)
		m.principals[h.Principal] = has
	}
	old, replaces := m.records[h.ID]
	if replaces {
		m.all.Add(old.Holding(), -1)
		has.Add(old.Holding(), -1)
	} else {
		has.ids = with(has.ids, h.ID)
	}
	could := len(has.ended) > 0
	if h.Status.Final() {
		has.ended = with(has.ended, h.ID)
	} else {
		has.ended = without(has.ended, h.ID)
	}
	if h.Status == Working {
		m.working[h.ID] = struct{}{}
	} else {
		delete(m.working, h.ID)
	}
	m.version++
	h.Version, h.Size = m.version, SizeOf(head, body)
	m.all.Add(h.Holding(), 1)
	has.Add(h.Holding(), 1)
	m.sortLocked(has, could)
	m.records[h.ID] = stored{head, body, Head{
		Principal: h.Principal, Status: h.Status, Owner: h.Owner, LeaseUntil: h.LeaseUntil, Expires: h.Expires,
		Version: h.Version, Size: h.Size,
	}}
}

func (m *Memory) removeLocked(id string) {
	s := m.records[id]
	delete(m.records, id)
	delete(m.working, id)
	m.all.Add(s.Holding(), -1)
	has := m.principals[s.Principal]
	has.Add(s.Holding(), -1)
	could := len(has.ended) > 0
	has.ids, has.ended = without(has.ids, id), without(has.ended, id)
	m.sortLocked(has, could)
	if len(has.ids) == 0 {
		delete(m.principals, s.Principal)
	}
}

// sortLocked updates the place of a holder in the heaps of m.most; could says whether it is in them already.
func (m *Memory) sortLocked(has *holder, could bool) {
	for kind := range m.most {
		most := &m.most[kind]
		most.kind = kind
		switch can := len(has.ended) > 0; {
		case can && could:
			heap.Fix(most, has.at[kind])
		case can:
			heap.Push(most, has)
		case could:
			heap.Remove(most, has.at[kind])
		}
	}
}

// with and without return ids, which are sorted, with id added or removed. They may change the memory of ids.
func with(ids []string, id string) []string {
	i, found := slices.BinarySearch(ids, id)
	if found {
		return ids
	}
	return slices.Insert(ids, i, id)
}

func without(ids []string, id string) []string {
	i, found := slices.BinarySearch(ids, id)
	if !found {
		return ids
	}
	return slices.Delete(ids, i, i+1)
}

// The kinds of amounts by which principals are sorted.
const (
	byTasks = iota
	byBytes
	kinds
)

// kindOf returns the kind that an amount of [Limits.Short] counts.
func kindOf(amount func(of Holding) int64) int {
	if amount(Holding{Tasks: 1}) > 0 {
		return byTasks
	}
	return byBytes
}

// mostFirst is a heap of the principals with tasks that have ended, the one with the greatest amount of a kind first.
type mostFirst struct {
	kind int
	of   []*holder
}

func (h *mostFirst) Len() int { return len(h.of) }

func (h *mostFirst) Less(i, j int) bool {
	if h.kind == byTasks {
		return h.of[i].Tasks > h.of[j].Tasks
	}
	return h.of[i].Bytes > h.of[j].Bytes
}

func (h *mostFirst) Swap(i, j int) {
	h.of[i], h.of[j] = h.of[j], h.of[i]
	h.of[i].at[h.kind], h.of[j].at[h.kind] = i, j
}

func (h *mostFirst) Push(x any) {
	has := x.(*holder) //nolint:forcetypeassert // heap.Push of sortLocked
	has.at[h.kind] = len(h.of)
	h.of = append(h.of, has)
}

func (h *mostFirst) Pop() any {
	last := h.of[len(h.of)-1]
	h.of[len(h.of)-1] = nil
	h.of = h.of[:len(h.of)-1]
	return last
}
