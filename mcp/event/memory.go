package event

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// MaxMemory is how many bytes of data a [Memory] holds for one name.
const MaxMemory = 64 << 20

// Memory is a [Log] in the memory of this process. Beyond [MaxMemory] it drops the oldest entries of a name, whatever
// the retention. The zero value is ready to use.
type Memory struct {
	mu    sync.Mutex
	epoch string
	names map[string]*sequence
}

// sequence is the log of one name.
type sequence struct {
	entries []Entry // the oldest first; those before head are gone
	head    int
	last    uint64
	bytes   int
	ids     map[string]uint64
	keep    Retention
}

// NewMemory returns an empty log.
func NewMemory() *Memory { return new(Memory) }

// Lasting implements [Log].
func (m *Memory) Lasting() bool { return false }

// Append implements [Log].
func (m *Memory) Append(ctx context.Context, name string, e *Entry, keep Retention) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.of(name)
	s.keep = keep.WithDefaults()
	s.prune(time.Now())
	if at, twice := s.ids[e.ID]; twice {
		e.Seq = at
		return ErrDuplicate
	}
	s.last++
	e.Seq = s.last
	s.entries = append(s.entries, *e)
	s.ids[e.ID] = e.Seq
	s.bytes += len(e.Data)
	s.prune(time.Now())
	return nil
}

// Read implements [Log].
func (m *Memory) Read(ctx context.Context, name string, after uint64, limit int) (Page, error) {
	if err := ctx.Err(); err != nil {
		return Page{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.of(name)
	s.prune(time.Now())
	held := s.entries[s.head:]
	p := Page{Epoch: m.epoch, First: s.last + 1 - uint64(len(held)), Last: s.last}
	from := 0
	if after >= p.First {
		from = int(min(after-p.First+1, uint64(len(held))))
	}
	held = held[from:]
	for size := 0; len(p.Entries) < min(limit, len(held)) && size < 1<<20; {
		e := held[len(p.Entries)]
		p.Entries = append(p.Entries, e)
		size += len(e.Data)
	}
	return p, nil
}

// of returns the sequence of a name. m.mu is held.
func (m *Memory) of(name string) *sequence {
	if m.names == nil {
		m.names = map[string]*sequence{}
		m.epoch = fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64()) //nolint:gosec // no secret
	}
	s := m.names[name]
	if s == nil {
		s = &sequence{ids: map[string]uint64{}, keep: Retention{}.WithDefaults()}
		m.names[name] = s
	}
	return s
}

// prune drops the entries that the retention and MaxMemory do not cover.
func (s *sequence) prune(now time.Time) {
	for n := len(s.entries) - s.head; n > 0; n-- {
		e := &s.entries[s.head]
		if n <= s.keep.Most && s.bytes <= MaxMemory && now.Sub(e.Kept) <= s.keep.For {
			break
		}
		s.bytes -= len(e.Data)
		delete(s.ids, e.ID)
		*e = Entry{}
		s.head++
	}
	if s.head > 64 && s.head > len(s.entries)/2 {
		n := copy(s.entries, s.entries[s.head:])
		clear(s.entries[n:])
		s.entries, s.head = s.entries[:n], 0
	}
}
