// Package replica declares what the replicas of one server share: a [Bus], which tells each of them that something may
// have changed, and a [SessionStore], which holds sessions that any of them can serve. Adapters implement these
// interfaces; packages bustest and sessiontest below this one test an implementation, and package memory has one of
// each for tests and examples.
//
// Everything in both is sealed with the keys of mcp.Options: an adapter sees neither URIs nor users, and need not keep
// anything secret.
package replica

import (
	"context"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/replicas"
)

// Limits that every adapter must allow and no replica exceeds, in bytes.
const (
	MaxFrame  = 1 << 20   // of a frame on a Bus
	MaxRecord = 512 << 10 // of a record in a SessionStore
	MaxID     = 256       // of the id of a record
)

// Bus carries frames between the replicas of one server. It may lose, repeat and reorder them: replicas notice and make
// up for it. A frame has 1 to [MaxFrame] bytes of any value. All methods are safe for concurrent use, and a Bus may
// have several subscriptions at once.
type Bus interface {
	// Publish hands a frame to all replicas, the sender included. It does not wait for receivers, and returns soon after
	// ctx has ended. It does not keep frame. A nil error does not mean that the frame arrives.
	Publish(ctx context.Context, frame []byte) error
	// Subscribe calls receive for each frame, one at a time, until ctx ends or the subscription fails; the error says
	// which, and is never nil. It calls gap when it becomes live, the first time too, and whenever it knows that frames
	// were lost. A frame that is published after a call of gap arrives, or gap is called again. Calls of receive and gap
	// do not overlap, and there are none after Subscribe has returned. receive may keep and change frame. While receive or
	// gap blocks, frames may be lost. The caller may subscribe again, also after a failure.
	Subscribe(ctx context.Context, receive func(frame []byte), gap func()) error
}

// Link is a [Bus] in the form that mcp.Options.Bus takes. [Over] makes it.
type Link interface {
	Bus
	link()
}

// Over returns the link of replicas that share bus; nil if bus is nil. Only programs that call Over link the code for
// replicas.
func Over(bus Bus) Link {
	if bus == nil {
		return nil
	}
	return over{bus}
}

type over struct{ Bus }

func (over) link() {}

// OpenReplica implements [replicas.Opener].
func (o over) OpenReplica(c replicas.Config) replicas.Connection { return replicas.Open(o.Bus, c) }

// Errors of a [SessionStore].
var (
	// ErrNotFound means that there is no record under this id, or that it has expired.
	ErrNotFound = errors.New("replica: no such record")
	// ErrChanged means that a record has another version than the caller knows, or is gone.
	ErrChanged = errors.New("replica: the record has changed")
)

// SessionStore holds the records of sessions, one under each id. Each change is durable before the method returns, and
// every replica sees it from then on. An id has 1 to [MaxID] bytes of the alphabet of base64url, a record 0 to
// [MaxRecord] bytes. All methods are safe for concurrent use, and return soon after ctx has ended. Errors other than
// [ErrNotFound] and [ErrChanged] mean that the store is not available; it is not known then whether a change was made.
type SessionStore interface {
	// Load returns a record and its version, which is never 0. The caller may change record. The error is ErrNotFound if
	// there is none.
	Load(ctx context.Context, id string) (record []byte, version uint64, err error)
	// Save stores record under id, in place of the record with that version; version 0 means that there must be no record.
	// The error is ErrChanged if the stored record has another version, or is gone. Save returns the new version, which no
	// record of this id had before. The record expires ttl after the last Save. ttl is at least one second, and a store
	// may round it up to the next second. Save does not keep the memory of record.
	Save(ctx context.Context, id string, version uint64, record []byte, ttl time.Duration) (uint64, error)
	// Delete removes a record. That there is none is not an error.
	Delete(ctx context.Context, id string) error
}
