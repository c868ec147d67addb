package taskstoretest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// testOneRecord: what one replica creates and replaces, another one sees at once, with all that is in it.
func testOneRecord(f *fixture) {
	r := f.create(f.one, record("p"))
	f.expect(f.two, r)
	f.expect(f.one, r)
	r.Status, r.Message, r.Asked = task.InputRequired, "which?", []byte(`["k","which?"]`)
	f.swap(f.two, r)
	f.expect(f.one, r)
	r.Status, r.Asked, r.Answers, r.Runs = task.Working, nil, []byte(`["k","this"]`), 1
	f.swap(f.one, r)
	f.expect(f.two, r)
	r.Status, r.Result, r.LeaseUntil = task.Completed, []byte(`["result"]`), after(time.Minute)
	f.swap(f.two, r)
	f.expect(f.one, r)
}

// testHeads: a change of a head leaves the body as it is, small or large, and Get returns both.
func testHeads(f *fixture) {
	for _, size := range []int{0, 10 << 10, 100 << 10, 1 << 20} {
		r := f.create(f.one, record("p"))
		grow(f, r, size)
		f.swap(f.one, r)
		for i, s := range []task.Store{f.two, f.one, f.two} {
			h, err := s.Head(f.limit(), r.ID)
			if err != nil {
				f.Fatalf("Head: %v", err)
			}
			f.sameHead("Head", h, &r.Head)
			h.Message, h.Runs, h.Scopes = strings.Repeat("m", 10*i), i, []string{"read"}
			f.swapHead(s, h)
			old := r.Head
			r.Head = *h
			f.sized(r)
			f.expect(f.one, r)
			f.expect(f.two, r)
			late := old
			f.only("Swap of the head", s.Swap(f.limit(), &late, nil, roomy), task.ErrChanged)
		}
		grow(f, r, 0) // the body is small again, and is kept with the head
		f.swap(f.one, r)
		f.expect(f.two, r)
	}
	r := record("p")
	r.Version = 1
	f.only("Swap of the head", f.one.Swap(f.limit(), &r.Head, nil, roomy), task.ErrNotFound)
	_, err := f.one.Head(f.limit(), r.ID)
	f.only("Head", err, task.ErrNotFound)
}

// testNoRecord: a store without records says so.
func testNoRecord(f *fixture) {
	_, err := f.one.Get(f.limit(), newID())
	f.only("Get", err, task.ErrNotFound)
	r := record("p")
	r.Version = 1
	f.only("Swap", swap(f.limit(), f.one, r), task.ErrNotFound)
	_, err = f.two.Get(f.limit(), r.ID)
	f.only("Get", err, task.ErrNotFound)
	f.idle(f.one, start, "there is none")
	list, err := f.one.List(f.limit(), "p", "", 10)
	if err != nil || len(list) > 0 {
		f.Errorf("List returned %d records and %v", len(list), err)
	}
	if n, err := f.one.Expire(f.limit(), start, 10); err != nil || n > 0 {
		f.Errorf("Expire returned %d and %v", n, err)
	}
}

// testExists: a record cannot be created under an id that has one, by any principal.
func testExists(f *fixture) {
	r := f.create(f.one, record("p"))
	for _, s := range []task.Store{f.one, f.two} {
		for _, principal := range []string{"p", "q"} {
			other := record(principal)
			other.ID, other.Message = r.ID, "another"
			f.only("Create", s.Create(f.limit(), other, roomy), task.ErrExists)
		}
	}
	f.expect(f.two, r)
	if list, err := f.one.List(f.limit(), "q", "", 10); err != nil || len(list) > 0 {
		f.Errorf("List returned %d records and %v", len(list), err)
	}
	// If the limits are reached too, either error may be returned.
	again := *r
	err := f.one.Create(f.limit(), &again, task.Limits{PerPrincipal: 1, Total: 1})
	if !errors.Is(err, task.ErrExists) && !errors.Is(err, task.ErrFull) {
		f.Errorf("Create returned %v", err)
	}
}

// testChanged: an older version, and a version that never was, are refused, and nothing changes.
func testChanged(f *fixture) {
	r := f.create(f.one, record("p"))
	old := *r
	r.Message = "new"
	f.swap(f.two, r)
	for _, version := range []uint64{old.Version, 0, r.Version + 1} {
		for _, s := range []task.Store{f.one, f.two} {
			late := old
			late.Version, late.Message = version, "late"
			f.only("Swap", swap(f.limit(), s, &late), task.ErrChanged)
		}
	}
	f.expect(f.one, r)
	// A write that was refused does not disturb later ones.
	r.Message = "newer"
	f.swap(f.one, r)
	f.expect(f.two, r)
	// Nor does it let the record be claimed twice.
	leased := f.take(f.one, "a", start, after(time.Minute))
	f.expect(f.two, leased)
	f.idle(f.two, start, "there is one record, which has an owner")
}

