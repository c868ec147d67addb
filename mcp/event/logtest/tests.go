package logtest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// fixture is a test with two handles of one log, as two replicas have them.
type fixture struct {
	*testing.T
	one, two event.Log
}

// within is how long a call may take.
const within = 30 * time.Second

func (f *fixture) limit() context.Context {
	ctx, stop := context.WithTimeout(f.Context(), within)
	f.Cleanup(stop)
	return ctx
}

// now is a time that every store can keep: with milliseconds.
func now() time.Time { return time.Now().Truncate(time.Millisecond).UTC() }

func entry(id string) *event.Entry {
	at := now()
	return &event.Entry{ID: id, Time: at.Add(-time.Hour), Kept: at, Data: []byte(`{"id":"` + id + `"}`), Cause: "c" + id}
}

// roomy keeps all that a test appends.
var roomy = event.Retention{For: time.Hour, Most: 100_000}

func (f *fixture) append(l event.Log, name string, e *event.Entry) {
	f.Helper()
	if err := l.Append(f.limit(), name, e, roomy); err != nil {
		f.Fatalf("Append %s: %v", e.ID, err)
	}
}

func (f *fixture) read(l event.Log, name string, after uint64, limit int) event.Page {
	f.Helper()
	p, err := l.Read(f.limit(), name, after, limit)
	if err != nil {
		f.Fatalf("Read: %v", err)
	}
	if p.Epoch == "" || len(p.Epoch) > 64 || p.First > p.Last+1 {
		f.Fatalf("Read returned epoch %q, first %d, last %d", p.Epoch, p.First, p.Last)
	}
	return p
}

func ids(p event.Page) string {
	var all []string
	for _, e := range p.Entries {
		all = append(all, e.ID)
	}
	return strings.Join(all, " ")
}

// testOrder: entries come back as they were appended, in order, after any place.
func testOrder(f *fixture) {
	name := rand.Text()
	if p := f.read(f.one, name, 0, 10); len(p.Entries) != 0 || p.First != p.Last+1 {
		f.Errorf("a name without entries: %+v", p)
	}
	var all []*event.Entry
	for i := range 5 {
		e := entry(fmt.Sprint("e", i))
		f.append(f.one, name, e)
		if i > 0 && e.Seq <= all[i-1].Seq {
			f.Errorf("Append gave place %d after %d", e.Seq, all[i-1].Seq)
		}
		all = append(all, e)
	}
	p := f.read(f.one, name, 0, 10)
	if ids(p) != "e0 e1 e2 e3 e4" || p.First != all[0].Seq || p.Last != all[4].Seq {
		f.Fatalf("Read returned %s, first %d, last %d", ids(p), p.First, p.Last)
	}
	for i, got := range p.Entries {
		want := all[i]
		if got.Seq != want.Seq || !got.Time.Equal(want.Time) || !got.Kept.Equal(want.Kept) || got.Cause != want.Cause ||
			!bytes.Equal(got.Data, want.Data) {
			f.Errorf("Read returned %+v, want %+v", got, *want)
		}
	}
	if p := f.read(f.one, name, all[1].Seq, 2); ids(p) != "e2 e3" || p.Last != all[4].Seq {
		f.Errorf("behind the second, two at most: %s", ids(p))
	}
	if p := f.read(f.one, name, all[4].Seq, 2); ids(p) != "" {
		f.Errorf("behind the last: %s", ids(p))
	}
	if p := f.read(f.one, name, 0, 0); ids(p) != "" || p.Last != all[4].Seq {
		f.Errorf("none at most: %s, last %d", ids(p), p.Last)
	}
	gap := &event.Entry{ID: rand.Text(), Time: now(), Kept: now()}
	f.append(f.one, name, gap) // an entry without data
	if p := f.read(f.one, name, all[4].Seq, 2); len(p.Entries) != 1 || len(p.Entries[0].Data) != 0 {
		f.Errorf("an entry without data: %+v", p.Entries)
	}
}

// testNames: each name has entries, places and ids of its own.
func testNames(f *fixture) {
	a, b := rand.Text(), rand.Text()
	f.append(f.one, a, entry("x"))
	f.append(f.one, b, entry("x"))
	f.append(f.one, b, entry("y"))
	if p := f.read(f.one, a, 0, 10); ids(p) != "x" {
		f.Errorf("the first name has %s", ids(p))
	}
	if p := f.read(f.one, b, 0, 10); ids(p) != "x y" {
		f.Errorf("the second name has %s", ids(p))
	}
}

// testDuplicate: an id that is held is appended once.
func testDuplicate(f *fixture) {
	name := rand.Text()
	first, again := entry("x"), entry("x")
	f.append(f.one, name, first)
	f.append(f.one, name, entry("y"))
	if err := f.two.Append(f.limit(), name, again, roomy); !errors.Is(err, event.ErrDuplicate) || again.Seq != first.Seq {
		f.Errorf("Append again: place %d, %v; want %d, ErrDuplicate", again.Seq, err, first.Seq)
	}
	if p := f.read(f.one, name, 0, 10); ids(p) != "x y" {
		f.Errorf("the log has %s", ids(p))
	}
}

