package server

import (
	"bytes"
	"sort"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// listing is one list of declared entries: resources, templates, tools or prompts. Its entries are encoded
// once for each revision, and so is the first page unless it depends on more than them.
type listing struct {
	s    *Server
	kind listKind
	// declared are the entries, and member is where the result has them.
	declared []encodable
	member   string
	visible
	asks bool // a policy decides about some of them
	// number is what cursors call the i-th of them, in rising order, if entries come and go while
	// somebody pages; nil if it is i itself.
	number func(i int) int
	// empty returns the result with no entries.
	empty func(rev protocol.Revision) []byte

	entries lazy[[][]byte]
	frame   lazy[listFrame]
	first   atomic.Pointer[lazy[protocol.Prepared]] // replaced when a feature is switched
}

// visible says who may see which entries of a list.
type visible struct {
	// offers reports whether clients of a revision may see the i-th of them.
	offers func(i int, rev protocol.Revision) bool
	// guard returns what the i-th of them asks of those who want to know of it; nil if none asks for anything.
	guard func(i int) *Guard
}

// forget drops the first pages. What is being made of the old ones is stored where nobody looks.
func (l *listing) forget() { l.first.Store(new(lazy[protocol.Prepared])) }

// encodable is an entry of a list.
type encodable interface {
	AppendJSON(b []byte, rev protocol.Revision) []byte
}

func newListing[E encodable](
	s *Server, kind listKind, declared []E, show visible, member string, empty func(protocol.Revision) []byte,
) listing {
	entries := make([]encodable, len(declared))
	for i, e := range declared {
		entries[i] = e
	}
	asks, hides := hidden(len(entries), show.guard)
	if !hides {
		show.guard = nil
	}
	return listing{s: s, kind: kind, declared: entries, visible: show, asks: asks, member: member, empty: empty}
}

// listFrame is what stands around the entries of a result: head ends in '[' and tail begins with
// ']' and ends in '}'.
type listFrame struct{ head, tail []byte }

// newListFrame cuts an empty result apart at the array of its entries.
func newListFrame(result []byte, member string) listFrame {
	array := wire.AppendString(nil, member)
	array = append(array, ":[]"...)
	cut := bytes.Index(result, array) + len(array) - 1
	return listFrame{head: result[:cut:cut], tail: result[cut:]}
}

// appendTail ends a result whose entries end in a comma, if there are any.
func (f *listFrame) appendTail(b []byte, cursor string) []byte {
	b = bytes.TrimSuffix(b, []byte{','})
	if cursor == "" {
		return append(b, f.tail...)
	}
	b = append(b, f.tail[:len(f.tail)-1]...)
	b = append(b, `,"nextCursor":`...)
	return append(wire.AppendString(b, cursor), '}')
}

func (l *listing) entriesOf(rev protocol.Revision) [][]byte { return *l.entries.get(rev, l.encodeAll) }

func (l *listing) encodeAll(rev protocol.Revision) [][]byte {
	all := make([][]byte, len(l.declared))
	for i, e := range l.declared {
		all[i] = e.AppendJSON(nil, rev)
	}
	return all
}

func (l *listing) frameOf(rev protocol.Revision) *listFrame {
	return l.frame.get(rev, func(rev protocol.Revision) listFrame { return newListFrame(l.empty(rev), l.member) })
}

// page returns the page that begins at cursor.
func (l *listing) page(cursor *string, rev protocol.Revision) (*protocol.Prepared, error) {
	if cursor == nil || *cursor == "" {
		return l.first.Load().get(rev, l.firstPage), nil
	}
	at, err := l.s.openCursor(l.kind, *cursor, "")
	if err != nil {
		return nil, errCursor
	}
	from, err := l.resume(at)
	if err != nil {
		return nil, err
	}
	page := l.join(from, rev, nil, "")
	return &page, nil
}

// resume returns the entry with which the page at a place begins.
func (l *listing) resume(at place) (int, error) {
	if at.foreign {
		i, _ := at.names.after(len(l.declared), l.hash)
		if i < 0 {
			return 0, errCursor
		}
		return i, nil
	}
	if l.number == nil && at.index >= len(l.declared) {
		return 0, errCursor
	}
	return l.place(at.index), nil
}

// hash is that of the name of the i-th entry.
func (l *listing) hash(i int) uint64 {
	switch e := l.declared[i].(type) {
	case *protocol.Resource:
		return nameHash(e.URI)
	case *protocol.ResourceTemplate:
		return nameHash(e.URITemplate)
	case toolEntry:
		return nameHash(e.Name)
	case *protocol.Prompt:
		return nameHash(e.Name)
	}
	return 0
}

// before is the trail of the entries before the i-th.
func (l *listing) before(i int) trail {
	var t trail
	for k := max(0, i-declaredTrail); k < i; k++ {
		t = append(t, l.hash(k))
	}
	return t
}

// place is the first entry with that number, or one behind it.
func (l *listing) place(number int) int {
	if l.number == nil {
		return number
	}
	return sort.Search(len(l.declared), func(i int) bool { return l.number(i) >= number })
}

// numberOf is what cursors call the i-th entry.
func (l *listing) numberOf(i int) int {
	if l.number == nil {
		return i
	}
	return l.number(i)
}

func (l *listing) firstPage(rev protocol.Revision) protocol.Prepared { return l.join(0, rev, nil, "") }

// join appends the page that begins with entry from. sees leaves out entries unless it is nil; the cursor is
// for the caller with a mark.
func (l *listing) join(from int, rev protocol.Revision, sees func(i int) bool, mark string) protocol.Prepared {
	f := l.frameOf(rev)
	entries := l.entriesOf(rev)
	b := bytes.Clone(f.head)
	for i, room := from, l.s.pageSize; i < len(entries); i++ {
		switch {
		case !l.offers(i, rev) || sees != nil && !sees(i):
			continue
		case room == 0:
			return f.appendTail(b, l.s.sealCursor(l.kind, place{index: l.numberOf(i), names: l.before(i)}, mark))
		}
		b = append(append(b, entries[i]...), ',')
		room--
	}
	return f.appendTail(b, "")
}
