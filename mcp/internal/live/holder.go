package live

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
)

// Holder keeps the value of one resource. When the value changes so that clients would see a difference, it tells the
// subscribers of all servers that serve the resource. It is safe for concurrent use.
//
// A value is encoded when it is set, and clients read that encoding. Get and Update copy the value only as an
// assignment does. Data behind its pointers, slices and maps is shared, and must not be changed.
type Holder[T any] struct {
	servers attached // the servers that serve the resource

	entry    func([]byte, T) feature.Ref
	contents func(T, error) (content.Contents, error)
	clock    func() time.Time
	load     func(context.Context) (T, bool, error)
	local    bool

	writing sync.Mutex // held while state is replaced, but not while code of the user runs
	state   atomic.Pointer[snapshot]
}

// NewHolder returns a holder of v. Generated code calls it. entry makes the entry of a value in lists, and contents
// makes the contents that clients read. If v cannot be encoded, clients get an error until another value is set.
func NewHolder[T any](
	v T, entry func([]byte, T) feature.Ref, contents func(T, error) (content.Contents, error),
) *Holder[T] {
	h := &Holder[T]{entry: entry, contents: contents, clock: time.Now}
	first := h.encode(v)
	first.follow(nil, h.clock())
	h.state.Store(first)
	return h
}

// Get returns the value.
func (h *Holder[T]) Get() T {
	v, _ := h.state.Load().value.(T) // a nil interface is the zero value
	return v
}

// Set replaces the value. If v cannot be encoded, Set returns an error and the value does not change.
func (h *Holder[T]) Set(v T) error {
	next := h.encode(v)
	if next.err != nil {
		return next.err
	}
	h.swap(nil, next)
	return nil
}

// Update calls f with a copy of the value, which f changes, and sets the value to the copy. If f returns an error, or
// the copy cannot be encoded, Update returns the error and the value does not change.
//
// No lock is held while f runs. If the value changes meanwhile, f is called again with a copy of the new value, so that
// no change is lost; f should have no effect except on its argument. If f itself changes the value of h each time,
// Update gives up with an error.
func (h *Holder[T]) Update(f func(*T) error) error {
	for range maxUpdateRuns {
		old := h.state.Load()
		v, _ := old.value.(T)
		if err := f(&v); err != nil {
			return err
		}
		next := h.encode(v)
		if next.err != nil {
			return next.err
		}
		if h.swap(old, next) {
			return nil
		}
	}
	return errUpdateRuns
}

func (h *Holder[T]) encode(v T) *snapshot { return newSnapshot(v, h.entry, h.contents) }

// swap replaces the state by next, publishes the change if clients can see it, and returns true. If the state is not
// old any more, swap does nothing and returns false. A nil old stands for any state.
func (h *Holder[T]) swap(old, next *snapshot) bool {
	changed, ok := h.replace(old, next)
	if changed {
		h.servers.publish(next.uri, false, false)
	}
	return ok
}

func (h *Holder[T]) replace(old, next *snapshot) (changed, ok bool) {
	h.writing.Lock()
	defer h.writing.Unlock()
	now := h.state.Load()
	if old != nil && now != old {
		return false, false
	}
	changed = next.follow(now, h.clock())
	h.state.Store(next)
	return changed, true
}

// LoadWith sets the function that loads the value when another replica has changed it. If the function returns false,
// the value does not change.
func (h *Holder[T]) LoadWith(load func(context.Context) (T, bool, error)) { h.load = load }

// Local says that the value belongs to this replica alone and is never loaded again.
func (h *Holder[T]) Local() { h.local = true }

// Loadable implements [feature.LiveValue].
func (h *Holder[T]) Loadable() feature.Loading { return loadingOf(h.load != nil, h.local) }

func loadingOf(loads, local bool) feature.Loading {
	switch {
	case local:
		return feature.LoadsLocal
	case loads:
		return feature.LoadsAgain
	}
	return feature.LoadsNever
}

// Reload implements [feature.LiveValue].
func (h *Holder[T]) Reload(ctx context.Context, _ string) error { return h.ReloadAll(ctx) }

// ReloadAll implements [feature.LiveValue].
func (h *Holder[T]) ReloadAll(ctx context.Context) error {
	for range maxLoadRuns {
		old := h.state.Load()
		v, ok, err := h.load(ctx)
		if err != nil || !ok {
			return err
		}
		next := h.encode(v)
		if next.err != nil {
			return next.err
		}
		changed, ok := h.replace(old, next)
		if changed {
			h.servers.publish(next.uri, false, true)
		}
		if ok {
			return nil
		}
	}
	return errLoadRuns
}

// Read implements [feature.LiveValue].
func (h *Holder[T]) Read(*call.Call) (content.Contents, error) {
	s := h.state.Load()
	return s.contents, s.err
}

// List implements [feature.Instances]. It adds the only entry.
func (h *Holder[T]) List(_ context.Context, _ string, _ int, to *feature.PageBuilder) (string, error) {
	to.Add(h.state.Load().ref)
	return "", nil
}

// Attach implements [feature.LiveValue].
func (h *Holder[T]) Attach(p feature.Publisher, listed bool) { h.servers.attach(p, listed) }

// Detach implements [feature.LiveValue].
func (h *Holder[T]) Detach(p feature.Publisher) { h.servers.detach(p) }
