package taskrun

import (
	"context"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// storeTimeout bounds one call of the store.
const storeTimeout = 5 * time.Second

// Records reads and writes the records of tasks in a store. A call of the store ends after storeTimeout, and is counted
// if the store fails. Records is safe for concurrent use.
type Records struct {
	store  task.Store
	limits task.Limits
	lists  *turns // bounds how many calls read a part of a list
	counts *Counts
}

func newRecords(store task.Store, limits task.Limits, counts *Counts) Records {
	return Records{store: store, limits: limits, lists: newTurns(maxLists), counts: counts}
}

// insert stores a new record. The errors are [task.ErrFull] and those of the store.
func (x *Records) insert(ctx context.Context, r *task.Record) error {
	return x.call(ctx, func(ctx context.Context) error { return x.store.Create(ctx, r, x.limits) })
}

// Get returns the record of a task. The error is [task.ErrNotFound] if there is none, or it has expired.
func (x *Records) Get(ctx context.Context, id string) (*task.Record, error) {
	r, err := find(ctx, x, id, x.store.Get)
	if err == nil && r.Expired(time.Now()) {
		return nil, task.ErrNotFound
	}
	return r, err
}

// Head returns the head of a task, with the errors of Get.
func (x *Records) Head(ctx context.Context, id string) (*task.Head, error) {
	h, err := find(ctx, x, id, x.store.Head)
	if err == nil && h.Expired(time.Now()) {
		return nil, task.ErrNotFound
	}
	return h, err
}

func find[T any](
	ctx context.Context, x *Records, id string, get func(context.Context, string) (*T, error),
) (*T, error) {
	if len(id) == 0 || len(id) > task.MaxID {
		return nil, task.ErrNotFound
	}
	var v *T
	err := x.call(ctx, func(ctx context.Context) (err error) {
		v, err = get(ctx, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// call makes a call of the store, bounded by storeTimeout, and counts it if the store fails.
func (x *Records) call(ctx context.Context, f func(ctx context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	err := f(limited)
	if err == nil || ctx.Err() != nil {
		return err
	}
	for _, known := range []error{task.ErrNotFound, task.ErrChanged, task.ErrExists, task.ErrFull} {
		if errors.Is(err, known) {
			return err
		}
	}
	x.counts.StoreErrors.Add(1)
	return err
}

// Limits of the heads that are in memory for lists at a time: listBatch for each of maxLists calls. A head may be
// large, because it has the rights of a caller and sometimes a small body.
const (
	maxLists  = 4
	listBatch = 25
)

// List calls f for the heads of a principal in the order of their ids, at most limit times. It begins behind the head
// whose id is lastID, or with the first if lastID is "". If it calls f fewer times without an error, there are no more.
func (x *Records) List(ctx context.Context, principal, lastID string, limit int, f func(h *task.Head)) error {
	for limit > 0 {
		n, most := 0, min(limit, listBatch)
		if err := x.lists.take(ctx, principal); err != nil {
			return err
		}
		err := x.call(ctx, func(ctx context.Context) error {
			defer x.lists.give(principal)
			list, err := x.store.List(ctx, principal, lastID, most)
			for _, h := range list {
				f(h)
				lastID = h.ID
			}
			n = len(list)
			return err
		})
		if err != nil || n < most {
			return err
		}
		limit -= n
	}
	return nil
}

// errAsIs is what a change returns if nothing is to be changed.
var errAsIs = errors.New("taskrun: nothing to change")

// maxSwaps is how often a change is tried again when others change the same record.
const maxSwaps = 64

// change changes a task, whoever owns it. read reads the parts of the record that f needs. f may be called several
// times, each time with the newest record. If f returns errAsIs, nothing is written, and the error is nil.
func (x *Records) change(
	ctx context.Context, id string, read func(context.Context, string) (*task.Record, error), f func(r *task.Record) error,
) (*task.Record, error) {
	err := task.ErrChanged
	for range maxSwaps {
		var r *task.Record
		if r, err = read(ctx, id); err != nil {
			return nil, err
		}
		if err = f(r); errors.Is(err, errAsIs) {
			return r, nil
		} else if err != nil {
			return r, err
		}
		if err = x.swap(ctx, &r.Head, &r.Body); err == nil {
			return r, nil
		}
		if !errors.Is(err, task.ErrChanged) {
			return nil, err
		}
	}
	return nil, err
}

// swap replaces a record. A nil body leaves the body as it is.
func (x *Records) swap(ctx context.Context, h *task.Head, b *task.Body) error {
	return x.call(ctx, func(ctx context.Context) error { return x.store.Swap(ctx, h, b, x.limits) })
}

// claimNext claims a task as [task.Store] says.
func (x *Records) claimNext(ctx context.Context, c task.Claim) (h *task.Head, latest uint64, err error) {
	err = x.call(ctx, func(ctx context.Context) (err error) {
		h, latest, err = x.store.Claim(ctx, c)
		return err
	})
	return h, latest, err
}

// expire makes at most maxExpires calls of the store. Each of them removes at most expireBatch tasks.
const (
	maxExpires  = 256
	expireBatch = 256
)

// expire removes tasks that have expired by now, and counts them.
func (x *Records) expire(ctx context.Context, now time.Time) error {
	for range maxExpires {
		n := 0
		err := x.call(ctx, func(ctx context.Context) (err error) {
			n, err = x.store.Expire(ctx, now, expireBatch)
			return err
		})
		x.counts.Expired.Add(int64(n))
		if err != nil || n < expireBatch {
			return err
		}
	}
	return nil
}
