package taskstoretest

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// claimingIf is a store that only finds some of the records.
func claimingIf(found func(h *task.Head) bool) defective {
	return func(s task.Store) task.Store {
		a := &altered{Store: s}
		a.take = func(ctx context.Context, c task.Claim) (*task.Head, uint64, error) {
			list, err := s.List(ctx, "p", "", 1)
			if err == nil && len(list) == 1 && !found(list[0]) {
				return nil, list[0].Version, task.ErrNotFound
			}
			return s.Claim(ctx, c)
		}
		return a
	}
}

// claimingAll is a store that finds records with another status too.
func claimingAll(status task.Status) defective {
	return func(s task.Store) task.Store {
		a := &altered{Store: s}
		a.take = func(ctx context.Context, c task.Claim) (*task.Head, uint64, error) {
			list, err := s.List(ctx, "p", "", 1)
			if err == nil && len(list) == 1 && list[0].Status == status {
				return list[0], 0, nil
			}
			return s.Claim(ctx, c)
		}
		return a
	}
}

// newestFirst is a store that prefers what waits for the shortest time.
func newestFirst(s task.Store) task.Store {
	a := &altered{Store: s}
	a.take = func(ctx context.Context, c task.Claim) (*task.Head, uint64, error) {
		list, err := s.List(ctx, "p", "", 100)
		if err != nil {
			return nil, 0, err
		}
		var best *task.Head
		for _, h := range list {
			if h.Claimable(c.Now, c.Still) && (best == nil || best.LeaseUntil.Before(h.LeaseUntil)) {
				best = h
			}
		}
		if best == nil {
			return s.Claim(ctx, c)
		}
		best.Lease(c.Owner, c.Until)
		return best, 0, s.Swap(ctx, best, nil, roomy)
	}
	return a
}

// latest is a store that tells another latest version.
func latest(change func(v uint64) uint64) defective {
	return func(s task.Store) task.Store {
		a := &altered{Store: s}
		a.take = func(ctx context.Context, c task.Claim) (*task.Head, uint64, error) {
			h, v, err := s.Claim(ctx, c)
			return h, change(v), err
		}
		return a
	}
}

// heads is a store with another Swap of heads.
func heads(swap func(s task.Store, ctx context.Context, h *task.Head, limits task.Limits) error) defective {
	return func(s task.Store) task.Store {
		a := &altered{Store: s}
		a.swap = func(ctx context.Context, h *task.Head, b *task.Body, limits task.Limits) error {
			if b == nil {
				return swap(s, ctx, h, limits)
			}
			return s.Swap(ctx, h, b, limits)
		}
		return a
	}
}

// growing is a store whose changes have other limits, or fail.
func growing(change func(b *task.Body, l task.Limits) (task.Limits, error)) defective {
	return func(s task.Store) task.Store {
		a := &altered{Store: s}
		a.swap = func(ctx context.Context, h *task.Head, b *task.Body, limits task.Limits) error {
			limits, err := change(b, limits)
			if err != nil {
				return err
			}
			return s.Swap(ctx, h, b, limits)
		}
		return a
	}
}

// evicting is a store that lets another record make room, by its place among all that have ended, or none.
func evicting(choose func(of []*task.Head) int) defective {
	return func(s task.Store) task.Store {
		var principals sync.Map
		a := &altered{Store: s}
		a.create = func(ctx context.Context, r *task.Record, limits task.Limits) error {
			principals.Store(r.Principal, true)
			n, ended := 0, []*task.Head(nil)
			for p := range principals.Range {
				list, err := s.List(ctx, p.(string), "", 100)
				if err != nil {
					return err
				}
				n += len(list)
				for _, h := range list {
					if h.Status.Final() {
						ended = append(ended, h)
					}
				}
			}
			if n < limits.Total {
				return s.Create(ctx, r, limits)
			}
			i := choose(ended)
			if i < 0 || i >= len(ended) {
				return task.ErrFull
			}
			ended[i].Expires = time.Time{}
			if err := s.Swap(ctx, ended[i], nil, roomy); err != nil {
				return err
			}
			if _, err := s.Expire(ctx, time.Time{}, 1); err != nil {
				return err
			}
			return s.Create(ctx, r, limits)
		}
		return a
	}
}

// mustFail runs a test of this package with a defect, in a process of its own.
func mustFail(t *testing.T, name, defect, want string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+name+"$/^"+want+"$", "-test.v", "-test.timeout=2m")
	cmd.Env = append(os.Environ(), environment+"="+defect)
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("the suite does not find it\n%s", out)
	}
	if !strings.Contains(string(out), "--- FAIL: "+name+"/"+want) || strings.Contains(string(out), "panic:") {
		t.Fatalf("test %q does not fail as it should\n%s", want, out)
	}
}

// TestDefects plants each defect into a store, and runs the suite in a process of its own, where it must fail.
func TestDefects(t *testing.T) {
	for _, d := range defects {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			mustFail(t, "TestDefective", d.name, d.test)
		})
	}
}

// TestDefective is what TestDefects runs.
func TestDefective(t *testing.T) {
	i := slices.IndexFunc(defects, func(d defect) bool { return d.name == os.Getenv(environment) })
	if i < 0 {
		return
	}
	patience = 3 * time.Second
	var store task.Memory
	shared := defects[i].handle(&store)
	Run(t, func(*testing.T) task.Store {
		if defects[i].each { // one for each replica
			return defects[i].handle(&store)
		}
		return shared
	})
}
