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
	entry func(R) Ref
}

// streamer is a Lister that can give the refs of a page one by one, so that they need not be kept.
type streamer interface {
	// stream calls add with each ref of the page, which may be used until add returns. It returns
	// how many there were and where the next page begins; the arguments are those of list.
	stream(ctx context.Context, from string, size int, add func(*Ref)) (n int, next string, err error)
}

func (l *seqLister[R]) stream(ctx context.Context, from string, size int, add func(*Ref)) (n int, next string, err error) {
	if from != "" {
		refs, next, err := l.list(ctx, from, size)
		addAll(refs, add)
		return len(refs), next, err
	}
	seq := l.seq(ctx)
	if seq == nil {
		return 0, "", nil
	}
	var ref Ref // one for all: add makes it escape
	for r, err := range seq {
		if err != nil {
			return 0, "", err
		}
		if n == size {
			return n, strconv.Itoa(n) + " " + ref.URI, nil
		}
		ref = l.entry(r)
		add(&ref)
		n++
	}
	return n, "", nil
}

func addAll(refs []Ref, add func(*Ref)) {
	for i := range refs {
		add(&refs[i])
	}
}

func (l *seqLister[R]) list(ctx context.Context, from string, size int) ([]Ref, string, error) {
	seq := l.seq(ctx)
	if seq == nil {
		return nil, "", nil
	}
	c := newCut(from, size)
	for r, err := range seq {
		if err != nil {
			return nil, "", err
		}
		if !c.add(l.entry(r)) {
			break
		}
	}
	refs, next := c.page()
	return refs, next, nil
}

// cut takes a page out of a sequence of refs.
type cut struct {
	size  int    // of the page
	shown int    // entries of the pages before
	last  string // URI of the last one of them

	seen   int
	found  bool
	after  []Ref // what follows last, once it was found
	beyond []Ref // what follows the first shown entries
}

func newCut(from string, size int) *cut {
	count, last, _ := strings.Cut(from, " ")
	shown, _ := strconv.Atoi(count) // sealed, and "" is 0
	return &cut{size: size, shown: shown, last: last}
}

// add takes the next ref of the sequence and reports whether further ones matter. One more than
// fits is kept, to know whether another page follows. If a URI stands in the sequence twice, the
// place is behind the latest of those that were shown, so that paging comes to an end.
func (c *cut) add(ref Ref) bool {
	c.seen++
	switch {
	case c.shown > 0 && ref.URI == c.last && (!c.found || c.seen <= c.shown):
		c.found, c.after = true, c.after[:0]
	case c.found && len(c.after) <= c.size:
		c.after = append(c.after, ref)
	case !c.found && c.seen > c.shown && len(c.beyond) <= c.size:
		c.beyond = append(c.beyond, ref)
	}
	if c.shown == 0 {
		return len(c.beyond) <= c.size
	}
	return c.seen < c.shown || len(c.after) <= c.size
}

// page returns what was cut out and where the next page begins.
func (c *cut) page() (refs []Ref, next string) {
	refs = c.beyond
	if c.found {
		refs = c.after
	}
	if len(refs) <= c.size {
		return refs, ""
	}
	refs = refs[:c.size]
	return refs, strconv.Itoa(c.shown+c.size) + " " + refs[c.size-1].URI
}

// pageLister asks a function for each page.
type pageLister[R any] struct {
	page  func(context.Context, Page) (List[R], error)
	entry func(R) Ref
}

func (l *pageLister[R]) stream(ctx context.Context, from string, size int, add func(*Ref)) (n int, next string, err error) {
	page, err := l.page(ctx, Page{Cursor: from, Size: size})
	if err != nil {
		return 0, "", err
	}
	var ref Ref
	for _, item := range page.Items {
		ref = l.entry(item)
		add(&ref)
	}
	return len(page.Items), page.Next, nil
}

func (l *pageLister[R]) list(ctx context.Context, from string, size int) (refs []Ref, next string, err error) {
	_, next, err = l.stream(ctx, from, size, func(ref *Ref) { refs = append(refs, *ref) })
	return refs, next, err
}
