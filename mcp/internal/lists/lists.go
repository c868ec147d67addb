package lists

import (
	"log/slog"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/paging"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
)

// Config has the fields that lists need of their server.
type Config struct {
	*feature.Registry
	Cursors *paging.Codec
	// PageSize is the largest number of entries of one page.
	PageSize int
	// Shared reports whether other processes open the cursors of this one. Other processes may have added tools in another
	// order, so added tools are then sorted by name.
	Shared func() bool
	// Meta returns the metadata of all results.
	Meta func(protocol.Revision) *protocol.ResultMetaObject
	Log  *slog.Logger
}

// Lists are the lists of one server. They are safe for concurrent use.
type Lists struct {
	Config
	kinds     [feature.NumKinds]atomic.Pointer[list] // the list of tools is replaced when a tool is added or removed
	templates atomic.Pointer[list]                   // nil before its first use, like the list of resources
	sources   []source                               // parts of resources/list; nil if all are literal resources
	unlisted  unlisted
}

// Room is memory for the pages of one worker, which is used again for the next page. The zero value is ready for use.
type Room struct {
	page   protocol.Prepared
	writer *pageWriter // nil before the first page with instances
	timer  call.Timer
}

// Trim frees the memory if the page has room for more than limit bytes.
func (r *Room) Trim(limit int) {
	if cap(r.page) > limit {
		r.page, r.writer = nil, nil
	}
}

// Added is a tool that was added to a server.
type Added struct {
	*feature.Tool
	Number int // identifies the tool in cursors
}

// Init makes l the lists of a server.
func (l *Lists) Init(c Config) {
	l.Config = c
	l.sources = sourcesOf(c.Features)
	l.kinds[feature.KindPrompt].Store(newPromptList(l))
	l.SetTools(nil)
}

// SetTools replaces the added tools in the list of tools, where they come after the declared tools.
func (l *Lists) SetTools(added []Added) { l.kinds[feature.KindTool].Store(newToolList(l, added)) }

// Forget drops the first pages of the lists of a kind. It is called when a feature of the kind is switched on or off.
func (l *Lists) Forget(k feature.Kind) {
	if p := l.kinds[k].Load(); p != nil {
		p.forget()
	}
	if p := l.templates.Load(); p != nil && k == feature.KindResource {
		p.forget()
	}
}

// resources returns the list of the literal resources.
func (l *Lists) resources() *list { return l.made(&l.kinds[feature.KindResource], newResourceList) }

// made returns the list in p. If there is none yet, it makes the list by newOne. It is not made earlier, because a
// server may have thousands of resources and no client that lists them.
func (l *Lists) made(p *atomic.Pointer[list], newOne func(*Lists) *list) *list {
	if p.Load() == nil {
		p.CompareAndSwap(nil, newOne(l))
	}
	return p.Load()
}

// ListTools returns the page of tools that begins at cursor. apps says that the client displays apps. Other clients do
// not get the tools that only apps call.
func (l *Lists) ListTools(w *session.Worker, cursor *string, apps bool) (*protocol.Prepared, error) {
	tools := l.kinds[feature.KindTool].Load()
	if tools.onlyApps != nil && !apps {
		return tools.pageWithout(w, cursor, tools.onlyApps)
	}
	return tools.pageFor(w, cursor)
}

// ListPrompts returns the page of prompts that begins at cursor.
func (l *Lists) ListPrompts(w *session.Worker, cursor *string) (*protocol.Prepared, error) {
	return l.kinds[feature.KindPrompt].Load().pageFor(w, cursor)
}

// ListTemplates returns the page of templates that begins at cursor.
func (l *Lists) ListTemplates(w *session.Worker, cursor *string) (*protocol.Prepared, error) {
	return l.made(&l.templates, newTemplateList).pageFor(w, cursor)
}

// ListResources returns the page of resources that begins at cursor. It is valid until room is used again.
func (l *Lists) ListResources(w *session.Worker, room *Room, cursor *string) (*protocol.Prepared, error) {
	if l.sources != nil {
		return l.instances(w, room, cursor)
	}
	return l.resources().pageFor(w, cursor)
}
