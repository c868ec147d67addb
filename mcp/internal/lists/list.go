package lists

import (
	"bytes"
	"sort"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/paging"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// list is one list of entries: the features of a kind, or the templates. Its entries are encoded once for each
// revision. The first page is also encoded once for each revision, unless it differs between callers.
type list struct {
	in   *Lists
	kind paging.List
	// declared has the entries, and member is the name of the member of the result that contains them.
	declared []encodable
	member   string
	entryInfo
	asks bool // a policy decides who may see some of the entries
	// number returns the number that identifies the i-th entry in cursors, for a list whose entries come and go while a
	// client pages. The numbers increase with i. Nil means that the number is i.
	number func(i int) int
	// sorted is the index at which the entries begin that are sorted by name: tools that were added at run time. A cursor
	// into this part has the name of the last entry before the page.
	sorted int
	// onlyApps reports whether the i-th entry is only for clients that display apps; nil if no entry is.
	onlyApps func(i int) bool
	// empty returns the result with no entries.
	empty func(rev protocol.Revision) []byte

	entries era.Lazy[[][]byte]
	frame   era.Lazy[listFrame]
	first   atomic.Pointer[firstPages] // replaced when a feature is switched, and when their cursors get old
}

// firstPages are the first pages of a list by revision. since is the time at which they replaced older ones.
type firstPages struct {
	era.Lazy[protocol.Prepared]
	since time.Time
}

// maxFirstPages is how long first pages with a cursor are used again. It is short, so that a client gets a cursor that
// is valid for most of paging.MaxAge.
const maxFirstPages = paging.MaxAge / 24

// entryInfo has the name of each entry of a list, and who may see it.
type entryInfo struct {
	// name returns the name, URI or template of the i-th entry.
	name func(i int) string
	// toRevision reports whether clients of a revision may see the i-th entry.
	toRevision func(i int, rev protocol.Revision) bool
	// guard returns the guard of the i-th entry. The field is nil if every caller may see all entries.
	guard func(i int) *access.Guard
}

// forget drops the first pages, also a page that another goroutine is making.
func (l *list) forget() { l.first.Store(&firstPages{since: time.Now()}) }

// firstPage returns the first page for callers who may see all entries.
func (l *list) firstPage(rev protocol.Revision) *protocol.Prepared {
	pages := l.first.Load()
	if len(l.declared) > l.in.PageSize && time.Since(pages.since) > maxFirstPages {
		l.forget()
		pages = l.first.Load()
	}
	return pages.Get(rev, l.makeFirstPage)
}

// encodable is an entry of a list.
type encodable interface {
	AppendJSON(b []byte, rev protocol.Revision) []byte
}

func newList[E encodable](
	in *Lists, kind paging.List, declared []E, info entryInfo, member string, empty func(protocol.Revision) []byte,
) *list {
	entries := make([]encodable, len(declared))
	for i, e := range declared {
		entries[i] = e
	}
	asks, hides := access.Hidden(len(entries), info.guard)
	if !hides {
		info.guard = nil
	}
	l := &list{
		in: in, kind: kind, declared: entries, entryInfo: info, asks: asks, member: member, empty: empty,
		sorted: len(entries),
	}
	l.forget()
	return l
}

// listFrame is the JSON around the entries of a result: head ends with '[', and tail begins with ']' and ends with '}'.
type listFrame struct{ head, tail []byte }

// newListFrame splits result, which has no entries, inside the empty array that is the value of member.
func newListFrame(result []byte, member string) listFrame {
	array := wire.AppendString(nil, member)
	array = append(array, ":[]"...)
	cut := bytes.Index(result, array) + len(array) - 1
	return listFrame{head: result[:cut:cut], tail: result[cut:]}
}

// appendTail completes a result: it removes the comma after the last entry, if there is an entry, and appends the tail
// and the cursor of the next page; "" means that there is no next page.
func (f *listFrame) appendTail(b []byte, cursor string) []byte {
	b = bytes.TrimSuffix(b, []byte{','})
	if cursor == "" {
		return append(b, f.tail...)
	}
	b = append(b, f.tail[:len(f.tail)-1]...)
	b = append(b, `,"nextCursor":`...)
	return append(wire.AppendString(b, cursor), '}')
}

func (l *list) entriesOf(rev protocol.Revision) [][]byte {
	return *l.entries.Get(rev, l.encodeAll)
}

func (l *list) encodeAll(rev protocol.Revision) [][]byte {
	all := make([][]byte, len(l.declared))
	for i, e := range l.declared {
		all[i] = e.AppendJSON(nil, rev)
	}
	return all
}

func (l *list) frameOf(rev protocol.Revision) *listFrame {
	return l.frame.Get(rev, func(rev protocol.Revision) listFrame { return newListFrame(l.empty(rev), l.member) })
}

// page returns the page that begins at cursor, for callers who may see all entries.
func (l *list) page(cursor *string, rev protocol.Revision) (*protocol.Prepared, error) {
	if cursor == nil || *cursor == "" {
		return l.firstPage(rev), nil
	}
	at, ok := l.in.Cursors.Open(l.kind, *cursor, "")
	if !ok {
		return nil, content.ErrCursor
	}
	from, err := l.resume(at)
	if err != nil {
		return nil, err
	}
	page := l.join(from, rev, nil, "")
	return &page, nil
}

// resume returns the index of the entry with which the page at a position begins; content.ErrCursor if the list does
// not have the position any more.
func (l *list) resume(at paging.Position) (int, error) {
	if at.From != "" {
		n := len(l.declared) - l.sorted
		return l.sorted + sort.Search(n, func(i int) bool { return l.name(l.sorted+i) > at.From }), nil
	}
	if at.Foreign {
		i, _ := at.Names.After(len(l.declared), l.hash)
		if i < 0 {
			return 0, content.ErrCursor
		}
		return i, nil
	}
	if l.number == nil && at.Index >= len(l.declared) && at.Index != l.sorted {
		return 0, content.ErrCursor
	}
	return l.indexOf(at.Index), nil
}

// hash returns the hash of the name of the i-th entry.
func (l *list) hash(i int) uint64 { return paging.Hash(l.name(i)) }

// before returns the hashes of the names of the last entries before the i-th, for a cursor.
func (l *list) before(i int) paging.Names {
	var t paging.Names
	for k := max(0, i-paging.MaxDeclared); k < i; k++ {
		t = append(t, l.hash(k))
	}
	return t
}

// indexOf returns the index of the first entry with this number or a greater one.
func (l *list) indexOf(number int) int {
	if l.number == nil {
		return number
	}
	return sort.Search(len(l.declared), func(i int) bool { return l.number(i) >= number })
}

// numberOf returns the number that identifies the i-th entry in cursors.
func (l *list) numberOf(i int) int {
	if l.number == nil {
		return i
	}
	return l.number(i)
}

func (l *list) makeFirstPage(rev protocol.Revision) protocol.Prepared {
	return l.join(0, rev, nil, "")
}

// join makes the page that begins with the entry at index first. It leaves out entries for which sees returns false; a
// nil sees leaves out none. The cursor of the next page is valid only for callers with the same accessKey.
func (l *list) join(first int, rev protocol.Revision, sees func(i int) bool, accessKey string) protocol.Prepared {
	f := l.frameOf(rev)
	entries := l.entriesOf(rev)
	b := bytes.Clone(f.head)
	for i, room := first, l.in.PageSize; i < len(entries); i++ {
		switch {
		case !l.toRevision(i, rev) || sees != nil && !sees(i):
			continue
		case room == 0:
			at := paging.Position{Index: l.numberOf(i), Names: l.before(i)}
			if i > l.sorted {
				at.Index, at.From = l.sorted, l.name(i-1)
			}
			return f.appendTail(b, l.in.Cursors.Seal(l.kind, at, accessKey))
		}
		b = append(append(b, entries[i]...), ',')
		room--
	}
	return f.appendTail(b, "")
}

// pageFor returns the page that begins at cursor, with the entries that the caller may see.
func (l *list) pageFor(w *session.Worker, cursor *string) (*protocol.Prepared, error) {
	if l.guard == nil {
		return l.page(cursor, w.Rev)
	}
	return l.pageWithout(w, cursor, nil)
}

// pageWithout is pageFor without the entries for which hides returns true; a nil hides leaves out none.
func (l *list) pageWithout(
	w *session.Worker, cursor *string, hides func(i int) bool,
) (*protocol.Prepared, error) {
	from, accessKey := 0, ""
	if l.guard != nil {
		accessKey = w.Caller().AccessKey()
	}
	if cursor != nil && *cursor != "" {
		at, ok := l.in.Cursors.Open(l.kind, *cursor, accessKey)
		if !ok {
			return nil, content.ErrCursor
		}
		var err error
		if from, err = l.resume(at); err != nil {
			return nil, err
		}
	}
	call, err := w.Start()
	if err != nil {
		return nil, err
	}
	if l.asks {
		w.Enter()
	}
	page := l.join(from, w.Rev, func(i int) bool {
		return (hides == nil || !hides(i)) && (l.guard == nil || feature.MayList(call, l.guard(i)))
	}, accessKey)
	return &page, nil
}
