package server

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pipeline"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// resultBuffer holds the parts of the result of a read while they are encoded, so that they cost no allocation.
type resultBuffer struct {
	read protocol.ReadResourceResult
	one  [1]protocol.ResourceContents
	text protocol.TextResourceContents
	blob protocol.BlobResourceContents
}

// clear drops the references to the last result, so that its memory can be freed.
func (a *resultBuffer) clear() {
	if a.read.Contents != nil {
		*a = resultBuffer{}
	}
}

// ReadResource implements protocol.ServerHandler.
func (h *handler) ReadResource(_ context.Context, p *protocol.ReadResourceRequestParams) (protocol.ReadResourceReply,
	error) {
	s := h.s
	if s.features.Capabilities.Resources == nil {
		return nil, feature.ErrNoMethod
	}
	h.AtURI(p.URI)
	h.About(p.URI)
	h.SentBy(p.Meta)
	i, err := h.find(p.URI)
	if err != nil {
		return nil, err
	}
	r := &s.features.Resources[i]
	if r.Guard == nil && r.Static != nil && content.ValueOf(r.Static).Held() <= call.LargeValue {
		return s.fixed(i, h.Rev), nil
	}
	op, next, err := h.read(r, p)
	switch {
	case err != nil:
		return nil, err
	case next != nil:
		return next, nil
	}
	result := op.result(&h.result)
	h.pipeline.CutContents(result.Contents)
	return result, nil
}

// find returns the index of the resource that serves uri. It sets h.pipeline.Vars to the variables of the template.
func (h *handler) find(uri string) (int, error) {
	s := h.s
	i := s.registry.RouteFor(uri, &h.pipeline.Vars, h.Rev)
	if i < 0 {
		return 0, session.NotFound(h.Rev, uri)
	}
	return i, nil
}

// readOperation reads a resource.
type readOperation struct {
	spec     pipeline.Spec
	h        *handler
	r        *feature.Resource
	uri      string
	contents content.Contents
	ran      bool

	replied *protocol.ReadResourceResult // the result of middleware; nil if no middleware has made one
}

// read reads r, the resource that find has found. If the client has to answer questions first, read returns them
// instead, and the operation has no result.
func (h *handler) read(r *feature.Resource, p *protocol.ReadResourceRequestParams) (
	*readOperation, *protocol.InputRequiredResult, error,
) {
	op := &h.operations.read
	*op = readOperation{h: h, r: r, uri: p.URI, spec: pipeline.Spec{
		Guard: r.Guard, Target: p.URI, Meta: p.Meta, HasVar: r.Template != nil, Items: true,
		Fresh: p.InputResponses, State: p.RequestState, Asks: r.Asks,
	}}
	next, err := h.pipeline.Perform(op)
	return op, next, err
}

func (op *readOperation) Spec() *pipeline.Spec { return &op.spec }

func (op *readOperation) Reset() { *op = readOperation{} }

func (op *readOperation) Absent() error { return session.NotFound(op.h.Rev, op.uri) }

func (op *readOperation) Run(c *call.Call) (err error) {
	op.ran = true
	read := op.r.Reader()
	if read == nil {
		op.contents = *op.r.Static
		return nil
	}
	if e := op.r.Entry; e != nil && e.Size != nil && *e.Size > call.SmallValue && *e.Size <= call.MaxSizeHint {
		if err := c.Hold(*e.Size, true); err != nil {
			return err
		}
	}
	if op.contents, err = read(c); err != nil {
		return err
	}
	if op.contents, err = c.Load(op.contents); err != nil {
		return err
	}
	return c.Returned(content.ValueOf(&op.contents).Held())
}

func (op *readOperation) Conclude(_ *call.Call, err error) error {
	if op.r.Watch != nil && op.ran { // without a run, for example because of a limit, the content is unknown
		op.h.s.noteRead(op.uri, &op.contents, err)
	}
	if err == nil && op.replied == nil && content.ValueOf(&op.contents).Kind == content.KindNone {
		return op.Absent()
	}
	return err
}

// roomForFixed returns a slice with room for the encoded results of resources that never change, by index; nil if there
// are none.
func roomForFixed(all []feature.Resource) []era.Lazy[protocol.Prepared] {
	for i := range all {
		if all[i].Static != nil {
			return make([]era.Lazy[protocol.Prepared], len(all))
		}
	}
	return nil
}

// fixed returns the encoded result of reading the i-th resource, which never changes.
func (s *Server) fixed(i int, rev protocol.Revision) *protocol.Prepared {
	return s.prepared.fixed[i].Get(rev, func(rev protocol.Revision) protocol.Prepared {
		var a resultBuffer
		r := &s.features.Resources[i]
		return a.contents(s, rev, r, r.Entry.URI, *r.Static).AppendJSON(nil, rev)
	})
}

