package sessiontest

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/replica"
)

// long is a ttl that no test outlasts.
const long = time.Hour

// fixture is a test with two handles on one store, as two replicas have them.
type fixture struct {
	*testing.T

	one, two replica.SessionStore
}

func newFixture(t *testing.T, newStore func(t *testing.T) replica.SessionStore) *fixture {
	t.Helper()
	return &fixture{t, newStore(t), newStore(t)}
}

// newID returns an id that no other test has.
func newID() string {
	b := make([]byte, 24)
	_, _ = rand.Read(b) // which never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// limit returns a context for one call.
func (f *fixture) limit() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	f.Cleanup(cancel)
	return ctx
}

// save expects that a record can be saved, and returns its version.
func (f *fixture) save(s replica.SessionStore, id string, version uint64, record string, ttl time.Duration) uint64 {
	f.Helper()
	next, err := s.Save(f.limit(), id, version, []byte(record), ttl)
	if err != nil {
		f.Fatalf("Save of version %d: %v", version, err)
	}
	if next == 0 || next == version {
		f.Fatalf("Save of version %d returned version %d", version, next)
	}
	return next
}

// refuse expects that a record cannot be saved, because it has another version or is gone.
func (f *fixture) refuse(s replica.SessionStore, id string, version uint64) {
	f.Helper()
	next, err := s.Save(f.limit(), id, version, []byte("refused"), long)
	f.only(err, replica.ErrChanged)
	if err == nil {
		f.Fatalf("Save of version %d, which is not that of the record, returned %d and no error", version, next)
	}
}

// expect expects that Load returns a record and its version.
func (f *fixture) expect(s replica.SessionStore, id, record string, version uint64) {
	f.Helper()
	got, v, err := s.Load(f.limit(), id)
	if err != nil {
		f.Fatalf("Load: %v", err)
	}
	if string(got) != record {
		f.Fatalf("Load returned %d bytes that are not the %d bytes that were saved: %.60q, want %.60q", len(got),
			len(record), got, record)
	}
	if v != version {
		f.Fatalf("Load returned version %d, and Save had returned %d", v, version)
	}
}

// missing expects that there is no record.
func (f *fixture) missing(s replica.SessionStore, id string) {
	f.Helper()
	got, v, err := s.Load(f.limit(), id)
	if err == nil {
		f.Fatalf("Load of no record returned %.60q with version %d", got, v)
	}
	f.only(err, replica.ErrNotFound)
}

// only expects that err, unless it is nil, is want and not the other error of package replica.
func (f *fixture) only(err, want error) {
	f.Helper()
	for _, e := range []error{replica.ErrNotFound, replica.ErrChanged} {
		if err != nil && errors.Is(err, e) != (e == want) { //nolint:errorlint // which of the two is wanted
			f.Fatalf("the error is %q, want %q by errors.Is", err, want)
		}
	}
}

// unavailable makes a call whose ctx ends after timeout. It expects that the call returns an error which says that the
// store is not available.
func (f *fixture) unavailable(name string, call func(ctx context.Context) error, timeout time.Duration) {
	f.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	result := make(chan error, 1)
	go func() { result <- call(ctx) }()
	select {
	case err := <-result:
		if err == nil {
			f.Errorf("%s returned no error", name)
		}
		f.notOurs(name, err)
	case <-time.After(patience):
		f.Fatalf("%s does not return after ctx has ended", name)
	}
}

func (f *fixture) notOurs(name string, err error) {
	f.Helper()
	if errors.Is(err, replica.ErrNotFound) || errors.Is(err, replica.ErrChanged) {
		f.Errorf("%s returned %q, which says that the store is available", name, err)
	}
}

// calls returns a call of each method: Load and Save of the record id with version, and Delete of one that is missing.
func (f *fixture) calls(s replica.SessionStore, id string, version uint64) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"Load": func(ctx context.Context) error {
			_, _, err := s.Load(ctx, id)
			return err
		},
		"Save": func(ctx context.Context) error {
			_, err := s.Save(ctx, id, version, []byte("late"), long)
			return err
		},
		"Delete": func(ctx context.Context) error { return s.Delete(ctx, newID()) },
	}
}
