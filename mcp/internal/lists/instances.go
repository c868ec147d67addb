package lists

import (
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/paging"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
)

// source is one part of resources/list: a literal resource, or the instances that a list function yields.
type source struct {
	at    int                // index in Features.Resources
	entry int                // index in the list of literal resources; not used if the field list is set
	base  *protocol.Resource // the fields that all instances share
	list  feature.Instances  // nil for a literal resource that never changes
	page  int                // the largest number of entries of list on one page; 0 for no limit of its own
}

// sourcesOf returns the parts of resources/list in the order of the declarations; nil if no resource has a list
// function.
func sourcesOf(f *feature.Features) (list []source) {
	dynamic := false
	for i := range f.Resources {
		dynamic = dynamic || f.Resources[i].List != nil
	}
	if !dynamic {
		return nil
	}
	entries := 0
	for i := range f.Resources {
		switch r := &f.Resources[i]; {
		case r.Entry != nil && r.List != nil:
			list = append(list, source{at: i, base: r.Entry, list: r.List, page: r.ListPage})
			entries++
		case r.Entry != nil:
			list = append(list, source{at: i, entry: entries})
			entries++
		case r.List != nil:
			list = append(list, source{at: i, base: baseOf(r.Template), list: r.List, page: r.ListPage})
		}
	}
	return list
}

// baseOf returns the fields that all instances of a template share.
func baseOf(t *protocol.ResourceTemplate) *protocol.Resource {
	return &protocol.Resource{
		Name: t.Name, Description: t.Description, MIMEType: t.MIMEType,
		Annotations: t.Annotations, Icons: t.Icons, Meta: t.Meta,
	}
}

// instances returns the page of resources that begins at cursor, for a server with list functions. It is valid until
// room is used again.
func (l *Lists) instances(w *session.Worker, room *Room, cursor *string) (*protocol.Prepared, error) {
	var at paging.Position
	accessKey := w.Caller().AccessKey()
	if cursor != nil && *cursor != "" {
		var ok bool
		if at, ok = l.Cursors.Open(paging.Resources, *cursor, accessKey); !ok || !l.resumeSource(&at) {
			return nil, content.ErrCursor
		}
	}
	c, err := w.Start()
	if err != nil {
		return nil, err
	}
	if err := w.EnterFor(false); err != nil {
		return nil, err
	}
	room.timer.Watch(c, call.ListTimeout)
	defer room.timer.Done()
	frame := l.resources().frameOf(w.Rev)
	b, at, err := l.appendInstances(append(room.page[:0], frame.head...), room, c, at)
	if err != nil {
		return nil, err
	}
	next := ""
	if at.Index < len(l.sources) {
		at.Names = l.shownSources(at)
		next = l.Cursors.Seal(paging.Resources, at, accessKey)
	}
	b = frame.appendTail(b, next)
	room.page = b
	return &room.page, nil
}

// shownSources returns the hashes of the names of the last sources before a position. If the position is inside the
// instances of a source, the last hash is that of this source.
func (l *Lists) shownSources(at paging.Position) paging.Names {
	end := at.Index
	if at.From != "" {
		end++
	}
	var t paging.Names
	for i := max(0, end-paging.MaxDeclared); i < end; i++ {
		t = append(t, l.sourceHash(i))
	}
	return t
}

func (l *Lists) sourceHash(i int) uint64 {
	return paging.Hash(l.Resources[l.sources[i].at].URI())
}

// resumeSource sets at.Index to the source where the page at a position begins, if another process has made the cursor.
// It returns false if the position is not valid any more.
func (l *Lists) resumeSource(at *paging.Position) bool {
	n := len(l.sources)
	if !at.Foreign {
		return at.Index < n
	}
	i, last := at.Names.After(n, l.sourceHash)
	switch {
	case last && at.From != "":
		at.Index = i - 1
	default: // at the start of a source, or inside a source that does not exist here
		at.Index, at.From = i, ""
	}
	return i >= 0 && at.Index <= n
}

// appendInstances appends the entries of a page, each followed by a comma, and returns the position of the next page.
// Its Index is the number of sources if there is no next page.
func (l *Lists) appendInstances(
	b []byte, room *Room, call *call.Call, at paging.Position,
) ([]byte, paging.Position, error) {
	if room.writer == nil {
		room.writer = &pageWriter{in: l}
		room.writer.To = room.writer
	}
	entries := l.resources().entriesOf(call.Revision())
	for left := l.PageSize; left > 0 && at.Index < len(l.sources); {
		src := &l.sources[at.Index]
		if !l.Visible(feature.KindResource, src.at, call.Revision()) ||
			!feature.MayList(call, l.Resources[src.at].Guard) {
			at = paging.Position{Index: at.Index + 1}
			continue
		}
		if src.list == nil {
			b = append(append(b, entries[src.entry]...), ',')
			at.Index++
			left--
			continue
		}
		size := left
		if src.page > 0 {
			size = min(left, src.page)
		}
		out, n, next, err := src.appendPage(b, call, &l.Resources[src.at], at.From, size, room.writer)
		if err != nil {
			return b, at, err
		}
		b = out
		if next != "" {
			at.From = next
			break
		}
		at = paging.Position{Index: at.Index + 1}
		left -= n
	}
	return b, at, nil
}

// appendPage appends up to size instances of one source, each followed by a comma, beginning at the place start. It
// returns the number of instances, and the place where the next page begins; "" if there are no more.
func (src *source) appendPage(
	b []byte, call *call.Call, of *feature.Resource, start string, size int, to *pageWriter,
) (out []byte, n int, next string, err error) {
	to.Reset()
	to.b, to.start, to.call, to.of, to.base = b, len(b), call, of, src.base
	next, err = src.list.List(call, start, size, &to.PageBuilder)
	b, to.b, to.call = to.b, nil, nil
	return b, to.Count(), next, err
}
