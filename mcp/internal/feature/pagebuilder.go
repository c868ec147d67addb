package feature

import (
	"github.com/mcpgen/mcpgen/mcp/internal/paging"
)

// PageSink gets the references of a page.
type PageSink interface {
	// Take takes the next reference, whose URI is overwritten afterwards.
	Take(ref *Ref)
	// Restart forgets what it has taken of this page.
	Restart()
}

// PageBuilder takes the references of one page from [Instances]. It may be used again for the next page.
type PageBuilder struct {
	To         PageSink
	n          int    // references so far
	scratch    []byte // what entry functions append URIs to
	ref        Ref    // the last reference
	cut        pageCut
	generation uint64 // counts the pages, see seqInstances
	err        error  // what the sequence has failed with
}

// Count returns how many references the page has so far. References that the caller may not see count too, so that a
// page ends at the same place for everybody.
func (t *PageBuilder) Count() int { return t.n }

// Reset begins the next page.
func (t *PageBuilder) Reset() { t.n = 0 }

// Add takes the next reference, whose URI may be overwritten afterwards.
func (t *PageBuilder) Add(ref Ref) {
	t.ref = ref
	t.add()
}

// add takes the reference in t.ref, which its caller has filled. It has no argument, because a reference is large: a
// copy costs as much as routing its URI.
func (t *PageBuilder) add() {
	t.n++
	t.To.Take(&t.ref)
}

// clear forgets the references of this page.
func (t *PageBuilder) clear() {
	t.n = 0
	t.To.Restart()
}

// pageCut takes a page out of a sequence of references, which may have changed since the previous page. The field
// before has the last entries that the client got; none of them is shown again. The page begins behind the maxFound-th
// of them in the sequence, or behind the last one if there are fewer, so it does not matter if one has moved to the
// end. If before has everything that the client got, the page has all the rest. If the sequence has none of before any
// more, as many entries are skipped as the client got.
type pageCut struct {
	size      int // of the page
	shown     int // entries of the pages before
	before    paging.Names
	shownHere paging.Names // the last entries of the page

	seen  int
	found int  // entries of before that the sequence has
	more  bool // something follows the page
}
