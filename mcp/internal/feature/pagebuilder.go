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
	ref        Ref    // the last one
	cut        pageCut
	generation uint64 // counts the pages, see seqInstances
	err        error  // what the sequence has failed with
}

// Count is how many references the page has so far. Those that are left out count, so that pages end where they end for
// everybody.
func (t *PageBuilder) Count() int { return t.n }

// Reset begins the next page.
func (t *PageBuilder) Reset() { t.n = 0 }

// Add takes the next reference, whose URI may be overwritten afterwards.
func (t *PageBuilder) Add(ref Ref) {
	t.n++
	t.ref = ref
	t.To.Take(&t.ref)
}

// clear forgets the references of this page.
func (t *PageBuilder) clear() {
	t.n = 0
	t.To.Restart()
}

// pageCut takes a page out of a sequence of references, which may have changed since the page before. Nothing of before
// is shown again. If before is all that was shown, the page is made of the rest; else of what follows the first
// entries of it that are still there, so that one that has moved meanwhile does not matter. If none of it is there any
// more, the page is made of what follows as many entries as were shown, without those.
type pageCut struct {
	size      int // of the page
	shown     int // entries of the pages before
	before    paging.Names
	shownHere paging.Names // of the page

	seen  int
	found int  // entries of before
	more  bool // something follows the page
}
