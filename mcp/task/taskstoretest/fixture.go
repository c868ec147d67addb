package taskstoretest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// start is the time at which each test begins.
var start = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// after returns the time that is d after start.
func after(d time.Duration) time.Time { return start.Add(d) }

// roomy are limits that no test reaches.
var roomy = task.Limits{PerPrincipal: 10_000, Total: 100_000, Bytes: 1 << 40}

// fixture is a test with two handles on one empty store, as two replicas have them.
type fixture struct {
	*testing.T

	one, two task.Store
}

func newFixture(t *testing.T, newStore func(t *testing.T) task.Store) *fixture {
	t.Helper()
	f := &fixture{t, newStore(t), newStore(t)}
	f.empty()
	return f
}

// empty removes all records.
func (f *fixture) empty() {
	f.Helper()
	for range 10_000 {
		n, err := f.two.Expire(f.limit(), time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC), 100)
		if err != nil {
			f.Fatalf("Expire: %v", err)
		}
		if n == 0 {
			return
		}
	}
	f.Fatal("Expire goes on removing records")
}

// newID returns an id that no other test has. Ids are in the order in which they were made.
func newID() string {
	return fmt.Sprintf("%016X", time.Now().UnixNano()) + rand.Text()
}

// record returns a record of a task that waits for an owner.
func record(principal string) *task.Record {
	return &task.Record{
		Head: task.Head{
			ID: newID(), Principal: principal, Status: task.Working, Tool: "index", Revision: "2026-07-28",
			Created: start, Updated: start, LeaseUntil: start, Expires: after(time.Hour),
		},
		Body: task.Body{Args: []byte(`["n",1]`)},
	}
}

// swap replaces the head and the body of a record.
func swap(ctx context.Context, s task.Store, r *task.Record) error {
	return s.Swap(ctx, &r.Head, &r.Body, roomy)
}

// takeFree claims a record that has no owner.
func takeFree(ctx context.Context, s task.Store, owner string, now, until time.Time) (*task.Head, error) {
	h, _, err := s.Claim(ctx, task.Claim{Owner: owner, Now: now, Until: until})
	return h, err
}

// limit returns a context for one call of the store, which ends after patience.
func (f *fixture) limit() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	f.Cleanup(cancel)
	return ctx
}

// create expects that a record can be created.
func (f *fixture) create(s task.Store, r *task.Record) *task.Record {
	f.Helper()
	if err := s.Create(f.limit(), r, roomy); err != nil {
		f.Fatalf("Create: %v", err)
	}
	if r.Version == 0 {
		f.Fatal("Create has set version 0")
	}
	f.sized(r)
	return r
}

// sized expects that the store has set the size of a record.
func (f *fixture) sized(r *task.Record) {
	f.Helper()
	head, body, err := r.Encode()
	if err != nil {
		f.Fatal(err)
	}
	if want := task.SizeOf(head, body); r.Size != want {
		f.Fatalf("the record counts for %d bytes, want %d", r.Size, want)
	}
}

// swap expects that a record can be replaced.
func (f *fixture) swap(s task.Store, r *task.Record) {
	f.Helper()
	before := r.Version
	f.swapped(before, swap(f.limit(), s, r), &r.Head)
	f.sized(r)
}

// swapHead expects that the head of a record can be replaced.
func (f *fixture) swapHead(s task.Store, h *task.Head) {
	f.Helper()
	before := h.Version
	f.swapped(before, s.Swap(f.limit(), h, nil, roomy), h)
}

func (f *fixture) swapped(before uint64, err error, h *task.Head) {
	f.Helper()
	if err != nil {
		f.Fatalf("Swap: %v", err)
	}
	if h.Version <= before {
		f.Fatalf("Swap of version %d has set version %d", before, h.Version)
	}
}

// get returns a record. It expects that there is one, and that Head returns its head.
func (f *fixture) get(s task.Store, id string) *task.Record {
	f.Helper()
	r, err := s.Get(f.limit(), id)
	if err != nil {
		f.Fatalf("Get: %v", err)
	}
	if r == nil {
		f.Fatal("Get returned no record and no error")
	}
	h, err := s.Head(f.limit(), id)
	if err != nil {
		f.Fatalf("Head: %v", err)
	}
	f.sameHead("Head", h, &r.Head)
	return r
}

// expect expects that a record is there as it was written.
func (f *fixture) expect(s task.Store, want *task.Record) {
	f.Helper()
	f.same("Get", f.get(s, want.ID), want)
}

// same expects that two records are equal. method is the name of the method that has returned got.
func (f *fixture) same(method string, got, want *task.Record) {
	f.Helper()
	a, b := text(f, got), text(f, want)
	if !bytes.Equal(a, b) {
		f.Fatalf("%s returned %d bytes that are not the %d bytes of the record:\n%.300s\nwant\n%.300s",
			method, len(a), len(b), a, b)
	}
	if got.Version != want.Version || got.Size != want.Size {
		f.Fatalf("%s returned version %d and size %d, want %d and %d", method, got.Version, got.Size, want.Version, want.Size)
	}
}

