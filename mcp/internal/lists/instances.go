package lists

import (
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/paging"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
)

// source is one part of resources/list: a literal resource, or listed instances.
type source struct {
	at    int                // index in Features.Resources
	entry int                // index in the list of literal resources; not used if the field list is set
	base  *protocol.Resource // what all instances have in common
	list  feature.Instances  // nil for a literal resource that never changes
	page  int                // the most entries of list on one page; 0 for no limit
}

// sourcesOf returns the parts of resources/list in the order of the declarations; nil if none of them are instances.
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

// instances returns a page of resources with listed instances.
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

// shownSources returns the names of the sources before a position. If the position is inside the instances of a source,
// that source is the last of them.
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

// resumeSource finds the source of a position, and reports whether there is one.
func (l *Lists) resumeSource(at *paging.Position) bool {
	n := len(l.sources)
	if !at.Foreign {
		return at.Index < n
	}
	i, last := at.Names.After(n, l.sourceHash)
	switch {
	case last && at.From != "":
		at.Index = i - 1
	default: // at the start of a source; also if the source that the position was inside has gone
		at.Index, at.From = i, ""
	}
	return i >= 0 && at.Index <= n
}

// appendInstances appends the entries of a page, each followed by a comma, and returns the position of the next page.
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

// appendPage appends a page of instances of one template, each followed by a comma. It returns how many there were, and
// the position of the next page.
func (src *source) appendPage(
	b []byte, call *call.Call, of *feature.Resource, from string, size int, to *pageWriter,
) (out []byte, n int, next string, err error) {
	to.Reset()
	to.b, to.start, to.call, to.of, to.base = b, len(b), call, of, src.base
	next, err = src.list.List(call, from, size, &to.PageBuilder)
	b, to.b, to.call = to.b, nil, nil
	return b, to.Count(), next, err
}
