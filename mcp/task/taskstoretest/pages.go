package taskstoretest

import (
	"context"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// page returns the ids of one page.
func (f *fixture) page(s task.Store, principal, after string, limit int) []string {
	f.Helper()
	list, err := s.List(f.limit(), principal, after, limit)
	if err != nil {
		f.Fatalf("List: %v", err)
	}
	if len(list) > limit {
		f.Fatalf("List of at most %d returned %d", limit, len(list))
	}
	var ids []string
	for _, r := range list {
		if r.Principal != principal {
			f.Fatalf("List of %q returned a record of %q", principal, r.Principal)
		}
		ids = append(ids, r.ID)
	}
	if !slices.IsSorted(ids) {
		f.Fatalf("List returned %q, which are not in the order of their ids", ids)
	}
	return ids
}

// all returns the ids of all pages.
func (f *fixture) all(s task.Store, principal string, limit int) []string {
	f.Helper()
	var out []string
	for last := ""; len(out) < 1_000; {
		ids := f.page(s, principal, last, limit)
		out = append(out, ids...)
		if len(ids) < limit {
			break
		}
		last = ids[len(ids)-1]
	}
	return out
}

// testPages: the pages of a list have each record once, whatever changes between them.
func testPages(f *fixture) {
	const n = 23
	var want []string
	for range n {
		want = append(want, newID())
	}
	for i := range n { // they are not created in the order of their ids
		i = i * 7 % n
		r := record("p")
		r.ID, r.Expires = want[i], after(time.Duration(i%2+1)*time.Hour)
		f.create(f.one, r)
		f.create(f.two, record("q"))
	}
	for _, limit := range []int{1, 2, 7, n - 1, n, n + 1, 1000} {
		if got := f.all(f.two, "p", limit); !slices.Equal(got, want) {
			f.Fatalf("pages of %d have %d ids, want %d:\n%q\nwant\n%q", limit, len(got), n, got, want)
		}
	}
	// Records that change stay where they are, and new ones come at the end. The record with which a page ended may be
	// removed before the next one.
	first := f.page(f.one, "p", "", 7)
	r := f.get(f.two, first[3])
	r.Status = task.Completed
	f.swap(f.two, r)
	r = f.get(f.two, want[9])
	r.Status = task.Completed
	f.swap(f.two, r)
	added := record("p")
	added.Expires = after(2 * time.Hour)
	f.create(f.two, added)
	if _, err := f.two.Expire(f.limit(), after(time.Hour), 1000); err != nil {
		f.Fatal(err)
	}
	got := slices.Concat(first, f.page(f.one, "p", first[6], 1000))
	var rest []string
	for i, id := range want {
		if i < 7 || i%2 == 1 {
			rest = append(rest, id)
		}
	}
	rest = append(rest, added.ID)
	if !slices.Equal(got, rest) {
		f.Fatalf("the pages have\n%q\nwant\n%q", got, rest)
	}
	f.expect(f.one, r)
	list, err := f.one.List(f.limit(), "p", want[8], 1)
	if err != nil || len(list) != 1 {
		f.Fatalf("List returned %d records and %v", len(list), err)
	}
	f.sameHead("List", list[0], &r.Head)
}

// testPrincipals: List never returns tasks of another principal, however alike the names are.
func testPrincipals(f *fixture) {
	names := []string{"a", "A", "aa", "a_", "a-", "ab", "_", "-", "a_b", "a-b", "axb", "aXb"}
	want := make(map[string][]string)
	for range 3 {
		for _, p := range names {
			want[p] = append(want[p], f.create(f.one, record(p)).ID)
		}
	}
	for _, p := range names {
		for _, limit := range []int{2, 100} {
			if got := f.all(f.two, p, limit); !slices.Equal(got, want[p]) {
				f.Fatalf("the tasks of %q are %q, want %q", p, got, want[p])
			}
		}
	}
	for _, p := range []string{"b", "aaa", "x_b", "B"} {
		if got := f.all(f.two, p, 10); len(got) > 0 {
			f.Fatalf("the tasks of %q, who has none, are %q", p, got)
		}
	}
}

// contextThatHasEnded returns a context that has ended.
func contextThatHasEnded() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx, cancel
}
