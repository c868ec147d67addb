package taskstoretest

import (
	"context"
	"errors"
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
		return s.Swap(ctx, r)
	}), false},
	{"Swap creates", "no_record", swapping(func(ctx context.Context, s task.Store, r *task.Record) error {
		err := s.Swap(ctx, r)
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
	{"leaves out nobody", "except_principals", func(s task.Store) task.Store { return everybody{s} }, false},
	{"leaves out one", "except_principals", func(s task.Store) task.Store { return first{everybody{s}} }, false},
	{"the version stays", "one_record", swapping(func(ctx context.Context, s task.Store, r *task.Record) error {
		version := r.Version
		err := s.Swap(ctx, r)
		r.Version = version
		return err
	}), false},
	{"versions return", "versions_do_not_return", counting, false},
	{"too large is no error of the store", "too_large_records", swapping(
		func(ctx context.Context, s task.Store, r *task.Record) error {
			err := s.Swap(ctx, r)
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
		return s.Swap(ctx, r)
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
	{"leases are taken early", "claimable", claiming(func(now, until time.Time) (time.Time, time.Time) {
		return now.Add(time.Millisecond), until
	}, nil), false},
	{"leases are taken late", "claimable", claiming(func(now, until time.Time) (time.Time, time.Time) {
		return now.Add(-time.Millisecond), until
	}, nil), false},
	{"leases are rounded to seconds", "claimable", writing(func(r *task.Record) {
		r.LeaseUntil = r.LeaseUntil.Truncate(time.Second)
	}), false},
	{"tasks without an owner only", "claimable", claimingIf(func(r *task.Record) bool { return r.Owner == "" }), false},
	{"tasks with an owner only", "claimable", claimingIf(func(r *task.Record) bool { return r.Owner != "" }), false},
	{"tasks that wait for the client are taken", "claimable", claimingAll(task.InputRequired), false},
	{"tasks that have ended are taken", "claimable", claimingAll(task.Cancelled), false},
	{"expired tasks are taken", "claimable", writing(func(r *task.Record) {
		r.Expires = r.Expires.Add(time.Minute)
	}), false},
	{"nothing is taken", "many_claim", func(s task.Store) task.Store {
		a := &altered{Store: s}
		a.take = func(context.Context, string, time.Time, time.Time) (*task.Record, error) {
			return nil, task.ErrNotFound
		}
		return a
	}, false},
	{"the fence stays", "fence", claiming(nil, func(r *task.Record) { r.Fence = 1 }), false},
	{"no fence", "lease", claiming(nil, func(r *task.Record) { r.Fence = 0 }), false},
	{"the lease is of no use", "lease", claiming(func(now, _ time.Time) (time.Time, time.Time) {
		return now, now
	}, nil), false},
	{"a claim forgets", "lease", claiming(nil, func(r *task.Record) { r.Checkpoint = nil }), false},
	{"the newest first", "oldest_first", newestFirst, false},
	{"an owner that was paused overwrites", "claim_against_swap", swapping(
		func(ctx context.Context, s task.Store, r *task.Record) error {
			if now, err := s.Get(ctx, r.ID); err == nil && now.Owner != r.Owner {
				return forced(ctx, s, r)
			}
			return s.Swap(ctx, r)
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
		err := s.Swap(ctx, &c)
		r.Version = c.Version
		return err
	}), false},
	{"a page begins with the last", "pages", paging(
		func(s task.Store, ctx context.Context, principal, after string, limit int) ([]*task.Record, error) {
			list, err := s.List(ctx, principal, "", 10_000)
			for len(list) > 0 && list[0].ID < after {
				list = list[1:]
			}
			return list[:min(len(list), limit)], err
		}), false},
	{"a page leaves one out", "pages", paging(
		func(s task.Store, ctx context.Context, principal, after string, limit int) ([]*task.Record, error) {
			list, err := s.List(ctx, principal, after, limit+1)
			if after != "" && len(list) > 0 {
				list = list[1:]
			}
			return list[:min(len(list), limit)], err
		}), false},
	{"a page is longer", "pages", paging(
		func(s task.Store, ctx context.Context, principal, after string, limit int) ([]*task.Record, error) {
			return s.List(ctx, principal, after, limit+1)
		}), false},
	{"after an id that is gone comes nothing", "pages", paging(
		func(s task.Store, ctx context.Context, principal, after string, limit int) ([]*task.Record, error) {
			if _, err := s.Get(ctx, after); err != nil && after != "" {
				return nil, nil
			}
			return s.List(ctx, principal, after, limit)
		}), false},
	{"names of principals have no case", "principals", paging(
		func(s task.Store, ctx context.Context, principal, after string, limit int) ([]*task.Record, error) {
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

// claimingIf is a store that only finds some of the records.
func claimingIf(found func(r *task.Record) bool) defective {
	return func(s task.Store) task.Store {
		a := &altered{Store: s}
		a.take = func(ctx context.Context, owner string, now, until time.Time) (*task.Record, error) {
			list, err := s.List(ctx, "p", "", 1)
			if err != nil || len(list) == 0 || !found(list[0]) {
				return nil, errors.Join(err, task.ErrNotFound)
			}
			return s.Claim(ctx, owner, now, until)
		}
		return a
	}
}

// claimingAll is a store that finds records with another status too.
func claimingAll(status task.Status) defective {
	return func(s task.Store) task.Store {
		a := &altered{Store: s}
		a.take = func(ctx context.Context, owner string, now, until time.Time) (*task.Record, error) {
			list, err := s.List(ctx, "p", "", 1)
			if err == nil && len(list) == 1 && list[0].Status == status {
				return list[0], nil
			}
			return s.Claim(ctx, owner, now, until)
		}
		return a
	}
}

// newestFirst is a store that prefers what waits for the shortest time.
func newestFirst(s task.Store) task.Store {
	a := &altered{Store: s}
	a.take = func(ctx context.Context, owner string, now, until time.Time) (*task.Record, error) {
		list, err := s.List(ctx, "p", "", 100)
		if err != nil {
			return nil, err
		}
		var best *task.Record
		for _, r := range list {
			if r.Claimable(now) && (best == nil || best.LeaseUntil.Before(r.LeaseUntil)) {
				best = r
			}
		}
		if best == nil {
			return nil, task.ErrNotFound
		}
		best.Lease(owner, until)
		return best, s.Swap(ctx, best)
	}
	return a
}

// everybody claims tasks of the principals too that are to be left out.
type everybody struct{ task.Store }

func (e everybody) ClaimExcept(
	ctx context.Context, owner string, now, until time.Time, _ []string,
) (*task.Record, error) {
	return e.Claim(ctx, owner, now, until)
}

// first leaves out one principal of those that are to be left out.
type first struct{ everybody }

func (l first) ClaimExcept(
	ctx context.Context, owner string, now, until time.Time, principals []string,
) (*task.Record, error) {
	m, _ := l.Store.(task.SelectiveStore)
	return m.ClaimExcept(ctx, owner, now, until, principals[:min(1, len(principals))])
}
