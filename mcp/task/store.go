package task

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/fair"
)

// Sizes that every store must allow and no server exceeds, in bytes.
const (
	MaxID        = 64      // of Head.ID
	MaxPrincipal = 64      // of Head.Principal
	MaxRecord    = 8 << 20 // of both texts that Record.Encode returns
)

// Errors of a [Store]. All others mean that the store is not available, and that a change may have been made or not.
var (
	// ErrNotFound means that there is no record under this id.
	ErrNotFound = errors.New("task: no such task")
	// ErrChanged means that a record has another version than the caller knows.
	ErrChanged = errors.New("task: the record has changed")
	// ErrExists means that there is a record under the id of a new one.
	ErrExists = errors.New("task: there is a task with this id")
	// ErrFull means that there is no room for a record: a limit of the principal or of the store is reached, the store has
	// no space, or the record is larger than MaxRecord.
	ErrFull = errors.New("task: no room for the task")
	// ErrPrincipalFull wraps [ErrFull]. It means that a limit of the principal is reached, and not only one of the store.
	ErrPrincipalFull = fmt.Errorf("%w: its principal has as much as it may have", ErrFull)
)

// Store holds the records of tasks, one under each id. The replicas of one server share a store; servers that are not
// replicas of each other have different ones, such as two tables or two buckets.
//
// A record is two texts: the head, and a body of up to MaxRecord that few methods need. [Record.Encode] makes them, and
// [Head.DecodeHead] and [Record.Decode] read them. A store should keep them so that a head can be read without the
// body.
//
// Each change is durable before the method returns, and every replica sees it from then on. Each change gives the
// record a version that is greater than all versions that the store has given to any record before. A method returns
// soon after ctx has ended. A store copies what it is given, so that the caller may change it. What it returns may
// share the bytes of a body with it: the caller may set fields, but must not write into those bytes. All methods are
// safe for concurrent use. Times are those that the caller gives; a store has no clock of its own.
type Store interface {
	// Create stores a new record, and sets r.Version and r.Size. The error is ErrExists if there is a record with that id,
	// and ErrFull if there is no space for this one or limits do not allow it. If the limits of all principals together
	// are reached, tasks that have ended make room, as [Limits] says. Expired records count until they are removed.
	// Replicas that create at the same time may exceed the limits by one record each.
	Create(ctx context.Context, r *Record, limits Limits) error
	// Head returns the head of the record with an id, even if it has expired. The error is ErrNotFound if there is none.
	Head(ctx context.Context, id string) (*Head, error)
	// Get returns the head and the body of the record with an id, both of the same version. Otherwise it is like Head.
	Get(ctx context.Context, id string) (*Record, error)
	// Swap replaces the record with the id h.ID if its version is h.Version, and sets h.Version and h.Size. If b is nil,
	// the body stays as it is and is not written. ID, Principal and Created never change. The error is ErrChanged if the
	// version differs, and ErrNotFound if there is no record. It is ErrFull if the record is larger than MaxRecord, if the
	// store has no space for it, or if it grows by more than [Slack] bytes and limits do not allow that. With these errors
	// nothing was changed.
	Swap(ctx context.Context, h *Head, b *Body, limits Limits) error
	// Claim gives a task that is claimable (see [Head.Claimable]) to c.Owner as [Head.Lease] does, and returns its head.
	// It prefers tasks that have not changed since c.Still, the oldest version first. After these it takes the task with
	// the oldest LeaseUntil. The error is ErrNotFound if no task is claimable. Two calls never return the same lease of a
	// task.
	//
	// latest is the greatest version that the store had given to any record when it looked; 0 if it does not know. It is
	// returned with ErrNotFound too.
	Claim(ctx context.Context, c Claim) (h *Head, latest uint64, err error)
	// List returns at most limit heads of a principal, in the order of their ids, which are compared by bytes. It begins
	// with the first id that is greater than afterID; "" begins with the first of all. Fewer than limit means that there
	// are no more. Expired records may be among them.
	List(ctx context.Context, principal, afterID string, limit int) ([]*Head, error)
	// Expire removes records that expire at or before now, whatever their status, at most limit of them. It returns how
	// many it has removed.
	Expire(ctx context.Context, now time.Time, limit int) (removed int, err error)
}

