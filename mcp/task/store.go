package task

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Sizes that every store must allow and no server exceeds, in bytes.
const (
	MaxID        = 64      // of Record.ID
	MaxPrincipal = 64      // of Record.Principal
	MaxRecord    = 8 << 20 // of what Record.Encode returns
)

// Errors of a [Store]. All others mean that the store is not available, and that a change may have been made or not.
var (
	// ErrNotFound means that there is no record under this id.
	ErrNotFound = errors.New("task: no such task")
	// ErrChanged means that a record has another version than the caller knows.
	ErrChanged = errors.New("task: the record has changed")
	// ErrExists means that there is a record under the id of a new one.
	ErrExists = errors.New("task: there is a task with this id")
	// ErrFull means that there is no room for a record: the principal or the store has as many as it may have, the store
	// has no space, or the record is larger than MaxRecord.
	ErrFull = errors.New("task: no room for the task")
	// ErrPrincipalFull is an [ErrFull] that says that it is the principal who has as many as it may have.
	ErrPrincipalFull = fmt.Errorf("%w: its principal has as many as it may have", ErrFull)
)

// Store holds the records of tasks, one under each id. The replicas of one server share a store; servers that are not
// replicas of each other have different ones, such as two tables or two buckets.
//
// Each change is durable before the method returns, and every replica sees it from then on. A method returns soon after
// ctx has ended. A store keeps no [Record] that it was given or has returned: both are the caller's to change. All
// methods are safe for concurrent use. Times are compared as the caller gives them; a store has no clock of its own.
type Store interface {
	// Create keeps a new record, and sets r.Version, which is never 0. The error is ErrExists if there is a record
	// under the id, and ErrFull if there is no space for this one or there are as many records as limits allow in all,
	// or, which ErrPrincipalFull says better, of the principal. Expired records count until [Store.Expire] has removed
	// them. Replicas that create at the same time may exceed the limits by one record each.
	Create(ctx context.Context, r *Record, limits Limits) error
	// Get returns the record under an id, also after it has expired. The error is ErrNotFound if there is none.
	Get(ctx context.Context, id string) (*Record, error)
	// Swap replaces the record under r.ID if its version is r.Version, and sets r.Version to a new one, which no record
	// of this id had before. ID, Principal and Created never change. The error is ErrChanged if the version is another,
	// ErrNotFound if there is no record, and ErrFull if the record is larger than MaxRecord or the store has no space for
	// it; in all these cases nothing was changed.
	Swap(ctx context.Context, r *Record) error
	// Claim finds a record that is claimable at now (see [Record.Claimable]), gives it to owner until the time until as
	// [Record.Lease] does, and returns it. Of several it prefers those whose LeaseUntil is the oldest. The error is
	// ErrNotFound if there is none. Two calls never return the same lease of a task.
	Claim(ctx context.Context, owner string, now, until time.Time) (*Record, error)
	// List returns the records of a principal whose ids come after an id, in the order of bytes of their ids, and at
	// most limit of them. Fewer than limit means that there are no more. Expired records may be among them.
	List(ctx context.Context, principal, after string, limit int) ([]*Record, error)
	// Expire removes records with Expires at or before now, whatever their status, at most limit of them, and returns
	// how many.
	Expire(ctx context.Context, now time.Time, limit int) (removed int, err error)
}

// Limits bounds the number of records in a [Store]. Both are positive.
type Limits struct {
	// PerPrincipal is the most records of one principal, and Total the most in all.
	PerPrincipal, Total int
}

// SelectiveStore is a [Store] that can leave the tasks of some principals unclaimed. A server that has no room for more
// tasks of a principal then leaves them where they are, and runs the next one as soon as there is room. With any other
// store it claims them, and puts them back for some seconds.
type SelectiveStore interface {
	Store
	// ClaimExcept is Claim without the records of some principals, of which there are a few hundred at most.
	ClaimExcept(ctx context.Context, owner string, now, until time.Time, principals []string) (*Record, error)
}
