package server

import (
	"context"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/paging"
)

// pager is a handler that makes the pages of lists.
type pager struct{ *handler }

// newResourceList lists the literal resources. Instances of templates are added by instances.
func newResourceList(s *Server) *staticList {
	declared, places, offers := declaredBy(s, func(r *feature.Resource) *protocol.Resource { return r.Entry })
	name := func(i int) string { return declared[i].URI }
	guard := func(i int) *access.Guard { return s.features.Resources[places[i]].Guard }
	return newStaticList(s, paging.Resources, declared, entryInfo{name, offers, guard}, "resources",
		func(rev protocol.Revision) []byte {
			r := protocol.ListResourcesResult{Meta: s.host.ResultMeta(rev)}
			return r.AppendJSON(nil, rev)
		})
}

// newTemplateList lists the templates.
func newTemplateList(s *Server) *staticList {
	declared, places, offers := declaredBy(s, func(r *feature.Resource) *protocol.ResourceTemplate { return r.Template })
	name := func(i int) string { return declared[i].URITemplate }
	guard := func(i int) *access.Guard { return s.features.Resources[places[i]].Guard }
	return newStaticList(s, paging.Templates, declared, entryInfo{name, offers, guard}, "resourceTemplates",
		func(rev protocol.Revision) []byte {
			r := protocol.ListResourceTemplatesResult{Meta: s.host.ResultMeta(rev)}
			return r.AppendJSON(nil, rev)
		})
}

// declaredBy returns what get gives for each of the resources that has it, where they are declared, and who may
// see which.
func declaredBy[E any](s *Server, get func(*feature.Resource) *E) (list []*E, places []int,
	offers func(int, protocol.Revision) bool) {
	for i := range s.features.Resources {
		if e := get(&s.features.Resources[i]); e != nil {
			list = append(list, e)
			places = append(places, i)
		}
	}
	return list, places, func(i int, rev protocol.Revision) bool { return s.visible(feature.KindResource, places[i], rev) }
}

// source is one part of resources/list: a literal resource, or listed instances.
type source struct {
	at    int                // index in Features.Resources
	entry int                // index in the list of literals; of no meaning with list
	base  *protocol.Resource // what all instances have in common
	list  feature.Instances  // nil for a literal resource that never changes
	page  int                // the most entries of list on one page; 0 for no limit
}

// sourcesOf returns the parts of resources/list in the order of the declarations.
func sourcesOf(f *feature.Features) (list []source, dynamic bool) {
	entries := 0
	for i := range f.Resources {
		switch r := &f.Resources[i]; {
		case r.Entry != nil && r.List != nil:
			list = append(list, source{at: i, base: r.Entry, list: r.List, page: r.ListPage})
			entries++
			dynamic = true
		case r.Entry != nil:
			list = append(list, source{at: i, entry: entries})
			entries++
		case r.List != nil:
			list = append(list, source{at: i, base: baseOf(r.Template), list: r.List, page: r.ListPage})
			dynamic = true
		}
	}
	return list, dynamic
}

// baseOf is what the instances of a template have in common.
func baseOf(t *protocol.ResourceTemplate) *protocol.Resource {
	return &protocol.Resource{
		Name: t.Name, Description: t.Description, MIMEType: t.MIMEType,
		Annotations: t.Annotations, Icons: t.Icons, Meta: t.Meta,
	}
}

// ListResources implements protocol.ServerHandler.
func (w *handler) ListResources(_ context.Context, p *protocol.PaginatedRequestParams) (protocol.ListResourcesReply,
	error) {
	s := w.s
	if s.features.Capabilities.Resources == nil {
		return nil, feature.ErrNoMethod
	}
	if s.prepared.dynamic {
		return pager{w}.instances(p.Cursor)
	}
	return pager{w}.pageOf(s.prepared.list(feature.KindResource), p.Cursor)
}

// ListResourceTemplates implements protocol.ServerHandler.
func (w *handler) ListResourceTemplates(_ context.Context,
	p *protocol.PaginatedRequestParams) (protocol.ListResourceTemplatesReply, error) {
	s := w.s
	if s.features.Capabilities.Resources == nil {
		return nil, feature.ErrNoMethod
	}
	return pager{w}.pageOf(s.prepared.templates, p.Cursor)
}

