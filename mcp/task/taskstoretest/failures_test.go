package taskstoretest

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// server is a store in memory that can be stopped and paused, as a process behind a network.
type server struct {
	defect string

	mu    sync.Mutex
	store *task.Memory
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
				s.store = &task.Memory{}
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
func (s *server) reach(ctx context.Context) (task.Store, error) {
	s.mu.Lock()
	store, away, hangs := s.store, s.away, s.hangs
	s.mu.Unlock()
	switch {
	case away && s.defect == "away means that there is none":
		return nil, task.ErrNotFound
	case away && s.defect == "away means that it is full":
		return nil, task.ErrFull
	case away && s.defect == "away is no error":
		return new(task.Memory), nil
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

// handle returns a handle on the server.
func (s *server) handle() task.Store {
	with := func(ctx context.Context, do func(task.Store) error) error {
		store, err := s.reach(ctx)
		if err != nil {
			return err
		}
		return do(store)
	}
	a := new(altered)
	a.create = func(ctx context.Context, r *task.Record, limits task.Limits) error {
		return with(ctx, func(s task.Store) error { return s.Create(ctx, r, limits) })
	}
	a.swap = func(ctx context.Context, h *task.Head, b *task.Body, limits task.Limits) error {
		return with(ctx, func(s task.Store) error { return s.Swap(ctx, h, b, limits) })
	}
	a.take = func(ctx context.Context, c task.Claim) (h *task.Head, latest uint64, err error) {
		err = with(ctx, func(s task.Store) error { h, latest, err = s.Claim(ctx, c); return err })
		return h, latest, err
	}
	a.head = func(ctx context.Context, id string) (h *task.Head, err error) {
		err = with(ctx, func(s task.Store) error { h, err = s.Head(ctx, id); return err })
		return h, err
	}
	a.list = func(ctx context.Context, principal, after string, limit int) (l []*task.Head, err error) {
		err = with(ctx, func(s task.Store) error { l, err = s.List(ctx, principal, after, limit); return err })
		return l, err
	}
	a.expire = func(ctx context.Context, now time.Time, limit int) (n int, err error) {
		err = with(ctx, func(s task.Store) error { n, err = s.Expire(ctx, now, limit); return err })
		return n, err
	}
	a.get = func(ctx context.Context, id string) (r *task.Record, err error) {
		err = with(ctx, func(s task.Store) error { r, err = s.Get(ctx, id); return err })
		return r, err
	}
	return a
}

// A store that does all right passes.
func TestFaults(t *testing.T) {
	s := &server{store: &task.Memory{}}
	RunFaults(t, func(*testing.T) task.Store { return s.handle() }, s.hooks())
}

// failures are defects that only show when the store fails, and the test that must fail.
var failures = map[string]string{
	"not durable":                   "restart",
	"away means that there is none": "restart",
	"away means that it is full":    "restart",
	"away is no error":              "restart",
	"waits for the store":           "store_hangs",
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
		s := &server{store: &task.Memory{}, defect: defect}
		RunFaults(t, func(*testing.T) task.Store { return s.handle() }, s.hooks())
	}
}
