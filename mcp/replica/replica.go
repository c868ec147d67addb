// Package replica declares what the replicas of one server share: a [Bus], which tells each of them that something may
// have changed, and a [SessionStore], which holds sessions that any of them can serve. Adapters implement these
// interfaces; packages bustest and sessiontest below this one test an implementation.
//
// What passes through both is sealed with the keys of mcp.Options: an adapter sees neither URIs nor users, and need not
// be trusted to keep a secret.
package replica

import (
	"context"
	"errors"
	"time"
)

// Bus carries frames between the replicas of one server. It may lose, repeat and reorder them: replicas notice and make
// up for it. All methods are safe for concurrent use.
type Bus interface {
	// Publish hands a frame to all replicas, the sender included. It does not keep frame. A nil error promises nothing.
	Publish(ctx context.Context, frame []byte) error
	// Subscribe calls receive for each frame, one at a time, until ctx ends or the subscription fails. It calls gap
	// whenever it has become live, the first time too, and whenever it knows that frames were lost. The calls of receive
	// and gap do not overlap, and receive may keep frame.
	Subscribe(ctx context.Context, receive func(frame []byte), gap func()) error
}

// Errors of a [SessionStore].
var (
	// ErrNotFound means that there is no record under this id, or that it has expired.
	ErrNotFound = errors.New("replica: no such record")
	// ErrChanged means that a record has another version than the caller knows.
	ErrChanged = errors.New("replica: the record has changed")
)

// SessionStore holds the records of sessions, one under each id. Each change is durable before the method returns, and
// every replica sees it from then on. All methods are safe for concurrent use. Errors other than [ErrNotFound] and
// [ErrChanged] mean that the store is not available.
type SessionStore interface {
	// Load returns a record and its version, which is never 0.
	Load(ctx context.Context, id string) (record []byte, version uint64, err error)
	// Save replaces a record that still has a version, or makes one where there is none if version is 0, and returns the
	// new version. The record expires after ttl unless it is saved again.
	Save(ctx context.Context, id string, version uint64, record []byte, ttl time.Duration) (uint64, error)
	// Delete removes a record. That there is none is not an error.
	Delete(ctx context.Context, id string) error
}
