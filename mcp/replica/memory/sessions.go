package memory

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp/replica"
)

// sweepEvery is the least time between two searches for expired records. Save makes them.
const sweepEvery = time.Minute

var _ replica.SessionStore = (*Sessions)(nil)

// Sessions is a [replica.SessionStore] for servers of one process. Its zero value is ready to use. Expired records are
// removed when something else is saved.
type Sessions struct {
	mu      sync.Mutex
	records map[string]record
	version uint64 // the last one that was given to a record of any id
	swept   time.Time
}

type record struct {
	data    []byte
	version uint64
	expires time.Time
}

// Load implements [replica.SessionStore].
func (s *Sessions) Load(ctx context.Context, id string) (data []byte, version uint64, err error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.findLocked(id)
	if r.version == 0 {
		return nil, 0, replica.ErrNotFound
	}
	return bytes.Clone(r.data), r.version, nil
}

// Save implements [replica.SessionStore].
func (s *Sessions) Save(
	ctx context.Context, id string, version uint64, data []byte, ttl time.Duration,
) (uint64, error) {
	switch {
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case len(id) == 0 || len(id) > replica.MaxID || len(data) > replica.MaxRecord:
		return 0, errors.New("memory: the id or the record has a size that package replica does not allow")
	case ttl <= 0:
		return 0, errors.New("memory: ttl must be positive")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweepLocked()
	if s.findLocked(id).version != version {
		return 0, replica.ErrChanged
	}
	if s.records == nil {
		s.records = make(map[string]record)
	}
	s.version++
	s.records[id] = record{data: bytes.Clone(data), version: s.version, expires: time.Now().Add(ttl)}
	return s.version, nil
}

// Delete implements [replica.SessionStore].
func (s *Sessions) Delete(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.records, id)
	return nil
}

// findLocked returns the record of an id, or the zero value if there is none or it has expired.
func (s *Sessions) findLocked(id string) record {
	r, ok := s.records[id]
	if ok && !time.Now().Before(r.expires) {
		return record{}
	}
	return r
}

func (s *Sessions) sweepLocked() {
	now := time.Now()
	if now.Sub(s.swept) < sweepEvery {
		return
	}
	s.swept = now
	for id, r := range s.records {
		if !now.Before(r.expires) {
			delete(s.records, id)
		}
	}
}
