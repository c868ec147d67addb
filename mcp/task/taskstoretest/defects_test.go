package taskstoretest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

const environment = "MCPGEN_DEFECT"

// altered is a handle on a store in memory, with methods that a defect replaces.
type altered struct {
	task.Store

	create func(ctx context.Context, r *task.Record, limits task.Limits) error
	head   func(ctx context.Context, id string) (*task.Head, error)
	get    func(ctx context.Context, id string) (*task.Record, error)
	swap   func(ctx context.Context, h *task.Head, b *task.Body, limits task.Limits) error
	take   func(ctx context.Context, c task.Claim) (*task.Head, uint64, error)
	list   func(ctx context.Context, principal, after string, limit int) ([]*task.Head, error)
	expire func(ctx context.Context, now time.Time, limit int) (int, error)
}

func (a *altered) Create(ctx context.Context, r *task.Record, limits task.Limits) error {
	if a.create != nil {
		return a.create(ctx, r, limits)
	}
	return a.Store.Create(ctx, r, limits)
}

func (a *altered) Get(ctx context.Context, id string) (*task.Record, error) {
	if a.get != nil {
		return a.get(ctx, id)
	}
	return a.Store.Get(ctx, id)
}

func (a *altered) Head(ctx context.Context, id string) (*task.Head, error) {
	if a.head != nil {
		return a.head(ctx, id)
	}
	return a.Store.Head(ctx, id)
}

func (a *altered) Swap(ctx context.Context, h *task.Head, b *task.Body, limits task.Limits) error {
	if a.swap != nil {
		return a.swap(ctx, h, b, limits)
	}
	return a.Store.Swap(ctx, h, b, limits)
}

func (a *altered) Claim(ctx context.Context, c task.Claim) (*task.Head, uint64, error) {
	if a.take != nil {
		return a.take(ctx, c)
	}
	return a.Store.Claim(ctx, c)
}

func (a *altered) List(ctx context.Context, principal, after string, limit int) ([]*task.Head, error) {
	if a.list != nil {
		return a.list(ctx, principal, after, limit)
	}
	return a.Store.List(ctx, principal, after, limit)
}

func (a *altered) Expire(ctx context.Context, now time.Time, limit int) (int, error) {
	if a.expire != nil {
		return a.expire(ctx, now, limit)
	}
	return a.Store.Expire(ctx, now, limit)
}

// claiming is a store that gives other arguments to Claim, and changes what it returns.
func claiming(arguments func(c *task.Claim), result func(r *task.Record)) defective {
	return func(s task.Store) task.Store {
		a := &altered{Store: s}
		a.take = func(ctx context.Context, c task.Claim) (*task.Head, uint64, error) {
			if arguments != nil {
				arguments(&c)
			}
			h, latest, err := s.Claim(ctx, c)
			if err != nil || result == nil {
				return h, latest, err
			}
			r, err := s.Get(ctx, h.ID)
			if err != nil {
				return nil, latest, err
			}
			result(r)
			return &r.Head, latest, swap(ctx, s, r)
		}
		return a
	}
}

// writing is a store that keeps another record than it was given.
func writing(change func(r *task.Record)) defective {
	return func(s task.Store) task.Store {
		a := &altered{Store: s}
		a.create = func(ctx context.Context, r *task.Record, limits task.Limits) error {
			c := *r
			change(&c)
			err := s.Create(ctx, &c, limits)
			r.Version, r.Size = c.Version, c.Size
			return err
		}
		a.swap = func(ctx context.Context, h *task.Head, b *task.Body, limits task.Limits) error {
			c := task.Record{Head: *h}
			if b != nil {
				c.Body = *b
			}
			change(&c)
			if b != nil {
				b = &c.Body
			}
			err := s.Swap(ctx, &c.Head, b, limits)
			h.Version, h.Size = c.Version, c.Size
			return err
		}
		return a
	}
}

