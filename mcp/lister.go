package mcp

import (
	"context"
	"iter"
	"strconv"
	"strings"
)

// seqLister pages a sequence. Where a page begins is written "12 notes:///x": after the last URI of
// the page before, or after so many entries if that URI is gone.
type seqLister[R any] struct {
	seq   func(context.Context) iter.Seq2[R, error]
	entry func([]byte, R) Ref
}

// list implements Lister. The function that the sequence calls is written out, because a range
// statement would allocate all that its body sets.
func (l *seqLister[R]) list(ctx context.Context, from string, size int, to *refs) (next string, err error) {
	seq := l.seq(ctx)
	if seq == nil {
		return "", nil
	}
	to.begin(from, size)
	turn, entry := to.turn, l.entry
	seq(func(r R, err error) bool {
		if to.turn != turn {
			panic("mcp: a list function yields after its page has ended")
		}
		if err != nil {
			to.err = err
			to.turn++
			return false
		}
		ref := entry(to.scratch[:0], r)
		to.scratch = ref.URI
		if to.take(ref) {
			return true
		}
		to.turn++
		return false
	})
	return to.end()
}

// cut takes a page out of a sequence of references.
type cut struct {
	size  int    // of the page
	shown int    // entries of the pages before
	after string // URI of the last one of them

	seen  int
	found bool // after was among them, and the page begins behind it
	more  bool // something follows the page
}

// begin makes t ready for the sequence of a page.
func (t *refs) begin(from string, size int) {
	t.cut = cut{size: size}
	if from != "" {
		count, after, _ := strings.Cut(from, " ")
		t.cut.shown, _ = strconv.Atoi(count) // sealed, so it is a number
		t.cut.after = after
	}
	t.err = nil
	t.turn++
}

// take takes the next reference of the sequence and reports whether further ones matter. Until the URI behind which the
// page begins was seen, the page is made of what follows the entries shown before; then anew of what follows that URI.
// If it stands in the sequence twice, the place is behind the latest of those that were shown, so that paging comes to
// an end.
func (t *refs) take(ref Ref) bool {
	c := &t.cut
	c.seen++
	switch {
	case c.shown > 0 && (!c.found || c.seen <= c.shown) && string(ref.URI) == c.after:
		c.found, c.more = true, false
		t.clear()
	case !c.found && c.seen <= c.shown:
	case t.n < c.size:
		t.add(ref)
		if t.n == c.size {
			t.keep(ref.URI)
		}
	default:
		c.more = true
	}
	if c.shown == 0 {
		return !c.more
	}
	return c.seen < c.shown || !c.found || !c.more
}

// end returns where the page after that of begin begins.
func (t *refs) end() (next string, err error) {
	t.turn++
	if err := t.err; err != nil {
		t.err = nil
		return "", err
	}
	if !t.cut.more {
		return "", nil
	}
	return strconv.Itoa(t.cut.shown+t.cut.size) + " " + string(t.last), nil
}

// pageLister asks a function for each page.
type pageLister[R any] struct {
	page  func(context.Context, Page) (List[R], error)
	entry func([]byte, R) Ref
}

// list implements Lister.
func (l *pageLister[R]) list(ctx context.Context, from string, size int, to *refs) (next string, err error) {
	page, err := l.page(ctx, Page{Cursor: from, Size: size})
	if err != nil {
		return "", err
	}
	for _, item := range page.Items {
		ref := l.entry(to.scratch[:0], item)
		to.scratch = ref.URI
		to.add(ref)
	}
	return page.Next, nil
}
