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

// list is one list of declared entries: those of a kind, or the templates. Its entries are encoded once for each
// revision. So is the first page, unless it differs between callers.
type list struct {
	in   *Lists
	kind paging.List
	// declared are the entries, and member is the name of the member of the result that has them.
	declared []encodable
	member   string
	entryInfo
	asks bool // a policy decides who may see some of the entries
	// number identifies the i-th entry in cursors if entries come and go while a client pages; the numbers increase. Nil
	// means that the number is i.
	number func(i int) int
	// sorted is where the entries begin that are sorted by name: the tools that were added at run time. A cursor into that
	// part has the name of its last entry.
	sorted int
	// onlyApps reports whether the i-th entry is only for clients that display apps; nil if none is.
	onlyApps func(i int) bool
	// empty returns the result with no entries.
	empty func(rev protocol.Revision) []byte

	entries era.Lazy[[][]byte]
	frame   era.Lazy[listFrame]
	first   atomic.Pointer[firstPages] // replaced when a feature is switched, and when their cursors get old
}

// firstPages are the first pages of a list by revision. since is when the older ones were dropped.
type firstPages struct {
	era.Lazy[protocol.Prepared]
	since time.Time
}

// maxFirstPages is how long first pages with a cursor are used, so that the cursor counts for most of its age.
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

// forget drops the first pages. A page that is being made meanwhile is not kept.
func (l *list) forget() { l.first.Store(&firstPages{since: time.Now()}) }

// firstPage returns the first page for callers who see all of the list.
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

// page returns the page that begins at cursor.
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

// resume returns the index of the entry with which the page at a position begins.
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

// before returns the names of the last entries before the i-th.
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

// join makes the page that begins with the entry at index from. It leaves out entries for which sees returns false; a
// nil sees stands for true. The cursor of the next page is valid only for callers with the same access.
func (l *list) join(from int, rev protocol.Revision, sees func(i int) bool, accessKey string) protocol.Prepared {
	f := l.frameOf(rev)
	entries := l.entriesOf(rev)
	b := bytes.Clone(f.head)
	for i, room := from, l.in.PageSize; i < len(entries); i++ {
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

// pageFor returns the page that begins at cursor, as the caller may see it.
func (l *list) pageFor(w *session.Worker, cursor *string) (*protocol.Prepared, error) {
	if l.guard == nil {
		return l.page(cursor, w.Rev)
	}
	return l.pageWithout(w, cursor, nil)
}

// pageWithout is pageFor without the entries for which hides returns true; a nil hides stands for false.
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