// expiring is a store that gives other arguments to Expire, and returns another number.
func expiring(change func(now time.Time, limit int) (time.Time, int), number func(n int) int) defective {
	return func(s task.Store) task.Store {
		a := &altered{Store: s}
		a.expire = func(ctx context.Context, now time.Time, limit int) (int, error) {
			if now.Year() < 9000 { // the suite empties the store first
				now, limit = change(now, limit)
			}
			n, err := s.Expire(ctx, now, limit)
			return number(n), err
		}
		return a
	}
}

func same(n int) int { return n }

// paging is a store with other pages.
func paging(change func(s task.Store, ctx context.Context, principal, after string, limit int) ([]*task.Head, error),
) defective {
	return func(s task.Store) task.Store {
		a := &altered{Store: s}
		a.list = func(ctx context.Context, principal, after string, limit int) ([]*task.Head, error) {
			return change(s, ctx, principal, after, limit)
		}
		return a
	}
}

// forced replaces a record whatever its version is.
func forced(ctx context.Context, s task.Store, r *task.Record) error {
	for {
		now, err := s.Head(ctx, r.ID)
		if err != nil {
			return err
		}
		r.Version = now.Version
		if err := swap(ctx, s, r); !errors.Is(err, task.ErrChanged) {
			return err
		}
	}
}

// swapping is a store with another Swap.
func swapping(swap func(ctx context.Context, s task.Store, r *task.Record) error) defective {
	return func(s task.Store) task.Store {
		a := &altered{Store: s}
		a.swap = func(ctx context.Context, h *task.Head, b *task.Body, limits task.Limits) error {
			if b == nil {
				return s.Swap(ctx, h, nil, limits)
			}
			r := &task.Record{Head: *h, Body: *b}
			err := swap(ctx, s, r)
			*h = r.Head
			return err
		}
		return a
	}
}

// torn compares and replaces in two steps.
func torn(ctx context.Context, s task.Store, r *task.Record) error {
	now, err := s.Get(ctx, r.ID)
	if err != nil {
		return err
	}
	if now.Version != r.Version {
		return task.ErrChanged
	}
	time.Sleep(time.Millisecond)
	return forced(ctx, s, r)
}

// tornCreate looks whether there is a record, and creates it in another step.
func tornCreate(s task.Store) task.Store {
	a := &altered{Store: s}
	a.create = func(ctx context.Context, r *task.Record, limits task.Limits) error {
		if _, err := s.Get(ctx, r.ID); err == nil {
			return task.ErrExists
		}
		time.Sleep(time.Millisecond)
		if err := s.Create(ctx, r, limits); errors.Is(err, task.ErrExists) {
			return forced(ctx, s, r)
		}
		return nil
	}
	return a
}

// tornClaim finds a record and takes it in two steps.
func tornClaim(s task.Store) task.Store {
	a := &altered{Store: s}
	a.take = func(ctx context.Context, c task.Claim) (*task.Head, uint64, error) {
		list, err := s.List(ctx, "p", "", 100)
		if err != nil {
			return nil, 0, err
		}
		for _, h := range list {
			if !h.Claimable(c.Now, c.Still) {
				continue
			}
			time.Sleep(time.Millisecond)
			r, err := s.Get(ctx, h.ID)
			if err == nil {
				r.Lease(c.Owner, c.Until)
				err = forced(ctx, s, r)
			}
			return &r.Head, 0, err
		}
		return s.Claim(ctx, task.Claim{Now: time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC)}) // which finds none
	}
	return a
}

// cached is a store whose handles remember what they have read.
func cached(s task.Store) task.Store {
	var seen sync.Map
	a := &altered{Store: s}
	a.get = func(ctx context.Context, id string) (*task.Record, error) {
		if r, ok := seen.Load(id); ok {
			c := *r.(*task.Record)
			return &c, nil
		}
		r, err := s.Get(ctx, id)
		if err == nil {
			c := *r
			seen.Store(id, &c)
		}
		return r, err
	}
	return a
}

