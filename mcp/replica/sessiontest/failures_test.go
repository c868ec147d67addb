package sessiontest

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/memory"
)

// server is a store in memory that can be stopped and paused, as a process behind a network.
type server struct {
	defect string

	mu    sync.Mutex
	store *memory.Sessions
	away  bool
	hangs chan struct{} // closed when it goes on; nil if it works
}

func (s *server) hooks() Faults {
	return Faults{
		Stop: func(*testing.T) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.away = true
			if s.defect == "not durable" {
				s.store = &memory.Sessions{}
			}
		},
		Start: func(*testing.T) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.away = false
		},
		Pause: func(*testing.T) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.hangs = make(chan struct{})
		},
		Resume: func(*testing.T) {
			s.mu.Lock()
			defer s.mu.Unlock()
			close(s.hangs)
			s.hangs = nil
		},
	}
}

// reach returns the store if it is there.
func (s *server) reach(ctx context.Context) (*memory.Sessions, error) {
	s.mu.Lock()
	store, away, hangs := s.store, s.away, s.hangs
	s.mu.Unlock()
	switch {
	case away && s.defect == "away means that there is none":
		return nil, replica.ErrNotFound
	case away && s.defect == "away means that it has changed":
		return nil, replica.ErrChanged
	case away && s.defect == "away is no error":
		return new(memory.Sessions), nil
	case away:
		return nil, errors.New("no connection")
	case hangs != nil && s.defect == "waits for the store":
		<-hangs
	case hangs != nil:
		select {
		case <-ctx.Done():
		case <-hangs:
		}
	}
	return store, nil
}

func (s *server) Load(ctx context.Context, id string) ([]byte, uint64, error) {
	store, err := s.reach(ctx)
	if err != nil {
		return nil, 0, err
	}
	return store.Load(ctx, id)
}

func (s *server) Save(
	ctx context.Context, id string, version uint64, record []byte, ttl time.Duration,
) (uint64, error) {
	store, err := s.reach(ctx)
	if err != nil {
		return 0, err
	}
	return store.Save(ctx, id, version, record, ttl)
}

func (s *server) Delete(ctx context.Context, id string) error {
	store, err := s.reach(ctx)
	if err != nil {
		return err
	}
	return store.Delete(ctx, id)
}

// A store that does all right passes.
func TestFaults(t *testing.T) {
	s := &server{store: &memory.Sessions{}}
	RunFaults(t, func(*testing.T) replica.SessionStore { return s }, s.hooks())
}

// failures are defects that only show when the store fails, and the test that must fail.
var failures = map[string]string{
	"not durable":                    "restart",
	"away means that there is none":  "restart",
	"away means that it has changed": "restart",
	"away is no error":               "restart",
	"waits for the store":            "store_hangs",
}

func TestFailures(t *testing.T) {
	for defect, test := range failures {
		t.Run(defect, func(t *testing.T) {
			t.Parallel()
			mustFail(t, "TestFailing", defect, test)
		})
	}
}

// TestFailing is what TestFailures runs.
func TestFailing(t *testing.T) {
	if defect := os.Getenv(environment); failures[defect] != "" {
		patience = time.Second
		s := &server{store: &memory.Sessions{}, defect: defect}
		RunFaults(t, func(*testing.T) replica.SessionStore { return s }, s.hooks())
	}
}
