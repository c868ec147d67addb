package mcp

import (
	"context"
	"iter"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/live"
)

// RefInfo is the description of one instance of a template in a list. Empty fields are taken from the template, except
// Title, because clients show it in place of the name.
//
// The generated references embed it. If a template has a variable {size}, ref.Size is the variable and ref.RefInfo.Size
// the length of the content; the same holds for the other fields.
type RefInfo struct {
	Title       string
	Description string
	MIMEType    string
	// Size is the length of the content in bytes before any encoding; nil means unknown.
	Size *int64
	// Modified is when the content last changed; zero means unknown.
	Modified time.Time
	// Priority is the importance of the content, from 0 to 1; nil means unknown.
	Priority *float64
	// Audience is the intended audience of the content.
	Audience []protocol.Role
	Icons    []protocol.Icon
}

// Page is the page of entries that a list function shall return.
type Page struct {
	// Cursor is where the page begins: "" for the first page, else the Next of the previous page. The server seals it
	// before it sends it, so the client cannot change it.
	Cursor string
	// Size is the largest number of entries; the function may return fewer.
	Size int
}

// List is one page of entries.
type List[R any] struct {
	Items []R
	// Next is the Cursor of the next page; "" means that this is the last page.
	Next string
}

// EventPage is a part of the history of an event, behind a cursor. A function with //mcp:replay returns it.
type EventPage[E any] struct {
	// Events are the events behind the requested cursor, oldest first, at most as many as were requested. Behind the same
	// cursor there must always be the same events in the same order; new ones come at the end.
	Events []E
	// Next is the cursor behind the last of Events, or behind later events that were looked at and left out: 1 to 256
	// bytes.
	Next string
	// More says that there are more events behind Next already.
	More bool
	// Lost says that events behind the requested cursor are gone. Then Events is empty, and Next is where the remaining
	// events begin.
	Lost bool
}

// Holder holds the value of one resource. If clients would see a difference, a new value publishes an update in all
// servers that serve the holder. It is safe for concurrent use. Generated code has its constructor.
//
// A value is encoded when it is set, and clients read that encoding. Get and Update copy the value as an assignment
// does: data behind its pointers, slices and maps is shared and must not be changed in place.
type Holder[T any] live.Holder[T]

// Get returns the value.
func (h *Holder[T]) Get() T { return (*live.Holder[T])(h).Get() }

// Set replaces the value. It fails if v cannot be encoded; then the value does not change.
func (h *Holder[T]) Set(v T) error { return (*live.Holder[T])(h).Set(v) }

// Update calls f with a copy of the value and sets the value to that copy. If f returns an error, or the copy cannot be
// encoded, the value does not change, and Update returns the error.
//
// No lock is held while f runs. If the value changes meanwhile, f is called again with a copy of the new value, so that
// no change is lost; f should have no effect except on its argument. After 1,000 calls of f, as when f itself sets h,
// Update gives up with an error.
func (h *Holder[T]) Update(f func(*T) error) error { return (*live.Holder[T])(h).Update(f) }

// LoadWith sets the source of the value for a server with replicas ([Options.Bus]), and returns h. Call it before the
// server is made. load returns the value that the replicas share, for example from a database. It returns false if
// there is none yet; the holder then keeps its value. load is called whenever another replica may have changed the
// value, so a program must change the database before it calls Set. load is called again if it fails. Its context ends
// after 10 seconds.
func (h *Holder[T]) LoadWith(load func(ctx context.Context) (T, bool, error)) *Holder[T] {
	(*live.Holder[T])(h).LoadWith(load)
	return h
}

// Local says, in place of [Holder.LoadWith], that each replica has a value of its own, and returns h. With each request
// a client may see the value of another replica.
func (h *Holder[T]) Local() *Holder[T] {
	(*live.Holder[T])(h).Local()
	return h
}

