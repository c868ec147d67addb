package live

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// StoreConfig has the functions that a [Store] needs for its values. Generated code makes it.
type StoreConfig[K, V any] struct {
	// Key returns the key of a value. Compare compares two keys like cmp.Compare.
	Key     func(v V) K
	Compare func(a, b K) int
	// Vars reads a key from the variables of a URI, and Parse from a URI.
	Vars  func(v *uri.Vars) (K, error)
	Parse func(uri string) (K, error)
	// Entry makes the entry of a value in lists; it appends the URI of the value to b. Contents makes the contents that
	// clients read, and returns err if that is not nil.
	Entry    func(b []byte, v V) feature.Ref
	Contents func(v V, err error) (content.Contents, error)
}

// Store keeps the values of a template in the order of their keys. It tells the clients of all its servers about
// changes: a new key is a change of the list, a new value of a key is an update of its URI if clients would see a
// difference, and a deleted key is both. It is safe for concurrent use.
//
// All values have the type V of [NewStore]. V is not a type parameter of Store, so that the methods are compiled only
// once for each type of key: a server may have thousands of types of values.
//
// A value is encoded when it is put, and clients read that encoding. Get, All and Update copy a value only as an
// assignment does. Data behind its pointers, slices and maps is shared, and must not be changed.
type Store[K any] struct {
	servers attached // the servers that serve the store

	compare func(a, b K) int
	vars    func(v *uri.Vars) (K, error)
	parse   func(uri string) (K, error)
	key     func(v any) K
	encode  func(v any) *snapshot
	clock   func() time.Time
	loads   storeLoads[K]

	writing sync.Mutex // held during a change; locked before values. Of the user's code only comparisons run then
	values  sync.RWMutex
	byKey   ordered[K, *snapshot] // guarded by values
}

// NewStore returns an empty store of values of type V. Generated code calls it. It is not inlined, so that its closures
// are compiled once for types with the same fields.
//
//go:noinline
func NewStore[K, V any](kind StoreConfig[K, V]) *Store[K] {
	return &Store[K]{
		compare: kind.Compare, vars: kind.Vars, parse: kind.Parse, clock: time.Now,
		key: func(v any) K {
			return kind.Key(v.(V)) //nolint:forcetypeassert // mcp.Store lets no other in
		},
		encode: func(v any) *snapshot {
			return newSnapshot(v.(V), kind.Entry, kind.Contents) //nolint:forcetypeassert // as above
		},
		byKey: ordered[K, *snapshot]{compare: kind.Compare},
	}
}

// Get returns the value of a key; ok is false if there is none.
func (s *Store[K]) Get(key K) (v any, ok bool) {
	if e := s.at(key); e != nil {
		return e.value, true
	}
	return nil, false
}

// Put adds v, or replaces the value with the same key. It returns an error, and changes nothing, if v cannot be
// encoded, or if the key is not valid in a URI of the template, such as an empty string.
func (s *Store[K]) Put(v any) error {
	key, next := s.key(v), s.encode(v)
	if next.err != nil {
		return next.err
	}
	if s.at(key) == nil {
		if err := s.addressable(key, next.uri); err != nil {
			return err
		}
	}
	s.swap(key, nil, next)
	return nil
}

// Update calls f with the value of key and puts the result of f. It returns an error, and changes nothing, if f returns
// an error or a value with another key, or if the value cannot be encoded. The error is [content.ErrNotFound] if there
// is no value.
//
// No lock is held while f runs. If the value changes meanwhile, f is called again with the new value, so that no change
// is lost; f should have no effect except on its argument. If f itself changes the value in the store each time, Update
// gives up with an error.
func (s *Store[K]) Update(key K, f func(old any) (next any, err error)) error {
	for range maxUpdateRuns {
		old := s.at(key)
		if old == nil {
			return content.ErrNotFound
		}
		v, err := f(old.value)
		if err != nil {
			return err
		}
		if s.compare(s.key(v), key) != 0 {
			return errors.New("mcp: an update must not change the key: delete the old value and put the new one")
		}
		next := s.encode(v)
		if next.err != nil {
			return next.err
		}
		if s.swap(key, old, next) {
			return nil
		}
	}
	return errUpdateRuns
}

// Delete removes the value of key and reports whether there was one.
func (s *Store[K]) Delete(key K) bool {
	old, _ := s.removeIf(key, func(*snapshot) bool { return true })
	if old == nil {
		return false
	}
	s.servers.publish(old.uri, true, false)
	return true
}