// text returns both texts of a record as one.
func text(f *fixture, r *task.Record) []byte {
	f.Helper()
	head, body, err := r.Encode()
	if err != nil {
		f.Fatal(err)
	}
	return append(head, body...)
}

// sameHead expects that two heads are equal.
func (f *fixture) sameHead(what string, got, want *task.Head) {
	f.Helper()
	if got == nil {
		f.Fatalf("%s returned no head and no error", what)
	}
	f.same(what, &task.Record{Head: *got}, &task.Record{Head: *want})
}

// take expects that a record without an owner can be claimed, and returns it.
func (f *fixture) take(s task.Store, owner string, now, until time.Time) *task.Record {
	f.Helper()
	return f.taken(s, task.Claim{Owner: owner, Now: now, Until: until})
}

// taken expects that a record can be claimed, and returns it.
func (f *fixture) taken(s task.Store, c task.Claim) *task.Record {
	f.Helper()
	h, _, err := s.Claim(f.limit(), c)
	if err != nil {
		f.Fatalf("Claim: %v", err)
	}
	if h == nil {
		f.Fatal("Claim returned no record and no error")
	}
	r := f.get(s, h.ID)
	f.sameHead("Claim", h, &r.Head)
	return r
}

// idle expects that no record can be claimed.
func (f *fixture) idle(s task.Store, now time.Time, why string) {
	f.Helper()
	f.none(s, task.Claim{Owner: "nobody", Now: now, Until: now.Add(time.Minute)}, why)
}

func (f *fixture) none(s task.Store, c task.Claim, why string) {
	f.Helper()
	r, _, err := s.Claim(f.limit(), c)
	if err == nil {
		f.Fatalf("Claim returned a record with status %s, lease until %v, expiry %v, version %d at %v, still %d: %s",
			r.Status, r.LeaseUntil, r.Expires, r.Version, c.Now, c.Still, why)
	}
	f.only("Claim", err, task.ErrNotFound)
}

// latest returns the greatest version that a store has given, as one of its handles knows it.
func (f *fixture) latest(s task.Store) uint64 {
	f.Helper()
	for range 10 {
		_, latest, err := s.Claim(f.limit(), task.Claim{Owner: "nobody", Now: time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC)})
		f.only("Claim", err, task.ErrNotFound)
		if latest > 0 {
			return latest
		}
	}
	f.Fatal("Claim does not return the latest version")
	return 0
}

// ours are the errors that say that the store is available.
var ours = []error{task.ErrNotFound, task.ErrChanged, task.ErrExists, task.ErrFull}

// only expects that err is want, and no other error of package task.
func (f *fixture) only(what string, err, want error) {
	f.Helper()
	if err == nil {
		f.Fatalf("%s returned no error, want %q", what, want)
	}
	for _, e := range ours {
		if errors.Is(err, e) != (e == want) { //nolint:errorlint // which of them is wanted
			f.Fatalf("the error of %s is %q, want %q and no other by errors.Is", what, err, want)
		}
	}
}

// unavailable makes a call whose ctx ends after timeout. It expects that the call returns an error which says that the
// store is not available.
func (f *fixture) unavailable(name string, call func(ctx context.Context) error, timeout time.Duration) {
	f.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	result := make(chan error, 1)
	go func() { result <- call(ctx) }()
	select {
	case err := <-result:
		f.notOurs(name, err)
	case <-time.After(patience):
		f.Fatalf("%s does not return after ctx has ended", name)
	}
}

func (f *fixture) notOurs(name string, err error) {
	f.Helper()
	if err == nil {
		f.Errorf("%s returned no error", name)
	} else if isOurs(err) {
		f.Errorf("%s returned %q, which says that the store is available", name, err)
	}
}

func isOurs(err error) bool {
	return slices.ContainsFunc(ours, func(e error) bool { return errors.Is(err, e) })
}

// calls returns a call of each method. If they are carried out, they create a record, change r, and remove all records
// that expire within two hours of start.
func calls(s task.Store, r *task.Record) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"Create": func(ctx context.Context) error { return s.Create(ctx, record("late"), roomy) },
		"Get": func(ctx context.Context) error {
			_, err := s.Get(ctx, r.ID)
			return err
		},
		"Head": func(ctx context.Context) error {
			_, err := s.Head(ctx, r.ID)
			return err
		},
		"Swap": func(ctx context.Context) error {
			late := *r
			late.Message = "late"
			return swap(ctx, s, &late)
		},
		"Swap of the head": func(ctx context.Context) error {
			late := r.Head
			late.Message = "late"
			return s.Swap(ctx, &late, nil, roomy)
		},
		"Claim": func(ctx context.Context) error {
			_, err := takeFree(ctx, s, "late", start, after(time.Minute))
			return err
		},
		"List": func(ctx context.Context) error {
			_, err := s.List(ctx, r.Principal, "", 10)
			return err
		},
		"Expire": func(ctx context.Context) error {
			_, err := s.Expire(ctx, after(2*time.Hour), 10)
			return err
		},
	}
}
