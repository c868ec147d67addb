package feature

import (
	"context"
	"encoding/binary"
	"iter"
	"math"
	"slices"

	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/paging"
)

// Instances are the listed instances of a template. Make one with ListSeq or ListPages.
type Instances interface {
	// List adds the references of one page, at most size of them, to a builder. pos is where the page begins: "" for the
	// first page, else what List has returned as next for the page before. next is "" if this is the last page.
	List(ctx context.Context, pos string, size int, to *PageBuilder) (next string, err error)
}

// ListSeq returns the instances in a sequence. Each page runs the sequence from its start. entry makes the entry of a
// value in lists, with the URI of the value appended to b. The order of the sequence should be stable: a page begins
// after the last URI of the previous page.
func ListSeq[R any](seq func(context.Context) iter.Seq2[R, error], entry func(b []byte, r R) Ref) Instances {
	return &seqInstances[R]{seq, entry}
}

// ListPages returns the instances of a function that pages itself. entry is that of [ListSeq].
func ListPages[R any](page func(context.Context, Page) (List[R], error), entry func(b []byte, r R) Ref) Instances {
	return &pagedInstances[R]{page, entry}
}

// ListSeqFor is [ListSeq] for a function that takes the caller.
func ListSeqFor[R any](seq func(context.Context, call.Caller) iter.Seq2[R, error],
	entry func(b []byte, r R) Ref) Instances {
	return ListSeq(func(ctx context.Context) iter.Seq2[R, error] { return seq(ctx, callerOf(ctx)) }, entry)
}

// ListPagesFor is [ListPages] for a function that takes the caller.
func ListPagesFor[R any](page func(context.Context, Page, call.Caller) (List[R], error),
	entry func(b []byte, r R) Ref) Instances {
	return ListPages(func(ctx context.Context, p Page) (List[R], error) { return page(ctx, p, callerOf(ctx)) }, entry)
}

// callerOf returns the caller of the request whose context is ctx; the zero Caller for a context of no request.
func callerOf(ctx context.Context) call.Caller {
	if c, ok := ctx.(*call.Call); ok {
		return c.Caller()
	}
	return call.Caller{}
}

// seqInstances pages a sequence. A position has the number of entries on earlier pages, and hashes of the last URIs on
// them.
type seqInstances[R any] struct {
	seq   func(context.Context) iter.Seq2[R, error]
	entry func([]byte, R) Ref
}

// List implements [Instances]. It calls the sequence with a function of its own: a range statement would allocate every
// variable that its body sets.
func (l *seqInstances[R]) List(ctx context.Context, pos string, size int, to *PageBuilder) (next string, err error) {
	seq := l.seq(ctx)
	if seq == nil {
		return "", nil
	}
	if err := to.begin(pos, size); err != nil {
		return "", err
	}
	turn, entry := to.generation, l.entry
	seq(func(r R, err error) bool {
		if to.generation != turn {
			panic("mcp: a list function yields after its page has ended")
		}
		if err != nil {
			to.err = err
			to.generation++
			return false
		}
		to.ref = entry(to.scratch[:0], r)
		to.scratch = to.ref.URI
		if to.take() {
			return true
		}
		to.generation++
		return false
	})
	return to.end()
}

// maxFound is how many of the last entries of a page are looked for on the next one. All but one of them may have moved
// to the front.
const maxFound = 8

// begin makes t ready for the sequence of a page. pos is what end has returned for the page before; "" for the first
// page.
func (t *PageBuilder) begin(pos string, size int) error {
	c := &t.cut
	*c = pageCut{size: size, before: c.before[:0], shownHere: c.shownHere[:0]}
	t.err = nil
	t.generation++
	if pos == "" {
		return nil
	}
	shown, n := binary.Uvarint([]byte(pos))
	trail, rest, ok := paging.CutNames([]byte(pos[max(n, 0):]), c.before)
	if n <= 0 || shown > math.MaxInt32 || !ok || len(rest) != 0 {
		return content.ErrCursor
	}
	c.shown, c.before = int(shown), trail
	return nil
}

// take handles t.ref, the next reference of the sequence, and reports whether the page needs further references.
func (t *PageBuilder) take() bool {
	c, uri := &t.cut, t.ref.URI
	c.seen++
	all := c.shown <= len(c.before)
	switch {
	case c.shown > 0 && slices.Contains(c.before, paging.Hash(uri)):
		if c.found++; !all && c.found <= maxFound {
			c.more, c.shownHere = false, c.shownHere[:0]
			t.clear()
		}
	case !all && c.found == 0 && c.seen <= c.shown-len(c.before):
	case t.n == c.size:
		c.more = true
	default:
		if t.n >= c.size-paging.MaxEntries {
			c.shownHere = c.shownHere.Add(paging.Hash(uri), paging.MaxEntries)
		}
		t.add()
	}
	return !c.more || !all && c.found < maxFound
}

// end ends the page and returns the position of the next page; "" if this was the last page. The error is that of the
// sequence.
func (t *PageBuilder) end() (next string, err error) {
	t.generation++
	if err := t.err; err != nil {
		t.err = nil
		return "", err
	}
	c := &t.cut
	if !c.more {
		return "", nil
	}
	for _, h := range c.shownHere {
		c.before = c.before.Add(h, paging.MaxEntries)
	}
	b := binary.AppendUvarint(make([]byte, 0, 2*binary.MaxVarintLen64+8*paging.MaxEntries), uint64(c.shown+c.size))
	return string(c.before.AppendTo(b)), nil
}

// pagedInstances asks a function for each page.
type pagedInstances[R any] struct {
	page  func(context.Context, Page) (List[R], error)
	entry func([]byte, R) Ref
}

// List implements [Instances].
func (l *pagedInstances[R]) List(ctx context.Context, pos string, size int, to *PageBuilder) (next string, err error) {
	page, err := l.page(ctx, Page{Cursor: pos, Size: size})
	if err != nil {
		return "", err
	}
	for _, item := range page.Items {
		ref := l.entry(to.scratch[:0], item)
		to.scratch = ref.URI
		to.Add(ref)
	}
	return page.Next, nil
}

// completionPage is the size of the pages that EachRef asks for.
const completionPage = 1000

// EachRef calls f for all instances. The reference is overwritten after f has returned. The error is that of list or of
// ctx.
func EachRef(ctx context.Context, list Instances, f func(*Ref)) error {
	if all, ok := list.(interface {
		each(ctx context.Context, f func(*Ref)) error
	}); ok {
		return all.each(ctx, f)
	}
	to := PageBuilder{To: refFunc(f)}
	for from := ""; ; {
		next, err := list.List(ctx, from, completionPage, &to)
		if err != nil {
			return err
		}
		if next == "" || next == from {
			return ctx.Err()
		}
		from = next
	}
}

// refFunc is a function that implements [PageSink].
type refFunc func(*Ref)

// Take implements [PageSink].
func (f refFunc) Take(ref *Ref) { f(ref) }

// Restart implements [PageSink].
func (f refFunc) Restart() {}

// each runs the sequence once, which paging would do for every page.
func (l *seqInstances[R]) each(ctx context.Context, f func(*Ref)) error {
	seq := l.seq(ctx)
	if seq == nil {
		return nil
	}
	var ref Ref
	for r, err := range seq {
		if err != nil {
			return err
		}
		ref = l.entry(ref.URI[:0], r)
		f(&ref)
	}
	return ctx.Err()
}

// InstanceCompleter is implemented by instances that complete their variable better than from their entries.
type InstanceCompleter interface {
	Complete(ctx context.Context, prefix string) ([]string, error)
}