// removeIf calls fits with the state of key, which is nil if there is none. If fits returns true, removeIf removes the
// state and returns it. Otherwise ok is false.
func (s *Store[K]) removeIf(key K, fits func(now *snapshot) bool) (old *snapshot, ok bool) {
	s.writing.Lock()
	defer s.writing.Unlock()
	old = s.at(key)
	if !fits(old) {
		return nil, false
	}
	if old != nil {
		s.change(func() { s.byKey.remove(key) })
	}
	return old, true
}

// All returns a sequence of the values in the order of their keys. The store may change meanwhile. A value that exists
// all the time is yielded once. A value that is added or deleted meanwhile may be yielded or not.
func (s *Store[K]) All() iter.Seq2[K, any] {
	return func(yield func(K, any) bool) {
		var last *K
		for {
			batch := s.after(last, blockSize)
			for _, e := range batch {
				if !yield(e.key, e.value.value) {
					return
				}
			}
			if len(batch) < blockSize {
				return
			}
			last = &batch[len(batch)-1].key
		}
	}
}

// swap replaces the state of key by next, publishes the change if clients can see it, and returns true. If the state is
// not old any more, swap does nothing and returns false. A nil old stands for any state, also for none.
func (s *Store[K]) swap(key K, old, next *snapshot) bool {
	changed, added, ok := s.replace(key, old, next)
	if changed {
		s.servers.publish(next.uri, added, false)
	}
	return ok
}

func (s *Store[K]) replace(key K, old, next *snapshot) (changed, added, ok bool) {
	return s.replaceIf(key, next, func(now *snapshot) bool { return old == nil || now == old })
}

// replaceIf calls fits with the current state of key, which is nil if there is none. If fits returns true, next becomes
// the state, and ok is true. changed says that clients see a difference, and added that there was no state.
func (s *Store[K]) replaceIf(key K, next *snapshot, fits func(now *snapshot) bool) (changed, added, ok bool) {
	s.writing.Lock()
	defer s.writing.Unlock()
	now := s.at(key)
	if !fits(now) {
		return false, false, false
	}
	changed = next.follow(now, s.clock())
	s.change(func() { s.byKey.put(key, next) })
	return changed, now == nil, true
}

// change locks values and calls f, which changes byKey. It unlocks values even if f panics, because f compares keys,
// which may run methods of the user's type.
func (s *Store[K]) change(f func()) {
	s.values.Lock()
	defer s.values.Unlock()
	f()
}

// addressable returns an error if uri, as parsed, does not have the given key.
func (s *Store[K]) addressable(key K, uri string) error {
	back, err := s.parse(uri)
	if err != nil {
		return fmt.Errorf("mcp: key %v has no URI: %w", key, err)
	}
	if s.compare(back, key) != 0 {
		return fmt.Errorf("mcp: key %v has no URI: %s stands for %v", key, uri, back)
	}
	return nil
}

// at returns the state of key; nil if there is none.
func (s *Store[K]) at(key K) *snapshot {
	s.values.RLock()
	defer s.values.RUnlock()
	e, _ := s.byKey.get(key)
	return e
}

func (s *Store[K]) after(key *K, n int) []item[K, *snapshot] {
	s.values.RLock()
	defer s.values.RUnlock()
	return s.byKey.after(key, n)
}

// Read implements [feature.LiveValue]. If there is no such value, the contents are empty.
func (s *Store[K]) Read(c *call.Call) (content.Contents, error) {
	key, err := s.vars(c.Vars)
	if err != nil {
		return content.Contents{}, err
	}
	if e := s.at(key); e != nil {
		return e.contents, nil
	}
	return content.Contents{}, nil
}

// List implements [feature.Instances]. A page begins after the last URI of the page before, even if that value was
// deleted.
func (s *Store[K]) List(_ context.Context, from string, size int, to *feature.PageBuilder) (next string, err error) {
	var last *K
	if from != "" {
		key, err := s.parse(from)
		if err != nil {
			return "", content.ErrCursor
		}
		last = &key
	}
	page := s.after(last, size+1)
	if len(page) > size {
		page = page[:size]
		next = page[size-1].value.uri
	}
	for _, e := range page {
		to.Add(e.value.ref)
	}
	return next, nil
}

// Attach implements [feature.LiveValue].
func (s *Store[K]) Attach(p feature.Publisher, listed bool) { s.servers.attach(p, listed) }

// Detach implements [feature.LiveValue].
func (s *Store[K]) Detach(p feature.Publisher) { s.servers.detach(p) }