// testVersions: each change gets a version above all versions so far, of any record, including removed ones. Claim of
// each handle returns the greatest version.
func testVersions(f *fixture) {
	last := f.latest(f.one)
	grows := func(version uint64) {
		f.Helper()
		if version <= last {
			f.Fatalf("version %d after version %d", version, last)
		}
		last = version
	}
	r := record("p")
	for range 3 {
		again := *r
		again.Version = 0
		grows(f.create(f.one, &again).Version)
		for range 3 {
			other := f.create(f.one, record("q"))
			grows(other.Version)
			f.swap(f.two, &again)
			grows(again.Version)
			f.swapHead(f.one, &other.Head)
			grows(other.Version)
		}
		for _, s := range []task.Store{f.one, f.two} {
			if latest := f.latest(s); latest < last {
				f.Fatalf("Claim returned %d as the latest version, and there is %d", latest, last)
			}
		}
		f.empty()
		f.only("Swap", swap(f.limit(), f.one, &again), task.ErrNotFound)
	}
}

// testRecords: any text, any bytes, any time and the longest ids come back as they were.
func testRecords(f *fixture) {
	r := record(strings.Repeat("p", task.MaxPrincipal))
	r.ID += strings.Repeat("Z", task.MaxID-len(r.ID))
	r.Message = "nul \x00, quotes ' \" `, percent %s %, \r\n, smile \U0001F600, " + strings.Repeat("ü", 100)
	r.Subject, r.Scopes, r.Roles = "user';--", []string{"a", ""}, []string{"r"}
	r.Meta = json.RawMessage(`[1.5,null,true,"\u0000"]`)
	r.Error = json.RawMessage(`[-32603,"interrupted"]`)
	r.Restart, r.Begun, r.IsError, r.Runs = true, true, true, 3
	r.Owner, r.Fence = "owner.1-x", 1<<53+1
	r.Created, r.Updated = start.Add(123*time.Millisecond), start.Add(456*time.Millisecond)
	r.Expires = time.Date(8999, 12, 31, 23, 59, 59, 999e6, time.UTC)
	r.Checkpoint = make([]byte, 256)
	for i := range r.Checkpoint {
		r.Checkpoint[i] = byte(i)
	}
	f.create(f.one, r)
	f.expect(f.two, r)
	short := record("p")
	short.ID, short.Principal = "A", "-"
	f.create(f.two, short)
	f.expect(f.one, short)
	for _, status := range []task.Status{task.Cancelled, task.Failed, task.InputRequired} {
		short.Status = status
		f.swap(f.one, short)
		f.expect(f.two, short)
	}
}

// testLarge: records of all sizes up to the largest are kept, replaced, claimed and listed.
func testLarge(f *fixture) {
	r := f.create(f.one, record("p"))
	for _, size := range []int{200 << 10, 1 << 20, task.MaxRecord, 0} {
		grow(f, r, size)
		f.swap(f.one, r)
		f.expect(f.two, r)
	}
	grow(f, r, 2<<20)
	f.swap(f.two, r)
	leased := f.take(f.one, "a", start, after(time.Minute))
	r.Version, r.Size = leased.Version, leased.Size
	r.Lease("a", after(time.Minute))
	f.sized(r)
	f.expect(f.two, r)
	large := record("p")
	grow(f, large, task.MaxRecord)
	f.create(f.two, large)
	f.expect(f.one, large)
	list, err := f.one.List(f.limit(), "p", "", 3)
	if err != nil || len(list) != 2 {
		f.Fatalf("List returned %d records and %v", len(list), err)
	}
	f.sameHead("List", list[0], &r.Head)
	f.sameHead("List", list[1], &large.Head)
	f.empty()
	f.create(f.one, large)
	f.expect(f.two, large)
}

// testTooLarge: a record above the largest is refused, and what is kept stays as it is.
func testTooLarge(f *fixture) {
	kept := f.create(f.one, record("p"))
	over := new(*kept)
	grow(f, over, task.MaxRecord+1)
	f.only("Swap of a record above MaxRecord", swap(f.limit(), f.one, over), task.ErrFull)
	f.expect(f.two, kept)
	other := record("p")
	grow(f, other, task.MaxRecord+1)
	f.only("Create of a record above MaxRecord", f.one.Create(f.limit(), other, roomy), task.ErrFull)
	_, err := f.two.Get(f.limit(), other.ID)
	f.only("Get of a record that was refused", err, task.ErrNotFound)
}