// Claim says which task may be claimed, and by whom.
type Claim struct {
	// Owner is the replica that gets the task, and Until the end of its lease, by its own clock.
	Owner string
	Until time.Time
	// Now is the time of the claim. A task is expired if Expires is not after Now. A task without an owner may be claimed
	// if LeaseUntil is not after Now.
	Now time.Time
	// Still is a version that the same handle has returned as latest, so long ago that a living owner must have changed
	// its records since. Records with this version or a smaller one are claimable, whatever their owner.
	Still uint64
	// Owned says that tasks without an owner are not claimed, but only those of silent owners.
	Owned bool
	// Except are principals whose tasks are not claimed, a few hundred at most.
	Except []string
}

// Slack is how many bytes a change may add to a record even if limits are reached, so that each task can be claimed and
// ended.
const Slack = 4 << 10

// SizeOf returns how many bytes a record with the texts head and body counts for: those of both, but at least [Slack].
func SizeOf(head, body []byte) int64 { return max(int64(len(head)+len(body)), Slack) }

// Holding is what a principal, or all principals together, have in a store: tasks, and their bytes by [SizeOf]. Tasks
// that have ended are included.
type Holding struct {
	Tasks, Ended      int
	Bytes, EndedBytes int64
}

// Holding returns what the task adds to the Holding of its principal.
func (h *Head) Holding() Holding {
	if h.Status.Final() {
		return Holding{1, 1, h.Size, h.Size}
	}
	return Holding{Tasks: 1, Bytes: h.Size}
}

// Add adds n times o.
func (h *Holding) Add(o Holding, n int) {
	h.Tasks += n * o.Tasks
	h.Ended += n * o.Ended
	h.Bytes += int64(n) * o.Bytes
	h.EndedBytes += int64(n) * o.EndedBytes
}

// Limits bounds what is in a [Store]. If the limits of all principals together are reached, a store removes tasks that
// have ended, the oldest of the principal that has most, until there is room: see [Limits.Short].
type Limits struct {
	// PerPrincipal is the most records of one principal, and Total the most in all. Both are positive.
	PerPrincipal, Total int
	// Bytes is the most bytes in all, of which one principal has at most a quarter. 0 is no limit.
	Bytes int64
}

// Check returns nil if a principal with the Holding own may add the Holding wanted to it. total is the Holding of all
// principals together. The error is ErrPrincipalFull if the limits of the principal do not allow it, and ErrFull if
// those of all together do not. Besides the limits, a principal can have at most four times what unfinished tasks leave
// free, not counting an eighth that is reserved for principals without unfinished tasks.
func (l Limits) Check(own, total, wanted Holding) error {
	n := [2]int64{int64(wanted.Tasks), wanted.Bytes}
	full := false
	for i, k := range l.kinds(own, total) {
		if n[i] <= 0 || k.most <= 0 {
			continue
		}
		live, left := k.own-k.ownEnded+n[i], k.most-k.all+k.allEnded
		reserved := min((k.most+7)/8, k.most-1)
		if k.own+n[i] > k.each || live > n[i] && fair.Scarce(live, left, reserved) {
			return ErrPrincipalFull
		}
		full = full || k.all+n[i] > k.most
	}
	if full {
		return ErrFull
	}
	return nil
}

// Short says how a store makes room after [Limits.Check] has returned ErrFull. total and wanted are those of Check. Of
// the principals with a task that has ended, the store takes the principal with the greatest amount, and removes its
// oldest such task. If that amount is less than the amount of the principal that wants room, there is none. amount
// returns the tasks or the bytes of a Holding, whichever are short.
func (l Limits) Short(total, wanted Holding) (amount func(of Holding) int64) {
	if wanted.Tasks > 0 && total.Tasks+wanted.Tasks > l.Total {
		return func(of Holding) int64 { return int64(of.Tasks) }
	}
	return func(of Holding) int64 { return of.Bytes }
}

// kind is tasks or bytes: what a principal may have (each), what all may have (most), and what they have.
type kind struct{ each, most, own, ownEnded, all, allEnded int64 }

func (l Limits) kinds(own, all Holding) [2]kind {
	return [2]kind{
		{
			int64(l.PerPrincipal), int64(l.Total), int64(own.Tasks), int64(own.Ended), int64(all.Tasks), int64(all.Ended),
		},
		{l.Bytes / 4, l.Bytes, own.Bytes, own.EndedBytes, all.Bytes, all.EndedBytes},
	}
}