// instances returns a page of resources with listed instances.
func (w pager) instances(cursor *string) (*protocol.Prepared, error) {
	s := w.s
	sources := s.prepared.sources
	var at paging.Position
	accessHash := w.Caller().AccessHash()
	if cursor != nil && *cursor != "" {
		var ok bool
		if at, ok = s.cursors.Open(paging.Resources, *cursor, accessHash); !ok || !s.resumeSource(&at) {
			return nil, content.ErrCursor
		}
	}
	call, err := w.Start()
	if err != nil {
		return nil, err
	}
	if err := w.EnterFor(false); err != nil {
		return nil, err
	}
	w.listTimer.Watch(call)
	defer w.listTimer.Done()
	frame := s.prepared.list(feature.KindResource).frameOf(w.Rev)
	b, at, err := w.appendInstances(append(w.page[:0], frame.head...), call, at)
	if err != nil {
		return nil, err
	}
	next := ""
	if at.Index < len(sources) {
		at.Names = s.shownSources(at)
		next = s.cursors.Seal(paging.Resources, at, accessHash)
	}
	b = frame.appendTail(b, next)
	w.page = b
	return &w.page, nil
}

// shownSources are the names of the sources before a position, and of the one that it is in.
func (s *Server) shownSources(at paging.Position) paging.Names {
	end := at.Index
	if at.From != "" {
		end++
	}
	var t paging.Names
	for i := max(0, end-paging.MaxDeclared); i < end; i++ {
		t = append(t, s.sourceHash(i))
	}
	return t
}

func (s *Server) sourceHash(i int) uint64 {
	return paging.Hash(s.features.Resources[s.prepared.sources[i].at].URI())
}

// resumeSource finds the source of a position, and reports whether there is one.
func (s *Server) resumeSource(at *paging.Position) bool {
	n := len(s.prepared.sources)
	if !at.Foreign {
		return at.Index < n
	}
	i, last := at.Names.After(n, s.sourceHash)
	switch {
	case last && at.From != "":
		at.Index = i - 1
	default: // the source that the page was in has gone, and what it has shown
		at.Index, at.From = i, ""
	}
	return i >= 0 && at.Index <= n
}

// appendInstances appends the entries of the page that begins at a position, each with a comma, and
// returns where the next page begins.
func (w pager) appendInstances(b []byte, call *call.Call, at paging.Position) ([]byte, paging.Position, error) {
	if w.pageWriter == nil {
		w.pageWriter = new(pageWriter)
		w.pageWriter.To = w.pageWriter
	}
	s := w.s
	entries := s.prepared.list(feature.KindResource).entriesOf(call.Revision())
	for room := s.pageSize; room > 0 && at.Index < len(s.prepared.sources); {
		src := &s.prepared.sources[at.Index]
		if !s.visible(feature.KindResource, src.at, call.Revision()) || !mayList(call, s.features.Resources[src.at].Guard) {
			at = paging.Position{Index: at.Index + 1}
			continue
		}
		if src.list == nil {
			b = append(append(b, entries[src.entry]...), ',')
			at.Index++
			room--
			continue
		}
		size := room
		if src.page > 0 {
			size = min(room, src.page)
		}
		out, n, next, err := src.appendPage(b, call, &s.features.Resources[src.at], at.From, size, w.pageWriter)
		if err != nil {
			return b, at, err
		}
		b = out
		if next != "" {
			at.From = next
			break
		}
		at = paging.Position{Index: at.Index + 1}
		room -= n
	}
	return b, at, nil
}

// appendPage appends a page of the instances, each entry with a comma, and returns how
// many there were and where the next page begins.
func (src *source) appendPage(
	b []byte, call *call.Call, of *feature.Resource, from string, size int, to *pageWriter,
) (out []byte, n int, next string, err error) {
	to.Reset()
	to.b, to.start, to.call, to.of, to.base = b, len(b), call, of, src.base
	next, err = src.list.List(call, from, size, &to.PageBuilder)
	b, to.b, to.call = to.b, nil, nil
	return b, to.Count(), next, err
}

// pageOf returns the page of l that begins at cursor, as the caller may see it.
func (w pager) pageOf(l *staticList, cursor *string) (*protocol.Prepared, error) {
	if l.guard == nil {
		return l.page(cursor, w.Rev)
	}
	return w.pageWithout(l, cursor, nil)
}

// pageWithout is pageOf that leaves out what hides reports; nil leaves out nothing.
func (w pager) pageWithout(l *staticList, cursor *string, hides func(i int) bool) (*protocol.Prepared, error) {
	from, accessHash := 0, ""
	if l.guard != nil {
		accessHash = w.Caller().AccessHash()
	}
	if cursor != nil && *cursor != "" {
		at, ok := l.s.cursors.Open(l.kind, *cursor, accessHash)
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
		return (hides == nil || !hides(i)) && (l.guard == nil || mayList(call, l.guard(i)))
	}, accessHash)
	return &page, nil
}
