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

	entry    func(T) Ref
	contents func(T, error) (Contents, error)
	clock    func() time.Time

	writing sync.Mutex // held while the next state is made
	state   atomic.Pointer[snapshot[T]]
}

// NewHolder returns a holder of v. Generated code calls it; entry and contents say how clients see
// a value. If v cannot be encoded, reading fails until another value is set.
func NewHolder[T any](v T, entry func(T) Ref, contents func(T, error) (Contents, error)) *Holder[T] {
	h := &Holder[T]{entry: entry, contents: contents, clock: time.Now}
	h.state.Store(newSnapshot(v, h.clock(), entry, contents))
	return h
}

// Get returns the value.
func (h *Holder[T]) Get() T { return h.state.Load().value }

// Set replaces the value. It fails if v cannot be encoded; the old value then stays.
func (h *Holder[T]) Set(v T) error {
	h.writing.Lock()
	defer h.writing.Unlock()
	return h.set(v)
}

// Update lets f change a copy of the value and sets it, unless f fails: then nothing changes and
// the error of f is returned. Updates happen one after the other; f must not set the value of h in
// another way.
func (h *Holder[T]) Update(f func(*T) error) error {
	h.writing.Lock()
	defer h.writing.Unlock()
	v := h.Get()
	if err := f(&v); err != nil {
		return err
	}
	return h.set(v)
}

// set makes v the value and announces it if it looks different to clients. The caller holds writing.
func (h *Holder[T]) set(v T) error {
	old, next := h.state.Load(), newSnapshot(v, h.clock(), h.entry, h.contents)
	if next.err != nil {
		return next.err
	}
	same := next.same(old)
	if same && h.entry(v).Info.Modified.IsZero() {
		next.ref.Info.Modified = old.ref.Info.Modified
	}
	h.state.Store(next)
	if !same {
		h.announce(next.ref.URI, false)
	}
	return nil
}

func (h *Holder[T]) read(*Call) (Contents, error) {
	s := h.state.Load()
	return s.contents, s.err
}

// list returns the only entry.
func (h *Holder[T]) list(context.Context, string, int) ([]Ref, string, error) {
	return []Ref{h.state.Load().ref}, "", nil
}
