// Package paging has the cursors of lists whose entries change while a client pages.
//
// A cursor holds hashes of the names that the client got last, and not a position, so entries may be added and removed
// before the next page. The hash is the same in all processes, which may share their keys.
package paging
