package server

import (
	"context"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// newResourceListing lists the literal resources. Instances of templates are added by instances.
func newResourceListing(s *Server) listing {
	declared, places, offers := declaredBy(s, func(r *Resource) *protocol.Resource { return r.Entry })
	guard := func(i int) *Guard { return s.features.Resources[places[i]].Guard }
	return newListing(s, pagesOfResources, declared, visible{offers, guard}, "resources",
		func(rev protocol.Revision) []byte {
			r := protocol.ListResourcesResult{Meta: s.resultMeta(rev)}
			return r.AppendJSON(nil, rev)
		})
}

// newTemplateListing lists the templates.
func newTemplateListing(s *Server) listing {
	declared, places, offers := declaredBy(s, func(r *Resource) *protocol.ResourceTemplate { return r.Template })
	guard := func(i int) *Guard { return s.features.Resources[places[i]].Guard }
	return newListing(s, pagesOfTemplates, declared, visible{offers, guard}, "resourceTemplates",
		func(rev protocol.Revision) []byte {
			r := protocol.ListResourceTemplatesResult{Meta: s.resultMeta(rev)}
			return r.AppendJSON(nil, rev)
		})
}

// declaredBy returns what get gives for each of the resources that has it, where they are declared, and who may
// see which.
func declaredBy[E any](s *Server, get func(*Resource) *E) (list []*E, places []int,
	offers func(int, protocol.Revision) bool) {
	for i := range s.features.Resources {
		if e := get(&s.features.Resources[i]); e != nil {
			list = append(list, e)
			places = append(places, i)
		}
	}
	return list, places, func(i int, rev protocol.Revision) bool { return s.offersResource(places[i], rev) }
}

// source is one part of resources/list: a literal resource, or what a lister yields.
type source struct {
	at    int                // place in Features.Resources
	entry int                // place in the resource listing, without a lister
	base  *protocol.Resource // what all that the lister yields have in common
	list  Lister             // nil for a literal resource that never changes
	page  int                // the most entries of list on one page; 0 for no limit
}

// sourcesOf returns the parts of resources/list in the order of the declarations.
func sourcesOf(f *Features) (list []source, dynamic bool) {
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
func (h *handler) ListResources(_ context.Context, p *protocol.PaginatedRequestParams) (protocol.ListResourcesReply,
	error) {
	w, s := (*worker)(h), h.c.s
	if s.features.Capabilities.Resources == nil {
		return nil, errNoMethod
	}
	if s.prepared.dynamic {
		return w.instances(p.Cursor)
	}
	return w.pageOf(&s.prepared.resources, p.Cursor)
}

// ListResourceTemplates implements protocol.ServerHandler.
func (h *handler) ListResourceTemplates(_ context.Context,
	p *protocol.PaginatedRequestParams) (protocol.ListResourceTemplatesReply, error) {
	w, s := (*worker)(h), h.c.s
	if s.features.Capabilities.Resources == nil {
		return nil, errNoMethod
	}
	return w.pageOf(&s.prepared.templates, p.Cursor)
}

// instances returns a page of resources that depends on what listers say.
func (w *worker) instances(cursor *string) (*protocol.Prepared, error) {
	s := w.c.s
	sources := s.prepared.sources
	var at place
	mark := w.caller().mark()
	if cursor != nil && *cursor != "" {
		var err error
		if at, err = s.openCursor(pagesOfResources, *cursor, mark); err != nil || !s.resumeSource(&at) {
			return nil, errCursor
		}
	}
	call, err := w.start()
	if err != nil {
		return nil, err
	}
	if err := w.enterFor(false); err != nil {
		return nil, err
	}
	w.overdue.watch(call)
	defer w.overdue.done()
	frame := s.prepared.resources.frameOf(w.rev)
	b, at, err := w.appendInstances(append(w.page[:0], frame.head...), call, at)
	if err != nil {
		return nil, err
	}
	next := ""
	if at.index < len(sources) {
		at.names = s.sourceTrail(at)
		next = s.sealCursor(pagesOfResources, at, mark)
	}
	b = frame.appendTail(b, next)
	w.page = b
	return &w.page, nil
}

// sourceTrail are the names of the sources before a place, and of the one that it is in.
func (s *Server) sourceTrail(at place) trail {
	end := at.index
	if at.from != "" {
		end++
	}
	var t trail
	for i := max(0, end-declaredTrail); i < end; i++ {
		t = append(t, s.sourceHash(i))
	}
	return t
}

func (s *Server) sourceHash(i int) uint64 {
	return nameHash(s.features.Resources[s.prepared.sources[i].at].uri())
}

// resumeSource finds the source of a place, and reports whether there is one.
func (s *Server) resumeSource(at *place) bool {
	n := len(s.prepared.sources)
	if !at.foreign {
		return at.index < n
	}
	i, last := at.names.after(n, s.sourceHash)
	switch {
	case last && at.from != "":
		at.index = i - 1
	default: // the source that the page was in has gone, and what it has shown
		at.index, at.from = i, ""
	}
	return i >= 0 && at.index <= n
}

// appendInstances appends the entries of the page that begins at a place, each with a comma, and
// returns where the next page begins.
func (w *worker) appendInstances(b []byte, call *Call, at place) ([]byte, place, error) {
	if w.refs == nil {
		w.refs = new(refs)
	}
	s := w.c.s
	entries := s.prepared.resources.entriesOf(call.rev)
	for room := s.pageSize; room > 0 && at.index < len(s.prepared.sources); {
		src := &s.prepared.sources[at.index]
		if !s.offersResource(src.at, call.rev) || !call.lists(s.features.Resources[src.at].Guard) {
			at = place{index: at.index + 1}
			continue
		}
		if src.list == nil {
			b = append(append(b, entries[src.entry]...), ',')
			at.index++
			room--
			continue
		}
		size := room
		if src.page > 0 {
			size = min(room, src.page)
		}
		out, n, next, err := src.appendPage(b, call, &s.features.Resources[src.at], at.from, size, w.refs)
		if err != nil {
			return b, at, err
		}
		b = out
		if next != "" {
			at.from = next
			break
		}
		at = place{index: at.index + 1}
		room -= n
	}
	return b, at, nil
}

// appendPage appends a page of what the lister yields, each entry with a comma, and returns how
// many there were and where the next page begins.
func (src *source) appendPage(b []byte, call *Call, of *Resource, from string, size int, to *refs) (out []byte, n int,
	next string, err error) {
	to.n, to.b, to.start, to.call, to.of, to.base = 0, b, len(b), call, of, src.base
	next, err = src.list.list(call, from, size, to)
	b, to.b, to.call = to.b, nil, nil
	return b, to.n, next, err
}