// grow sets the Result of a record, with bytes that do not repeat, so that the texts of the record have size bytes. If
// size is too small for a Result, such as 0, grow removes the Result.
func grow(f *fixture, r *task.Record, size int) {
	f.Helper()
	r.Result = nil
	const around = `["result"]`
	n := size - len(text(f, r)) - len(around) - 256 // a guess, with room for the names of members
	if n < 0 {
		return
	}
	digits := make([]byte, n+1<<10)
	for i := range digits {
		digits[i] = "0123456789abcdef"[(i*i>>3^i*2654435761>>13)&15]
	}
	got := 0
	for range 4 { // Encode decides how large the rest of the record is
		r.Result = []byte(`["` + string(digits[:n]) + `"]`)
		head, body, err := r.Encode()
		if got = len(head) + len(body); errors.Is(err, task.ErrFull) && size > task.MaxRecord {
			return
		}
		if err != nil {
			f.Fatal(err)
		}
		if got == size {
			return
		}
		n += size - got
	}
	f.Fatalf("a record has %d bytes, want %d", got, size)
}

// testCopies: a store keeps neither what it was given nor the fields of what it has returned, for small and large
// records.
func testCopies(f *fixture) {
	for _, size := range []int{1, 64 << 10} { // heads and bodies of large records may be apart
		testCopiesOf(f, size)
	}
}

func testCopiesOf(f *fixture, size int) {
	r := record("p")
	r.Args = json.RawMessage(`"` + strings.Repeat("x", size) + `"`)
	r.Checkpoint, r.Scopes = []byte("first"), []string{"read"}
	f.create(f.one, r)
	want := clone(f, r)
	spoil := func(r *task.Record) {
		r.Message, r.Args, r.Checkpoint = "spoilt", nil, nil
		if len(r.Scopes) > 0 {
			r.Scopes[0] = "spoilt"
		}
	}
	copy(r.Args, "SPOILT")
	copy(r.Checkpoint, "spoilt")
	spoil(r)
	f.expect(f.one, want)
	f.expect(f.two, want)
	spoil(f.get(f.one, r.ID))
	f.expect(f.one, want)
	list, err := f.one.List(f.limit(), "p", "", 1)
	if err != nil || len(list) != 1 {
		f.Fatalf("List returned %d records and %v", len(list), err)
	}
	spoil(&task.Record{Head: *list[0]})
	f.expect(f.one, want)
	head, err := f.one.Head(f.limit(), r.ID)
	if err != nil {
		f.Fatalf("Head: %v", err)
	}
	spoil(&task.Record{Head: *head})
	f.expect(f.one, want)
	given := clone(f, want)
	f.swap(f.one, given)
	want.Version = given.Version
	copy(given.Args, "SPOILT")
	copy(given.Checkpoint, "spoilt")
	spoil(given)
	f.expect(f.one, want)
	leased := f.take(f.one, "a", start, after(time.Minute))
	want = clone(f, leased)
	spoil(leased)
	f.expect(f.one, want)
}

func clone(f *fixture, r *task.Record) *task.Record {
	f.Helper()
	head, body, err := r.Encode()
	if err != nil {
		f.Fatal(err)
	}
	c := &task.Record{Head: task.Head{Version: r.Version, Size: r.Size}}
	if err := c.Decode(bytes.Clone(head), bytes.Clone(body)); err != nil {
		f.Fatal(err)
	}
	return c
}

// testEnd: with a ctx that has ended, each method returns an error and changes nothing.
func testEnd(f *fixture) {
	r := f.create(f.one, record("p"))
	for name, call := range calls(f.one, r) {
		ctx, cancel := contextThatHasEnded()
		defer cancel()
		f.notOurs(name, call(ctx))
	}
	f.expect(f.two, r)
	if list, err := f.two.List(f.limit(), "late", "", 1); err != nil || len(list) > 0 {
		f.Errorf("List returned %d records and %v", len(list), err)
	}
}

// testClose: the methods of a closed handle return errors, and other handles go on.
func testClose(f *fixture, newStore func(t *testing.T) task.Store) {
	handle := newStore(f.T)
	closer, can := handle.(io.Closer)
	if !can || handle == f.one || handle == f.two {
		f.Log("the handle has no method Close, or serves all replicas")
		return
	}
	r := f.create(handle, record("p"))
	if err := closer.Close(); err != nil {
		f.Fatalf("Close: %v", err)
	}
	for name, call := range calls(handle, r) {
		f.notOurs(name+" after Close", call(f.limit()))
	}
	f.expect(f.one, r)
	r.Message = "later"
	f.swap(f.two, r)
	f.expect(f.one, r)
}
