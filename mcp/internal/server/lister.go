package server

import (
	"context"
	"encoding/binary"
	"iter"
	"math"
	"slices"
)

// seqLister pages a sequence. Where a page begins is how many entries were on the pages before, and the trail of these.
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
	if err := to.begin(from, size); err != nil {
		return "", err
	}
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

// enoughFound is how many entries of the trail are looked for. As many but one may have moved to the front.
const enoughFound = 8

// begin makes t ready for the sequence of a page. from is what end has returned.
func (t *refs) begin(from string, size int) error {
	c := &t.cut
	*c = cut{size: size, trail: c.trail[:0], own: c.own[:0]}
	t.err = nil
	t.turn++
	if from == "" {
		return nil
	}
	shown, n := binary.Uvarint([]byte(from))
	trail, rest, ok := cutTrail([]byte(from[max(n, 0):]), c.trail)
	if n <= 0 || shown > math.MaxInt32 || !ok || len(rest) != 0 {
		return errCursor
	}
	c.shown, c.trail = int(shown), trail
	return nil
}

// take takes the next reference of the sequence and reports whether further ones matter.
func (t *refs) take(ref Ref) bool {
	c := &t.cut
	c.seen++
	all := c.shown <= len(c.trail)
	switch {
	case c.shown > 0 && slices.Contains(c.trail, nameHash(ref.URI)):
		if c.found++; !all && c.found <= enoughFound {
			c.more, c.own = false, c.own[:0]
			t.clear()
		}
	case !all && c.found == 0 && c.seen <= c.shown-len(c.trail):
	case t.n == c.size:
		c.more = true
	default:
		if t.n >= c.size-entryTrail {
			c.own = c.own.add(nameHash(ref.URI), entryTrail)
		}
		t.add(ref)
	}
	return !c.more || !all && c.found < enoughFound
}

// end returns where the page after that of begin begins.
func (t *refs) end() (next string, err error) {
	t.turn++
	if err := t.err; err != nil {
		t.err = nil
		return "", err
	}
	c := &t.cut
	if !c.more {
		return "", nil
	}
	for _, h := range c.own {
		c.trail = c.trail.add(h, entryTrail)
	}
	b := binary.AppendUvarint(make([]byte, 0, 2*binary.MaxVarintLen64+8*entryTrail), uint64(c.shown+c.size))
	return string(c.trail.appendTo(b)), nil
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