// Store holds the values of a template in the order of their keys. All servers that serve the store tell their clients
// about changes. A new key changes the list. A new value updates its URI if clients would see a difference. A deleted
// key does both. It is safe for concurrent use. Generated code has its constructor.
//
// A value is encoded when it is put, and clients read that encoding. Get, All and Update copy the value as an
// assignment does: data behind its pointers, slices and maps is shared and must not be changed in place.
type Store[K, V any] live.Store[K]

func (s *Store[K, V]) impl() *live.Store[K] { return (*live.Store[K])(s) }

// Get returns the value of key, and whether there is one.
func (s *Store[K, V]) Get(key K) (v V, ok bool) {
	found, ok := s.impl().Get(key)
	v, _ = found.(V)
	return v, ok
}

// Put adds v or replaces the value with the same key. It fails if v cannot be encoded, or if its key is not valid in a
// URI of the template, such as an empty string; then nothing changes.
func (s *Store[K, V]) Put(v V) error { return s.impl().Put(v) }

// Update calls f with a copy of the value of key and puts that copy. If f returns an error, or the copy cannot be
// encoded, nothing changes, and Update returns the error. It returns [ErrNotFound] if there is no value, and fails if f
// changes the key.
//
// No lock is held while f runs. If the value changes meanwhile, f is called again with a copy of the new value, so that
// no change is lost; f should have no effect except on its argument. After 1,000 calls of f, as when f itself puts the
// value, Update gives up with an error.
func (s *Store[K, V]) Update(key K, f func(*V) error) error {
	return s.impl().Update(key, func(old any) (any, error) {
		v, _ := old.(V)
		err := f(&v)
		return v, err
	})
}

// Delete removes the value of key and reports whether there was one.
func (s *Store[K, V]) Delete(key K) bool { return s.impl().Delete(key) }

// All yields the values in the order of their keys. The store may change meanwhile: a value that exists all the time is
// yielded once; one that is added or deleted may be yielded or not.
func (s *Store[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		s.impl().All()(func(key K, found any) bool {
			v, _ := found.(V)
			return yield(key, v)
		})
	}
}

// LoadWith sets the source of the values for a server with replicas ([Options.Bus]), and returns s. Call it before the
// server is made. load returns the value of a key that the replicas share, for example from a database, or false if
// there is none. It is called whenever another replica may have changed the value, so a program must change the
// database before it calls Put, Update or Delete. load is called again if it fails. Its context ends after 10 seconds.
func (s *Store[K, V]) LoadWith(load func(ctx context.Context, key K) (V, bool, error)) *Store[K, V] {
	var erased func(context.Context, K) (any, bool, error)
	if load != nil {
		erased = func(ctx context.Context, key K) (any, bool, error) { return load(ctx, key) }
	}
	s.impl().LoadWith(erased)
	return s
}

// LoadAllWith sets the source of all values, for when any of them may have changed: at the start of a replica, and when
// it may have missed changes of others. It returns s. Call it in addition to [Store.LoadWith]. A value that the
// sequence does not yield is loaded alone, and removed if it does not exist. Without LoadAllWith the values of the
// store are loaded one by one. A value that another replica has added while this one could not hear it then stays
// unknown until it changes again.
func (s *Store[K, V]) LoadAllWith(all func(ctx context.Context) iter.Seq2[V, error]) *Store[K, V] {
	var erased func(context.Context) iter.Seq2[any, error]
	if all != nil {
		erased = func(ctx context.Context) iter.Seq2[any, error] {
			return func(yield func(any, error) bool) {
				all(ctx)(func(v V, err error) bool { return yield(v, err) })
			}
		}
	}
	s.impl().LoadAllWith(erased)
	return s
}

// Local says, in place of [Store.LoadWith], that each replica has values of its own, and returns s. With each request a
// client may see the values of another replica.
func (s *Store[K, V]) Local() *Store[K, V] {
	s.impl().Local()
	return s
}
