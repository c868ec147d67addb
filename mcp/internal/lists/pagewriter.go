package lists

import (
	"cmp"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// pageWriter encodes the references of one page. It belongs to the Room of a handler and is used again for the next
// page, so that entries cost no allocation.
type pageWriter struct {
	feature.PageBuilder
	in *Lists

	// b is the result so far, and start its length before this page of instances. call is the request. The field named of
	// is the resource whose instances are listed, and base has the fields that all of them share.
	b     []byte
	start int
	call  *call.Call
	of    *feature.Resource
	vars  uri.Vars // of the URI of a reference
	base  *protocol.Resource
	entry entryBuffer
}

// entryBuffer is memory for one entry while it is encoded.
type entryBuffer struct {
	entry  protocol.Resource
	notes  protocol.Annotations
	moment [len(time.RFC3339)]byte
}

// Take implements [feature.PageSink]. It leaves out a reference that nobody can read, or that the caller must not know
// of.
func (t *pageWriter) Take(ref *feature.Ref) {
	if !t.readable(ref.URI) || t.of.Guard != nil && !t.in.MaySee(t.call, t.of, string(ref.URI)) {
		return
	}
	t.b = append(t.entry.instance(t.base, ref).AppendJSON(t.b, t.call.Revision()), ',')
}

// Restart implements [feature.PageSink].
func (t *pageWriter) Restart() { t.b = t.b[:t.start] }

// readable reports whether a client could read uri. If not, it logs uri.
func (t *pageWriter) readable(uri []byte) bool {
	if t.of.CheckVars == nil {
		return true
	}
	i, err := t.in.Route(content.StringOf(uri), &t.vars), errUnrouted
	if i >= 0 {
		err = t.in.Resources[i].WrongVars(&t.vars)
	}
	if err != nil {
		t.in.unlisted.note(t.in.Log, string(uri), t.of, err)
	}
	return err == nil
}

// instance returns the entry of one resource in a list. Fields that ref leaves empty come from base, except Title. The
// entry is valid until the next call, and only as long as the URI of ref is not overwritten.
func (m *entryBuffer) instance(base *protocol.Resource, ref *feature.Ref) *protocol.Resource {
	m.entry = *base
	r, info := &m.entry, &ref.Info
	r.URI = content.StringOf(ref.URI)
	r.Name = cmp.Or(ref.Name, base.Name)
	r.Title = info.Title // not that of the template, which would be the same for all
	r.Description = cmp.Or(info.Description, base.Description)
	r.MIMEType = cmp.Or(info.MIMEType, base.MIMEType)
	if info.Size != nil {
		r.Size = info.Size
	}
	if info.Icons != nil {
		r.Icons = info.Icons
	}
	r.Annotations = m.annotations(base.Annotations, info)
	return r
}

// annotations returns the annotations of an instance. Fields that info leaves empty come from base, the annotations of
// the declaration.
func (m *entryBuffer) annotations(base *protocol.Annotations, info *feature.RefInfo) *protocol.Annotations {
	if info.Modified.IsZero() && info.Priority == nil && info.Audience == nil {
		return base
	}
	m.notes = protocol.Annotations{}
	if base != nil {
		m.notes = *base
	}
	if !info.Modified.IsZero() {
		m.notes.LastModified = content.StringOf(info.Modified.UTC().AppendFormat(m.moment[:0], time.RFC3339))
	}
	if info.Priority != nil {
		m.notes.Priority = info.Priority
	}
	if info.Audience != nil {
		m.notes.Audience = info.Audience
	}
	return &m.notes
}