// counting is a store whose versions begin anew with each record.
func counting(s task.Store) task.Store {
	var mu sync.Mutex
	first := make(map[string]uint64)
	a := &altered{Store: s}
	a.create = func(ctx context.Context, r *task.Record, limits task.Limits) error {
		mu.Lock()
		defer mu.Unlock()
		err := s.Create(ctx, r, limits)
		if err == nil {
			first[r.ID] = r.Version - 1
			r.Version = 1
		}
		return err
	}
	a.get = func(ctx context.Context, id string) (*task.Record, error) {
		mu.Lock()
		defer mu.Unlock()
		r, err := s.Get(ctx, id)
		if err == nil {
			r.Version -= first[id]
		}
		return r, err
	}
	a.head = func(ctx context.Context, id string) (*task.Head, error) {
		r, err := a.get(ctx, id)
		if err != nil {
			return nil, err
		}
		return &r.Head, nil
	}
	a.swap = func(ctx context.Context, h *task.Head, b *task.Body, limits task.Limits) error {
		mu.Lock()
		defer mu.Unlock()
		c := *h
		c.Version += first[h.ID]
		err := s.Swap(ctx, &c, b, limits)
		if err == nil {
			h.Version, h.Size = c.Version-first[h.ID], c.Size
		}
		return err
	}
	return a
}

// keeping is a store that keeps the record that it was given.
func keeping(s task.Store) task.Store {
	var kept sync.Map
	a := &altered{Store: s}
	a.create = func(ctx context.Context, r *task.Record, limits task.Limits) error {
		err := s.Create(ctx, r, limits)
		if err == nil {
			kept.Store(r.ID, r)
		}
		return err
	}
	a.get = func(ctx context.Context, id string) (*task.Record, error) {
		if r, ok := kept.Load(id); ok {
			c := *r.(*task.Record)
			return &c, nil
		}
		return s.Get(ctx, id)
	}
	return a
}

// deaf ignores the end of ctx.
func deaf(s task.Store) task.Store {
	off := context.WithoutCancel
	return &altered{
		s,
		func(ctx context.Context, r *task.Record, limits task.Limits) error {
			return s.Create(off(ctx), r, limits)
		},
		func(ctx context.Context, id string) (*task.Head, error) { return s.Head(off(ctx), id) },
		func(ctx context.Context, id string) (*task.Record, error) { return s.Get(off(ctx), id) },
		func(ctx context.Context, h *task.Head, b *task.Body, limits task.Limits) error {
			return s.Swap(off(ctx), h, b, limits)
		},
		func(ctx context.Context, c task.Claim) (*task.Head, uint64, error) { return s.Claim(off(ctx), c) },
		func(ctx context.Context, principal, after string, limit int) ([]*task.Head, error) {
			return s.List(off(ctx), principal, after, limit)
		},
		func(ctx context.Context, now time.Time, limit int) (int, error) {
			return s.Expire(off(ctx), now, limit)
		},
	}
}

// limited is a store with other limits.
func limited(change func(l task.Limits) task.Limits) defective {
	return func(s task.Store) task.Store {
		a := &altered{Store: s}
		a.create = func(ctx context.Context, r *task.Record, limits task.Limits) error {
			return s.Create(ctx, r, change(limits))
		}
		return a
	}
}

// errorsOf is a store with other errors.
func errorsOf(change func(err error) error) defective {
	return func(s task.Store) task.Store {
		a := &altered{Store: s}
		a.get = func(ctx context.Context, id string) (*task.Record, error) {
			r, err := s.Get(ctx, id)
			return r, change(err)
		}
		a.swap = func(ctx context.Context, h *task.Head, b *task.Body, limits task.Limits) error {
			return change(s.Swap(ctx, h, b, limits))
		}
		a.take = func(ctx context.Context, c task.Claim) (*task.Head, uint64, error) {
			h, latest, err := s.Claim(ctx, c)
			return h, latest, change(err)
		}
		return a
	}
}

// closed is a handle whose Close does nothing.
type closed struct{ task.Store }

func (closed) Close() error { return nil }