// testRetention: what is kept is there, whatever is dropped before it, and places are never given again.
func testRetention(f *fixture) {
	name, keep := rand.Text(), event.Retention{For: time.Hour, Most: 10}
	var last uint64
	for i := range 100 {
		e := entry(fmt.Sprint(i))
		if err := f.one.Append(f.limit(), name, e, keep); err != nil {
			f.Fatal(err)
		}
		last = e.Seq
	}
	p := f.read(f.one, name, 0, 1000)
	if n := len(p.Entries); n < 10 || p.Entries[n-1].ID != "99" || p.Last != last || p.First != p.Entries[0].Seq {
		f.Fatalf("%d entries are left, first %d, last %d", n, p.First, p.Last)
	}
	for i := 1; i < len(p.Entries); i++ {
		if p.Entries[i].Seq != p.Entries[i-1].Seq+1 {
			f.Errorf("place %d follows %d: those that are held have no holes", p.Entries[i].Seq, p.Entries[i-1].Seq)
		}
	}
	old := entry("old")
	old.Kept = now().Add(-2 * time.Hour)
	name = rand.Text()
	f.append(f.one, name, old)
	f.append(f.one, name, entry("young"))
	p = f.read(f.one, name, 0, 10)
	if !strings.HasSuffix(ids(p), "young") || p.Last < old.Seq+1 {
		f.Errorf("after the time of one: %s, last %d", ids(p), p.Last)
	}
}

// testSize: a page of large entries is cut, and has one at least.
func testSize(f *fixture) {
	name := rand.Text()
	for i := range 12 {
		e := entry(fmt.Sprint(i))
		e.Data = []byte(strings.Repeat("x", event.MaxData)) // a log does not check that it is JSON
		f.append(f.one, name, e)
	}
	var got []string
	for after, turns := uint64(0), 0; turns < 12; turns++ {
		p := f.read(f.one, name, after, 100)
		if len(p.Entries) == 0 {
			break
		}
		if len(p.Entries) > 6 {
			f.Errorf("a page has %d entries of 256 KiB", len(p.Entries))
		}
		for _, e := range p.Entries {
			got, after = append(got, e.ID), e.Seq
		}
	}
	if strings.Join(got, " ") != "0 1 2 3 4 5 6 7 8 9 10 11" {
		f.Errorf("the pages have %q", got)
	}
}

// testContext: nothing is done after a context has ended.
func testContext(f *fixture) {
	name := rand.Text()
	ctx, stop := context.WithCancel(f.Context())
	stop()
	if err := f.one.Append(ctx, name, entry("x"), roomy); err == nil {
		f.Error("Append succeeded after its context has ended")
	}
	if _, err := f.one.Read(ctx, name, 0, 1); err == nil {
		f.Error("Read succeeded after its context has ended")
	}
	if p := f.read(f.one, name, 0, 1); len(p.Entries) != 0 {
		f.Errorf("the log has %s", ids(p))
	}
}

// testConcurrent: many append at once; each entry has a place of its own, and readers see entries in that order.
func testConcurrent(f *fixture) {
	const workers, each = 8, 25
	name := rand.Text()
	var wait, reading sync.WaitGroup
	done := make(chan struct{})
	reading.Go(func() { f.follow(name, done) })
	for w := range workers {
		l := f.one
		if w%2 == 1 {
			l = f.two
		}
		wait.Go(func() {
			for i := range each {
				if err := l.Append(f.Context(), name, entry(fmt.Sprintf("%d-%d", w, i)), roomy); err != nil {
					f.Errorf("Append: %v", err)
				}
			}
		})
	}
	wait.Wait()
	close(done)
	reading.Wait()
	p := f.read(f.one, name, 0, 1000)
	places := make([]uint64, len(p.Entries))
	for i := range p.Entries {
		places[i] = p.Entries[i].Seq
	}
	if len(places) != workers*each || !slices.IsSorted(places) || len(slices.Compact(places)) != workers*each {
		f.Errorf("%d of %d entries are there", len(places), workers*each)
	}
}

// follow reads new entries until done is closed, and reports places that are passed over.
func (f *fixture) follow(name string, done <-chan struct{}) {
	for after := uint64(0); ; {
		p, err := f.two.Read(f.Context(), name, after, 100)
		if err != nil {
			f.Errorf("Read: %v", err)
			return
		}
		if len(p.Entries) == 0 && p.Last > after {
			f.Errorf("Read returned nothing behind %d, and %d as the last place", after, p.Last)
		}
		for _, e := range p.Entries {
			if after > 0 && e.Seq != after+1 {
				f.Errorf("Read returned place %d behind %d", e.Seq, after)
			}
			after = e.Seq
		}
		select {
		case <-done:
			return
		default:
			time.Sleep(time.Millisecond)
		}
	}
}

// testShared: what one handle appends is there for another at once.
func testShared(f *fixture) {
	name := rand.Text()
	f.append(f.one, name, entry("a"))
	f.append(f.two, name, entry("b"))
	one, two := f.read(f.one, name, 0, 10), f.read(f.two, name, 0, 10)
	if ids(one) != "a b" || ids(two) != "a b" || one.Epoch != two.Epoch {
		f.Errorf("one handle has %s of %s, the other %s of %s", ids(one), one.Epoch, ids(two), two.Epoch)
	}
}
