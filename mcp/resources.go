package mcp

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// newResourceListing lists the literal resources. Instances of templates are added by instances.
func newResourceListing(s *Server) listing {
	declared := declaredBy(s.features.Resources, func(r *Resource) *protocol.Resource { return r.Entry })
	return newListing(s, pagesOfResources, declared, "resources", func(rev protocol.Revision) []byte {
		r := protocol.ListResourcesResult{Meta: s.resultMeta(rev)}
		return r.AppendJSON(nil, rev)
	})
}

// newTemplateListing lists the templates.
func newTemplateListing(s *Server) listing {
	declared := declaredBy(s.features.Resources, func(r *Resource) *protocol.ResourceTemplate { return r.Template })
	return newListing(s, pagesOfTemplates, declared, "resourceTemplates", func(rev protocol.Revision) []byte {
		r := protocol.ListResourceTemplatesResult{Meta: s.resultMeta(rev)}
		return r.AppendJSON(nil, rev)
	})
}

// declaredBy returns what get gives for each of the resources that has it.
func declaredBy[E any](resources []Resource, get func(*Resource) *E) []*E {
	var list []*E
	for i := range resources {
		if e := get(&resources[i]); e != nil {
			list = append(list, e)
		}
	}
	return list
}

// source is one part of resources/list: a literal resource, or the instances of a template.
type source struct {
	entry    int // place in the resource listing
	template *protocol.ResourceTemplate
	list     Lister // nil for a literal resource
}

// sourcesOf returns the parts of resources/list in the order of the declarations.
func sourcesOf(f *Features) (list []source, dynamic bool) {
	entries := 0
	for i := range f.Resources {
		switch r := &f.Resources[i]; {
		case r.Entry != nil:
			list = append(list, source{entry: entries})
			entries++
		case r.List != nil:
			list = append(list, source{template: r.Template, list: r.List})
			dynamic = true
		}
	}
	return list, dynamic
}

// ListResources implements protocol.ServerHandler.
func (h *handler) ListResources(_ context.Context, p *protocol.PaginatedRequestParams) (protocol.ListResourcesReply, error) {
	w, s := (*worker)(h), h.c.s
	if s.features.Capabilities.Resources == nil {
		return nil, errNoMethod
	}
	if s.prepared.dynamic {
		return w.instances(p.Cursor)
	}
	return s.prepared.resources.page(p.Cursor, w.rev)
}

// ListResourceTemplates implements protocol.ServerHandler.
func (h *handler) ListResourceTemplates(_ context.Context, p *protocol.PaginatedRequestParams) (protocol.ListResourceTemplatesReply, error) {
	w, s := (*worker)(h), h.c.s
	if s.features.Capabilities.Resources == nil {
		return nil, errNoMethod
	}
	return s.prepared.templates.page(p.Cursor, w.rev)
}

// instances returns a page of resources that depends on what listers say.
func (w *worker) instances(cursor *string) (*protocol.Prepared, error) {
	s := w.c.s
	sources := s.prepared.sources
	var at place
	if cursor != nil && *cursor != "" {
		var err error
		if at, err = s.openCursor(pagesOfResources, *cursor); err != nil || at.index >= len(sources) {
			return nil, errCursor
		}
	}
	call, err := w.start()
	if err != nil {
		return nil, err
	}
	w.enter()
	frame := s.prepared.resources.frameOf(w.rev)
	b, at, err := s.appendInstances(append(w.page[:0], frame.head...), call, at)
	if err != nil {
		return nil, err
	}
	next := ""
	if at.index < len(sources) {
		next = s.sealCursor(pagesOfResources, at)
	}
	b = frame.appendTail(b, next)
	w.page = b
	return &w.page, nil
}

// appendInstances appends the entries of the page that begins at a place, each with a comma, and
// returns where the next page begins.
func (s *Server) appendInstances(b []byte, call *Call, at place) ([]byte, place, error) {
	entries := s.prepared.resources.entriesOf(call.rev)
	for room := s.pageSize; room > 0 && at.index < len(s.prepared.sources); {
		src := &s.prepared.sources[at.index]
		if src.list == nil {
			b = append(append(b, entries[src.entry]...), ',')
			at.index++
			room--
			continue
		}
		out, n, next, err := src.appendPage(b, call, at.from, room)
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
// many there are and where the next page begins.
func (src *source) appendPage(b []byte, call *Call, from string, size int) (out []byte, n int, next string, err error) {
	add := func(ref *Ref) {
		r := instance(src.template, ref)
		b = append(r.AppendJSON(b, call.rev), ',')
	}
	if l, ok := src.list.(streamer); ok {
		n, next, err = l.stream(call, from, size, add)
		return b, n, next, err
	}
	refs, next, err := src.list.list(call, from, size)
	addAll(refs, add)
	return b, len(refs), next, err
}

// instance is the entry of one instance of a template: what ref says, and the template for the rest.
func instance(t *protocol.ResourceTemplate, ref *Ref) protocol.Resource {
	r := protocol.Resource{
		URI:         ref.URI,
		Name:        or(ref.Name, t.Name),
		Title:       or(ref.Info.Title, t.Title),
		Description: or(ref.Info.Description, t.Description),
		MIMEType:    or(ref.Info.MIMEType, t.MIMEType),
		Size:        ref.Info.Size,
		Annotations: t.Annotations,
		Icons:       ref.Info.Icons,
		Meta:        t.Meta,
	}
	if r.Icons == nil {
		r.Icons = t.Icons
	}
	if m := ref.Info.Modified; !m.IsZero() {
		var a protocol.Annotations
		if t.Annotations != nil {
			a = *t.Annotations
		}
		a.LastModified = m.UTC().Format(time.RFC3339)
		r.Annotations = &a
	}
	return r
}

// or returns s unless it is empty.
func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
