package live

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
)

// storeLoads are the functions that load values of a store.
type storeLoads[K any] struct {
	one   func(context.Context, K) (any, bool, error)
	all   func(context.Context) iter.Seq2[any, error]
	local bool
}

// LoadWith sets the function that loads the value of a key when another replica has changed it. The function returns
// false if there is no such value.
func (s *Store[K]) LoadWith(load func(context.Context, K) (any, bool, error)) { s.loads.one = load }

// LoadAllWith sets the function whose sequence yields all values. It is called when any value may have changed on
// another replica.
func (s *Store[K]) LoadAllWith(all func(context.Context) iter.Seq2[any, error]) { s.loads.all = all }

// Local says that the values belong to this replica alone and are never loaded again.
func (s *Store[K]) Local() { s.loads.local = true }

// Loadable implements [feature.LiveValue].
func (s *Store[K]) Loadable() feature.Loading { return loadingOf(s.loads.one != nil, s.loads.local) }

// Reload implements [feature.LiveValue].
func (s *Store[K]) Reload(ctx context.Context, uri string) error {
	key, err := s.parse(uri)
	if err != nil {
		return nil //nolint:nilerr // nobody can read a URI without a key, so nothing is to be loaded
	}
	return s.reloadKey(ctx, key)
}

// reloadKey loads the value of key. If the program changes the value meanwhile, the loaded value may be older than the
// change, so reloadKey loads it again.
func (s *Store[K]) reloadKey(ctx context.Context, key K) error {
	for range maxLoadRuns {
		old := s.at(key)
		v, ok, err := s.loads.one(ctx, key)
		if err != nil {
			return err
		}
		if done, err := s.takeLoaded(key, old, v, ok); done || err != nil {
			return err
		}
	}
	return errLoadRuns
}

// takeLoaded makes v, a loaded value, the value of key. If exists is false, no value was loaded, and it removes the
// value of key. If the state of key is not old any more, it changes nothing and done is false.
func (s *Store[K]) takeLoaded(key K, old *snapshot, v any, exists bool) (done bool, err error) {
	fits := func(now *snapshot) bool { return now == old }
	if !exists {
		gone, done := s.removeIf(key, fits)
		if gone != nil {
			s.servers.publish(gone.uri, true, true)
		}
		return done, nil
	}
	if s.compare(s.key(v), key) != 0 {
		return false, fmt.Errorf("the value that was loaded for key %v has key %v", key, s.key(v))
	}
	next := s.encode(v)
	if next.err != nil {
		return false, next.err
	}
	if old == nil {
		if err := s.addressable(key, next.uri); err != nil {
			return false, err
		}
	}
	changed, added, done := s.replaceIf(key, next, fits)
	if changed && !failpoint.On("load-untold") {
		s.servers.publish(next.uri, added, true)
	}
	return done, nil
}

// ReloadAll loads all values. If the function of LoadAllWith does not yield a value of the store, ReloadAll loads this
// value by its key, and so finds out whether to remove it. Without that function it loads all values of the store by
// their keys.
func (s *Store[K]) ReloadAll(ctx context.Context) error {
	had := s.after(nil, s.size())
	var errs []error
	seen := ordered[K, struct{}]{compare: s.compare}
	if s.loads.all != nil {
		old := ordered[K, *snapshot]{compare: s.compare}
		for _, e := range had {
			old.put(e.key, e.value)
		}
		for v, err := range s.loads.all(ctx) {
			if err != nil {
				return err
			}
			key := s.key(v)
			before, _ := old.get(key)
			seen.put(key, struct{}{})
			if done, err := s.takeLoaded(key, before, v, true); err != nil {
				errs = append(errs, err)
			} else if !done {
				errs = append(errs, s.reloadKey(ctx, key))
			}
		}
	}
	for _, e := range had {
		if failpoint.On("load-all-keeps-removed") && s.loads.all != nil {
			break
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if _, ok := seen.get(e.key); !ok {
			errs = append(errs, s.reloadKey(ctx, e.key))
		}
	}
	return errors.Join(errs...)
}

// size returns the number of values.
func (s *Store[K]) size() (n int) {
	s.values.RLock()
	defer s.values.RUnlock()
	for _, b := range s.byKey.blocks {
		n += len(b)
	}
	return n
}
