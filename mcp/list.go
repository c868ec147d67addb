package mcp

import (
	"iter"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
)

// RefInfo is what a list says about one instance of a template. Empty fields are taken from the
// template, except Title: clients show it in place of the name, and instances of one title look alike.
//
// The generated refs embed it. In a ref of a template with a variable {size}, ref.Size is that
// variable, and the length of the content is ref.RefInfo.Size; so for the other fields.
type RefInfo struct {
	Title       string
	Description string
	MIMEType    string
	// Size is the length of the content in bytes before any encoding; nil when unknown.
	Size *int64
	// Modified is when the content last changed; zero when unknown.
	Modified time.Time
	// Priority says how important the content is, from 0 to 1; nil when unknown.
	Priority *float64
	// Audience says whom the content is for.
	Audience []protocol.Role
	Icons    []protocol.Icon
}

// Page asks a list function for some entries.
type Page struct {
	// Cursor is where the page begins: "" for the start, else the Next of the page before. The
	// client cannot change it; it is sealed on its way.
	Cursor string
	// Size is how many entries the client will be shown at most; the function may return fewer.
	Size int
}

// List is one page of entries.
type List[R any] struct {
	Items []R
	// Next is the Cursor of the following page; "" if this is the last.
	Next string
}

// Holder keeps the value of one resource, and tells the subscribers of all servers that serve it
// when clients would see a difference. It is safe for concurrent use. Generated code has its constructor.
//
// A value is encoded when it is set, and clients read that encoding. Get and Update copy it as an
// assignment does: what its pointers, slices and maps refer to is shared and must not be changed in
// place.
type Holder[T any] server.Holder[T]

// Get returns the value.
func (h *Holder[T]) Get() T { return (*server.Holder[T])(h).Get() }

// Set replaces the value. It fails if v cannot be encoded, or if the function of an Update of h calls it; the old value
// then stays.
func (h *Holder[T]) Set(v T) error { return (*server.Holder[T])(h).Set(v) }

// Update lets f change a copy of the value and sets it, unless f fails: then nothing changes and the error of f is
// returned.
//
// Reads and other changes go on while f runs. If the value has changed meanwhile, f is called again, with a copy of the
// new one, so that no change is lost; f should have no effect but on its argument. If f calls Set or Update of h
// itself, these fail, and so does the Update.
func (h *Holder[T]) Update(f func(*T) error) error { return (*server.Holder[T])(h).Update(f) }

// Store keeps the values of a template in the order of their keys, and tells the clients of all
// servers that serve it about changes: a new key changes the list, a value that clients would see a
// difference in updates its URI, and a key that goes does both. It is safe for concurrent use. Generated code has its
// constructor.
//
// A value is encoded when it is put, and clients read that encoding. Get, All and Update copy it as
// an assignment does: what its pointers, slices and maps refer to is shared and must not be changed
// in place.
type Store[K, V any] server.Store[K, V]

func (s *Store[K, V]) impl() *server.Store[K, V] { return (*server.Store[K, V])(s) }

// Get returns the value of a key.
func (s *Store[K, V]) Get(key K) (v V, ok bool) { return s.impl().Get(key) }

// Put adds v or replaces the value with its key. It fails if v cannot be encoded, if its key
// cannot be written in a URI of the template, such as an empty text, or if the function of an Update of s calls it;
// then nothing changes.
func (s *Store[K, V]) Put(v V) error { return s.impl().Put(v) }

// Update lets f change a copy of a value and puts it, unless f fails: then nothing changes and the
// error of f is returned. It returns [ErrNotFound] if there is no value, and fails if f changes the
// key.
//
// Reads and other changes go on while f runs. If the value has changed meanwhile, f is called again, with a copy of the
// new one, so that no change is lost; f should have no effect but on its argument. If f calls Put, Update or Delete of
// s itself, these do nothing, and the Update fails.
func (s *Store[K, V]) Update(key K, f func(*V) error) error { return s.impl().Update(key, f) }

// Delete removes a value and reports whether there was one. If the function of an Update of s calls it, it does
// nothing, and the Update fails.
func (s *Store[K, V]) Delete(key K) bool { return s.impl().Delete(key) }

// All yields the values in the order of their keys. The store may be changed meanwhile: a value that
// is there all the time is yielded once, one that comes or goes may or may not be.
func (s *Store[K, V]) All() iter.Seq2[K, V] { return s.impl().All() }