// contents makes the result of reading r, whose content is c. The result is valid until a is used again.
func (a *resultBuffer) contents(s *Server, rev protocol.Revision, r *feature.Resource, uri string,
	c content.Contents) *protocol.ReadResourceResult {
	mime := r.MIMEType()
	a.read = protocol.ReadResourceResult{Meta: s.host.ResultMeta(rev), TTLMs: r.Cache.TTL.Milliseconds()}
	if r.Cache.Public {
		a.read.CacheScope = protocol.CacheScopePublic
	}
	a.read.Contents = a.one[:]
	v := content.ValueOf(&c)
	switch v.Kind {
	case content.KindText:
		a.text = protocol.TextResourceContents{URI: uri, MIMEType: mime, Text: v.Text}
		if v.EntryMeta && rev >= era.AppsSince {
			a.text.Meta = r.Entry.Meta
		} else if v.EntryMeta && r.Entry.Meta != nil {
			// Older revisions do not define _meta here, but allow undefined members. The _meta limits what the page of an app
			// may do.
			a.text.Extra = wire.Extra{{Name: "_meta", Value: r.Entry.Meta.AppendJSON(nil, rev)}}
		}
		a.one[0] = &a.text
	case content.KindBlob:
		a.blob = protocol.BlobResourceContents{URI: uri, MIMEType: mime, Blob: v.Blob}
		a.one[0] = &a.blob
	case content.KindMany:
		a.read.Contents = pieces(uri, mime, v.Many)
	}
	return &a.read
}

// pieces makes the parts of a result from many. uri and mime hold for the parts without their own.
func pieces(uri, mime string, many []content.Content) []protocol.ResourceContents {
	list := make([]protocol.ResourceContents, len(many))
	for i, p := range many {
		at, kind := cmp.Or(p.URI, uri), cmp.Or(p.MIMEType, mime)
		if p.Blob != nil {
			list[i] = &protocol.BlobResourceContents{URI: at, MIMEType: kind, Blob: p.Blob, Meta: p.Meta}
		} else {
			list[i] = &protocol.TextResourceContents{URI: at, MIMEType: kind, Text: p.Text, Meta: p.Meta}
		}
	}
	return list
}

// noteRead tells the poll of uri, if there is one, what a client has read: contents or an error. Without a poll it
// tells the hub that the resource exists, unless the read found nothing.
func (s *Server) noteRead(uri string, c *content.Contents, err error) {
	if reads := s.host.Hub.Reads(uri); reads != nil {
		reads.Add(viewOf(*c, err))
	} else if err == nil && content.ValueOf(c).Kind != content.KindNone {
		s.host.Hub.Found(uri)
	}
}

func (op *readOperation) Params() call.Params {
	return &protocol.ReadResourceRequestParams{URI: op.uri, Meta: op.spec.Meta}
}

func (op *readOperation) Replace(_ *call.Call, p call.Params) error {
	_, err := pipeline.ParamsOf(p, func(q *protocol.ReadResourceRequestParams) bool {
		return q.URI == op.uri && q.Meta == op.spec.Meta && q.InputResponses == nil && q.RequestState == nil
	})
	return err
}

func (op *readOperation) Reply(call *call.Call) (protocol.Reply, error) {
	if content.ValueOf(&op.contents).Kind == content.KindNone {
		return nil, content.NotFound(op.uri)
	}
	r := new(resultBuffer).contents(op.h.s, call.Revision(), op.r, op.uri, op.contents)
	r.Meta = nil
	return r, nil
}

func (op *readOperation) Adopt(call *call.Call, reply protocol.Reply) error {
	r, err := pipeline.CopyOf[protocol.ReadResourceResult](reply)
	if err != nil {
		return err
	}
	n := 0
	for i, c := range r.Contents {
		if c == nil {
			return fmt.Errorf("content %d is nil", i)
		}
		n += content.SizeOfContent(c)
	}
	r.Contents, r.Meta = slices.Clone(r.Contents), pipeline.MetaWith(call.Request().Conn.Shared, r.Meta, call.Revision())
	op.replied = r
	return call.Returned(n)
}

// result returns the result of the read: that of middleware, or a new one in a. It is valid until a is used again.
func (op *readOperation) result(a *resultBuffer) *protocol.ReadResourceResult {
	if op.replied != nil {
		return op.replied
	}
	return a.contents(op.h.s, op.h.Rev, op.r, op.uri, op.contents)
}

// ListResources implements protocol.ServerHandler.
func (h *handler) ListResources(_ context.Context, p *protocol.PaginatedRequestParams) (protocol.ListResourcesReply,
	error) {
	s := h.s
	if s.features.Capabilities.Resources == nil {
		return nil, feature.ErrNoMethod
	}
	return s.lists.ListResources(h.Worker, &h.page, p.Cursor)
}

// ListResourceTemplates implements protocol.ServerHandler.
func (h *handler) ListResourceTemplates(_ context.Context,
	p *protocol.PaginatedRequestParams) (protocol.ListResourceTemplatesReply, error) {
	s := h.s
	if s.features.Capabilities.Resources == nil {
		return nil, feature.ErrNoMethod
	}
	return s.lists.ListTemplates(h.Worker, p.Cursor)
}
