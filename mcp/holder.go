package mcp

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Holder keeps the value of one resource, and tells the subscribers of all servers that serve it
// when clients would see a difference. It is safe for concurrent use.
//
// A value is encoded when it is set, and clients read that encoding. Get and Update copy it as an
// assignment does: what its pointers, slices and maps refer to is shared and must not be changed in
// place.
type Holder[T any] struct {
	audience

	entry    func([]byte, T) Ref
	contents func(T, error) (Contents, error)
	clock    func() time.Time

	writing sync.Mutex // held while the next state is made
	state   atomic.Pointer[snapshot[T]]
}

// NewHolder returns a holder of v. Generated code calls it; entry and contents say how clients see
// a value. If v cannot be encoded, reading fails until another value is set.
func NewHolder[T any](v T, entry func([]byte, T) Ref, contents func(T, error) (Contents, error)) *Holder[T] {
	h := &Holder[T]{entry: entry, contents: contents, clock: time.Now}
	first := h.encode(v)
	first.follow(nil, h.clock())
	h.state.Store(first)
	return h
}

// Get returns the value.
func (h *Holder[T]) Get() T { return h.state.Load().value }

// Set replaces the value. It fails if v cannot be encoded; the old value then stays.
func (h *Holder[T]) Set(v T) error {
	next := h.encode(v)
	h.writing.Lock()
	defer h.writing.Unlock()
	return h.set(next)
}

// Update lets f change a copy of the value and sets it, unless f fails: then nothing changes and
// the error of f is returned. Updates happen one after the other; f must not set the value of h in
// another way, and nor must the methods that encode it.
func (h *Holder[T]) Update(f func(*T) error) error {
	h.writing.Lock()
	defer h.writing.Unlock()
	v := h.Get()
	if err := f(&v); err != nil {
		return err
	}
	return h.set(h.encode(v))
}

func (h *Holder[T]) encode(v T) *snapshot[T] { return newSnapshot(v, h.entry, h.contents) }

// set makes next the state and announces it if it looks different to clients. The caller holds writing.
func (h *Holder[T]) set(next *snapshot[T]) error {
	if next.err != nil {
		return next.err
	}
	news := next.follow(h.state.Load(), h.clock())
	h.state.Store(next)
	if news {
		h.announce(next.uri, false)
	}
	return nil
}

func (h *Holder[T]) read(*Call) (Contents, error) {
	s := h.state.Load()
	return s.contents, s.err
}

// list returns the only entry.
func (h *Holder[T]) list(_ context.Context, _ string, _ int, to *refs) (string, error) {
	to.add(h.state.Load().ref)
	return "", nil
}
