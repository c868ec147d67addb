package taskstoretest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

type defective func(s task.Store) task.Store

// defect is what an adapter may do wrong, and the test that must fail.
type defect struct {
	name, test string
	handle     defective
	each       bool // whether each replica has a handle of its own
}

var defects = []defect{
	{"the last one wins", "changed", swapping(forced), false},
	{"version 0 is any version", "changed", swapping(func(ctx context.Context, s task.Store, r *task.Record) error {
		if r.Version == 0 {
			return forced(ctx, s, r)
		}
		return swap(ctx, s, r)
	}), false},
	{"Swap creates", "no_record", swapping(func(ctx context.Context, s task.Store, r *task.Record) error {
		err := swap(ctx, s, r)
		if errors.Is(err, task.ErrNotFound) {
			return s.Create(ctx, r, roomy)
		}
		return err
	}), false},
	{"Create replaces", "exists", func(s task.Store) task.Store {
		a := &altered{Store: s}
		a.create = func(ctx context.Context, r *task.Record, limits task.Limits) error {
			err := s.Create(ctx, r, limits)
			if errors.Is(err, task.ErrExists) {
				return forced(ctx, s, r)
			}
			return err
		}
		return a
	}, false},
	{"compares, then replaces", "many_swap", swapping(torn), false},
	{"compares, then replaces: changes", "many_change", swapping(torn), false},
	{"looks, then creates", "many_create", tornCreate, false},
	{"finds, then takes", "many_claim", tornClaim, false},
	{"leaves out nobody", "except_principals", claiming(func(c *task.Claim) { c.Except = nil }, nil), false},
	{"leaves out one", "except_principals", claiming(func(c *task.Claim) {
		c.Except = c.Except[:min(1, len(c.Except))]
	}, nil), false},
	{"the version stays", "one_record", swapping(func(ctx context.Context, s task.Store, r *task.Record) error {
		version := r.Version
		err := swap(ctx, s, r)
		r.Version = version
		return err
	}), false},
	{"versions begin anew", "versions_grow", counting, false},
	{"too large is no error of the store", "too_large_records", swapping(
		func(ctx context.Context, s task.Store, r *task.Record) error {
			err := swap(ctx, s, r)
			if errors.Is(err, task.ErrFull) {
				return errors.New("the record is too large")
			}
			return err
		}), false},
	{"reads are remembered", "one_record", cached, true},
	{"records are the caller's", "records_are_copies", keeping, false},
	{"a member is left out", "one_record", writing(func(r *task.Record) { r.Answers = nil }), false},
	{"text ends at a NUL", "records", writing(func(r *task.Record) {
		if i := len(r.Message); i > 4 && r.Message[4] == 0 {
			r.Message = r.Message[:4]
		}
	}), false},
	{"a large result is cut", "large_records", writing(func(r *task.Record) {
		if len(r.Result) > 4<<20 {
			r.Result = []byte(`["cut"]`)
		}
	}), false},
	{"large records are refused", "large_records", swapping(func(ctx context.Context, s task.Store, r *task.Record) error {
		if len(r.Result) > 900<<10 {
			return task.ErrFull
		}
		return swap(ctx, s, r)
	}), false},
	{"no limit for a principal", "limits", limited(func(l task.Limits) task.Limits {
		l.PerPrincipal = l.Total
		return l
	}), false},
	{"no limit in all", "limits", limited(func(l task.Limits) task.Limits {
		l.Total = 1e6
		return l
	}), false},
	{"the limits are one less", "limits", limited(func(l task.Limits) task.Limits {
		l.PerPrincipal--
		return l
	}), false},
	{"leases are taken early", "claimable", claiming(func(c *task.Claim) {
		c.Now = c.Now.Add(time.Millisecond)
	}, nil), false},
	{"leases are taken late", "claimable", claiming(func(c *task.Claim) {
		c.Now = c.Now.Add(-time.Millisecond)
	}, nil), false},
	{"leases are rounded to seconds", "claimable", writing(func(r *task.Record) {
		r.LeaseUntil = r.LeaseUntil.Truncate(time.Second)
	}), false},
	{"tasks without an owner only", "stands_still", claimingIf(func(h *task.Head) bool { return h.Owner == "" }), false},
	{"tasks with an owner only", "claimable", claimingIf(func(h *task.Head) bool { return h.Owner != "" }), false},
	{"tasks that had no owner only", "claimable", claimingIf(func(h *task.Head) bool { return h.Fence == 0 }), false},
	{"a lease holds while its time runs", "stands_still", claimingIf(func(h *task.Head) bool {
		return h.Owner == "" || h.LeaseUntil.Before(after(0))
	}), false},
	{"leases end by the clock", "claimable", func(s task.Store) task.Store {
		a := &altered{Store: s}
		a.take = func(ctx context.Context, c task.Claim) (*task.Head, uint64, error) {
			list, err := s.List(ctx, "p", "", 1)
			if err == nil && len(list) == 1 && list[0].Owner != "" && !c.Now.Before(list[0].LeaseUntil) {
				c.Still = list[0].Version
			}
			return s.Claim(ctx, c)
		}
		return a
	}, false},
	{"what stands still is taken late", "stands_still", claiming(func(c *task.Claim) {
		c.Still = max(c.Still, 1) - 1
	}, nil), false},
	{"tasks without an owner too", "stands_still", claiming(func(c *task.Claim) { c.Owned = false }, nil), false},
	{"what has changed is taken", "stands_still", claiming(func(c *task.Claim) { c.Still++ }, nil), false},
	{"the latest version is not told", "versions_grow", latest(func(uint64) uint64 { return 0 }), false},
	{"the latest version lags", "versions_grow", latest(func(v uint64) uint64 { return v - 1 }), false},
	{"a head without its body", "heads", heads(func(s task.Store, ctx context.Context, h *task.Head, l task.Limits) error {
		return s.Swap(ctx, h, new(task.Body), l)
	}), false},
	{"the last head wins", "heads", heads(func(s task.Store, ctx context.Context, h *task.Head, l task.Limits) error {
		now, err := s.Head(ctx, h.ID)
		if err == nil {
			h.Version = now.Version
		}
		return s.Swap(ctx, h, nil, l)
	}), false},
	{"heads are remembered", "heads", func(s task.Store) task.Store {
		var seen sync.Map
		a := &altered{Store: s}
		a.head = func(ctx context.Context, id string) (*task.Head, error) {
			h, err := s.Head(ctx, id)
			if err != nil {
				return nil, err
			}
			first, _ := seen.LoadOrStore(id, *h)
			return new(first.(task.Head)), nil
		}
		return a
	}, false},
	{"no size", "heads", func(s task.Store) task.Store {
		a := &altered{Store: s}
		a.head = func(ctx context.Context, id string) (*task.Head, error) {
			h, err := s.Head(ctx, id)
			if err == nil {
				h.Size = 0
			}
			return h, err
		}
		return a
	}, false},
	{"bytes are not bounded", "bytes", limited(func(l task.Limits) task.Limits {
		l.Bytes = 0
		return l
	}), false},
	{"growth is not bounded", "bytes", growing(func(_ *task.Body, _ task.Limits) (task.Limits, error) {
		return roomy, nil
	}), false},
	{"an end is refused", "bytes", growing(func(b *task.Body, l task.Limits) (task.Limits, error) {
		if l.Total == 1 && b != nil {
			return l, task.ErrFull
		}
		return l, nil
	}), false},
	{"a head is refused", "bytes", growing(func(b *task.Body, l task.Limits) (task.Limits, error) {
		if l.Total == 1 && b == nil {
			return l, task.ErrFull
		}
		return l, nil
	}), false},
	{"what has ended makes no room", "ended_make_room", evicting(func([]*task.Head) int { return -1 }), false},
	{"the newest makes room", "ended_make_room", evicting(func(of []*task.Head) int { return len(of) - 1 }), false},
	{"tasks that wait for the client are taken", "claimable", claimingAll(task.InputRequired), false},
	{"tasks that have ended are taken", "claimable", claimingAll(task.Cancelled), false},
	{"expired tasks are taken", "claimable", writing(func(r *task.Record) {
		r.Expires = r.Expires.Add(time.Minute)
	}), false},
	{"nothing is taken", "many_claim", func(s task.Store) task.Store {
		a := &altered{Store: s}
		a.take = func(context.Context, task.Claim) (*task.Head, uint64, error) { return nil, 1, task.ErrNotFound }
		return a
	}, false},
	{"the fence stays", "fence", claiming(nil, func(r *task.Record) { r.Fence = 1 }), false},
	{"no fence", "lease", claiming(nil, func(r *task.Record) { r.Fence = 0 }), false},
	{"the lease is of no use", "lease", claiming(func(c *task.Claim) { c.Until = c.Now }, nil), false},
	{"a claim forgets", "lease", claiming(nil, func(r *task.Record) { r.Checkpoint = nil }), false},
	{"the newest first", "oldest_first", newestFirst, false},
	{"an owner that was paused overwrites", "claim_against_swap", swapping(
		func(ctx context.Context, s task.Store, r *task.Record) error {
			if now, err := s.Get(ctx, r.ID); err == nil && now.Owner != r.Owner {
				return forced(ctx, s, r)
			}
			return swap(ctx, s, r)
		}), false},
	{"nothing expires", "expiry", expiring(func(now time.Time, limit int) (time.Time, int) {
		return now.Add(-1000 * time.Hour), limit
	}, same), false},
	{"expires early", "expiry", expiring(func(now time.Time, limit int) (time.Time, int) {
		return now.Add(time.Millisecond), limit
	}, same), false},
	{"expires late", "expiry", expiring(func(now time.Time, limit int) (time.Time, int) {
		return now.Add(-time.Millisecond), limit
	}, same), false},
	{"expires all at once", "expiry", expiring(func(now time.Time, _ int) (time.Time, int) {
		return now, 1000
	}, same), false},
	{"counts one too few", "expiry", expiring(func(now time.Time, limit int) (time.Time, int) { return now, limit },
		func(n int) int { return max(n-1, 0) }), false},
	{"the first expiry counts", "expiry", swapping(func(ctx context.Context, s task.Store, r *task.Record) error {
		c := *r
		if old, err := s.Get(ctx, r.ID); err == nil {
			c.Expires = old.Expires
		}
		err := swap(ctx, s, &c)
		r.Version = c.Version
		return err
	}), false},
	{"a page begins with the last", "pages", paging(
		func(s task.Store, ctx context.Context, principal, after string, limit int) ([]*task.Head, error) {
			list, err := s.List(ctx, principal, "", 10_000)
			for len(list) > 0 && list[0].ID < after {
				list = list[1:]
			}
			return list[:min(len(list), limit)], err
		}), false},
	{"a page leaves one out", "pages", paging(
		func(s task.Store, ctx context.Context, principal, after string, limit int) ([]*task.Head, error) {
			list, err := s.List(ctx, principal, after, limit+1)
			if after != "" && len(list) > 0 {
				list = list[1:]
			}
			return list[:min(len(list), limit)], err
		}), false},
	{"a page is longer", "pages", paging(
		func(s task.Store, ctx context.Context, principal, after string, limit int) ([]*task.Head, error) {
			return s.List(ctx, principal, after, limit+1)
		}), false},
	{"after an id that is gone comes nothing", "pages", paging(
		func(s task.Store, ctx context.Context, principal, after string, limit int) ([]*task.Head, error) {
			if _, err := s.Get(ctx, after); err != nil && after != "" {
				return nil, nil
			}
			return s.List(ctx, principal, after, limit)
		}), false},
	{"names of principals have no case", "principals", paging(
		func(s task.Store, ctx context.Context, principal, after string, limit int) ([]*task.Head, error) {
			list, err := s.List(ctx, principal, after, limit)
			if principal == "a" && len(list) < limit {
				more, _ := s.List(ctx, "A", after, limit-len(list))
				list = append(list, more...)
			}
			return list, err
		}), false},
	{"the end of ctx is ignored", "end_of_ctx", deaf, false},
	{"the end of ctx means that there is none", "end_of_ctx", errorsOf(func(err error) error {
		if errors.Is(err, context.Canceled) {
			return task.ErrNotFound
		}
		return err
	}), false},
	{"none is an unknown error", "no_record", errorsOf(func(err error) error {
		if errors.Is(err, task.ErrNotFound) {
			return errors.New("no such row")
		}
		return err
	}), false},
	{"changed and gone are one", "changed", errorsOf(func(err error) error {
		if errors.Is(err, task.ErrChanged) {
			return task.ErrNotFound
		}
		return err
	}), false},
	{"Close does nothing", "close", func(s task.Store) task.Store { return &closed{s} }, true},
}
