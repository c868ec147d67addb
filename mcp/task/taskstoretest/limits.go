package taskstoretest

import (
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// refused expects that Create returns ErrFull, and stores nothing.
func (f *fixture) refused(s task.Store, r *task.Record, limits task.Limits) {
	f.Helper()
	f.only("Create beyond the limits", s.Create(f.limit(), r, limits), task.ErrFull)
	_, err := f.two.Get(f.limit(), r.ID)
	f.only("Get of what was refused", err, task.ErrNotFound)
}

// fits expects that Create stores a record within the limits.
func (f *fixture) fits(s task.Store, r *task.Record, limits task.Limits) {
	f.Helper()
	if err := s.Create(f.limit(), r, limits); err != nil {
		f.Fatalf("Create within the limits: %v", err)
	}
	f.expect(f.two, r)
}

// gone expects that the records whose indexes are in want were removed, and no other ones. The indexes are in ascending
// order.
func (f *fixture) gone(records []*task.Record, want ...int) {
	f.Helper()
	for i, r := range records {
		if len(want) > 0 && i == want[0] {
			want = want[1:]
			_, err := f.two.Head(f.limit(), r.ID)
			f.only("Head of what made room", err, task.ErrNotFound)
			continue
		}
		f.expect(f.one, r)
	}
}

// testLimits: a record beyond the limits of its principal is refused, records of other principals are not, and expiry
// makes room.
func testLimits(f *fixture) {
	limits := task.Limits{PerPrincipal: 3, Total: 6}
	first := record("p")
	first.Expires = after(time.Minute)
	f.fits(f.one, first, limits)
	f.fits(f.two, record("p"), limits)
	f.fits(f.one, record("p"), limits)
	f.refused(f.one, record("p"), limits)
	f.fits(f.one, record("q"), limits)
	f.fits(f.two, record("r"), limits)
	f.refused(f.one, record("q"), limits) // the last place is for a principal that has none
	f.fits(f.one, record("s"), limits)
	f.refused(f.two, record("t"), limits)
	first.Status = task.Completed
	f.swap(f.two, first) // one that has ended counts
	f.refused(f.two, record("p"), limits)
	f.refused(f.two, record("p"), task.Limits{PerPrincipal: 3, Total: 100})
	if n, err := f.two.Expire(f.limit(), after(time.Minute), 10); n != 1 || err != nil {
		f.Fatalf("Expire returned %d and %v", n, err)
	}
	f.refused(f.one, record("q"), limits)
	f.fits(f.one, record("t"), limits)
	f.refused(f.one, record("z"), limits)
}

// testEndedMakeRoom: if the limit of all principals together is reached, a task that has ended makes room: the oldest
// one of the principal that has most. A principal that has more than that principal gets no room.
func testEndedMakeRoom(f *fixture) {
	limits := task.Limits{PerPrincipal: 10, Total: 8}
	var all []*task.Record
	for i, principal := range []string{"p", "p", "p", "p", "p", "q", "q", "q"} {
		r := record(principal)
		switch i {
		case 1:
			r.Status = task.Completed
		case 3:
			r.Status = task.Cancelled
		case 6:
			r.Status = task.Failed
		}
		all = append(all, f.create(f.one, r))
	}
	f.fits(f.one, record("s"), limits)
	f.gone(all, 1)
	f.fits(f.two, record("t"), limits)
	f.gone(all, 1, 3)
	f.fits(f.one, record("u"), limits)
	f.gone(all, 1, 3, 6)
	f.refused(f.one, record("v"), limits)
	f.empty()
	// A principal that has more than each of those with ended tasks gets no room.
	all = all[:0]
	for range 3 {
		all = append(all, f.create(f.one, record("p")))
	}
	for range 5 {
		r := record("q" + newID())
		r.Status = task.Completed
		all = append(all, f.create(f.one, r))
	}
	f.refused(f.one, record("p"), limits)
	f.gone(all)
	f.fits(f.one, record("q"), limits)
}

// large returns a record of a principal that counts for size bytes.
func (f *fixture) large(principal string, size int) *task.Record {
	f.Helper()
	r := record(principal)
	grow(f, r, size)
	return r
}

// testBytes: bytes are bounded, in total and for each principal, also when a record grows. Tasks that have ended make
// room. A small change is never refused.
func testBytes(f *fixture) {
	const kib = 1 << 10
	limits := task.Limits{PerPrincipal: 1000, Total: 1000, Bytes: 400 * kib}
	p := f.large("p", 60*kib)
	f.fits(f.one, p, limits)
	f.refused(f.two, f.large("p", 60*kib), limits)
	f.fits(f.two, f.large("p", 20*kib), limits)
	before := *p
	for _, larger := range []int{120 * kib, 1 << 20} {
		grow(f, p, larger)
		f.only("Swap beyond the limits", f.one.Swap(f.limit(), &p.Head, &p.Body, limits), task.ErrFull)
		f.expect(f.two, &before)
	}
	p.Result = before.Result
	var ended []*task.Record
	for _, principal := range []string{"q", "r", "s"} {
		r := f.large(principal, 80*kib)
		r.Status = task.Completed
		f.fits(f.one, r, limits)
		ended = append(ended, r)
	}
	f.fits(f.one, f.large("u", 50*kib), limits)
	f.gone(ended)
	f.refused(f.one, f.large("t", 400*kib), limits)
	v := f.large("v", 40*kib)
	f.fits(f.one, v, limits)
	left := 0
	for _, r := range ended {
		if _, err := f.two.Head(f.limit(), r.ID); err == nil {
			left++
		}
	}
	if left != 2 {
		f.Fatalf("of three records that have ended %d are left, want two", left)
	}
	// Even without any room, a task can be claimed and ended.
	none := task.Limits{PerPrincipal: 1, Total: 1, Bytes: 1}
	h, _, err := f.one.Claim(f.limit(), task.Claim{Owner: strings.Repeat("o", 26), Now: start, Until: after(time.Minute)})
	if err != nil {
		f.Fatalf("Claim: %v", err)
	}
	h.Message = strings.Repeat("m", 1000)
	if err := f.one.Swap(f.limit(), h, nil, none); err != nil {
		f.Fatalf("Swap of a head: %v", err)
	}
	h.Status = task.Failed
	if err := f.one.Swap(f.limit(), h, &task.Body{Error: []byte(`["interrupted"]`)}, none); err != nil {
		f.Fatalf("Swap that ends the task: %v", err)
	}
	f.fits(f.two, f.large("w", 40*kib), limits)
}

// testRoomIsGivenBack: what is replaced or removed counts no more, however often that happens.
func testRoomIsGivenBack(f *fixture) {
	limits := task.Limits{PerPrincipal: 2, Total: 2, Bytes: 1 << 20}
	for range 10 {
		r := f.large("p", 100<<10)
		f.fits(f.one, r, limits)
		for _, size := range []int{200 << 10, 0, 150 << 10} {
			grow(f, r, size)
			if err := f.two.Swap(f.limit(), &r.Head, &r.Body, limits); err != nil {
				f.Fatalf("Swap: %v", err)
			}
		}
		r.Status = task.Completed
		f.swapHead(f.one, &r.Head)
		if n, err := f.two.Expire(f.limit(), after(time.Hour), 10); n != 1 || err != nil {
			f.Fatalf("Expire returned %d and %v", n, err)
		}
	}
	f.fits(f.one, record("q"), limits)
}
