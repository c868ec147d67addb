package server

import (
	"time"
	"unsafe"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/paging"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// pageBuilder takes the references of one page from [Instances]. It belongs to a worker and is used again for the next
// page, so that a list costs no memory for each of its entries.
type pageBuilder struct {
	n          int    // references so far
	scratch    []byte // what entry functions append URIs to
	cut        pageCut
	generation uint64 // counts the pages, see seqInstances
	err        error  // what the sequence has failed with

	// each gets the references; nil encodes them.
	each func(*Ref)

	// Without each: the answer, where its first entry of this page stands, whom it is for, and what the entries
	// have in common.
	b     []byte
	start int
	call  *call.Call
	of    *Resource
	vars  uri.Vars // of the URI of a reference
	base  *protocol.Resource
	entry entryBuffer
}

// entryBuffer is memory for an entry while it is encoded.
type entryBuffer struct {
	entry  protocol.Resource
	notes  protocol.Annotations
	moment [len(time.RFC3339)]byte
	ref    Ref
}

// add takes the next reference, whose URI may be overwritten afterwards. One that nobody can read, or that the caller
// may not know of, counts, so that pages end where they end for everybody.
func (t *pageBuilder) add(ref Ref) {
	t.n++
	t.entry.ref = ref
	if t.each != nil {
		t.each(&t.entry.ref)
		return
	}
	if !t.readable(ref.URI) || t.of.Guard != nil && !sees(t.call, t.of, string(ref.URI)) {
		return
	}
	t.b = append(t.entry.instance(t.base, &t.entry.ref).AppendJSON(t.b, t.call.Revision()), ',')
}

// readable reports whether a URI can be read.
func (t *pageBuilder) readable(uri []byte) bool {
	if t.of.CheckVars == nil {
		return true
	}
	s := serverOf(t.call)
	i, err := s.route(asString(uri), &t.vars), errUnrouted
	if i >= 0 {
		err = s.features.Resources[i].wrongVars(&t.vars)
	}
	if err != nil {
		s.unlisted.note(s, string(uri), t.of, err)
	}
	return err == nil
}

// clear forgets the references of this page.
func (t *pageBuilder) clear() { t.n, t.b = 0, t.b[:t.start] }

// instance is the entry of one resource in a list: what ref says, and base for the rest. It lives as long as the URI of
// ref, and until the next call.
func (m *entryBuffer) instance(base *protocol.Resource, ref *Ref) *protocol.Resource {
	m.entry = *base
	r, info := &m.entry, &ref.Info
	r.URI = asString(ref.URI)
	r.Name = or(ref.Name, base.Name)
	r.Title = info.Title // that of the template, for all, would hide which is which
	r.Description = or(info.Description, base.Description)
	r.MIMEType = or(info.MIMEType, base.MIMEType)
	if info.Size != nil {
		r.Size = info.Size
	}
	if info.Icons != nil {
		r.Icons = info.Icons
	}
	r.Annotations = m.annotations(base.Annotations, info)
	return r
}

// annotations are those of an instance, whose declaration has base.
func (m *entryBuffer) annotations(base *protocol.Annotations, info *RefInfo) *protocol.Annotations {
	if info.Modified.IsZero() && info.Priority == nil && info.Audience == nil {
		return base
	}
	m.notes = protocol.Annotations{}
	if base != nil {
		m.notes = *base
	}
	if !info.Modified.IsZero() {
		m.notes.LastModified = asString(info.Modified.UTC().AppendFormat(m.moment[:0], time.RFC3339))
	}
	if info.Priority != nil {
		m.notes.Priority = info.Priority
	}
	if info.Audience != nil {
		m.notes.Audience = info.Audience
	}
	return &m.notes
}

// asString is b as a string without a copy, for use until b changes. It is for members of entries that are encoded at
// once: a list of a thousand would make a thousand strings that are not kept.
func asString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) } //nolint:gosec // see above

// or returns s unless it is empty.
func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
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
