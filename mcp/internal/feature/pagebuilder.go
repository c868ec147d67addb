package feature

import (
	"github.com/mcpgen/mcpgen/mcp/internal/paging"
)

// PageSink receives the references of a page.
type PageSink interface {
	// Take takes the next reference. It must not keep ref or its URI, which are overwritten afterwards.
	Take(ref *Ref)
	// Restart forgets all references taken for the current page.
	Restart()
}

// PageBuilder takes the references of one page from [Instances] and passes them to a PageSink. It may be used again for
// the next page.
type PageBuilder struct {
	To         PageSink
	n          int    // number of references so far
	scratch    []byte // the buffer to which entry functions append URIs
	ref        Ref    // the last reference
	cut        pageCut
	generation uint64 // counts the pages, see seqInstances
	err        error  // the error of the sequence
}

// Count returns the number of references of the page so far. References that the caller may not see count too, so that
// a page ends at the same reference for all callers.
func (t *PageBuilder) Count() int { return t.n }

// Reset begins the next page.
func (t *PageBuilder) Reset() { t.n = 0 }

// Add takes the next reference. Afterwards the caller may overwrite the URI of ref.
func (t *PageBuilder) Add(ref Ref) {
	t.ref = ref
	t.add()
}

// add takes the reference that its caller has put into t.ref. It has no parameter, because a reference is large, and a
// copy would cost as much as routing its URI.
func (t *PageBuilder) add() {
	t.n++
	t.To.Take(&t.ref)
}

// clear forgets the references of the current page.
func (t *PageBuilder) clear() {
	t.n = 0
	t.To.Restart()
}

// pageCut cuts a page out of a sequence of references, which may have changed since the previous page. The field before
// has the last entries that the client got. None of these is shown again. The page begins after the maxFound-th of them
// in the sequence, or after the last if there are fewer, so it does not matter if an entry has moved to the end. If
// before has all entries that the client got, the page may have all other entries. If the sequence has no entry of
// before any more, the page skips as many entries as the client got.
type pageCut struct {
	size      int // of the page
	shown     int // number of entries on all pages before
	before    paging.Names
	shownHere paging.Names // the last entries of the page

	seen  int
	found int  // number of entries of before found in the sequence
	more  bool // there are entries after the page
}
