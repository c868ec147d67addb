package server

import (
	"context"
	"errors"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/paging"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// newToolList lists the tools: the declared ones, and then those added since. Processes that share keys read each
// other's cursors, and may have added tools in another order: they list them in the order of their names.
func newToolList(s *Server, tools []addedTool) *staticList {
	added := make([]*addedTool, len(tools))
	names, places := make([]string, len(tools)), make(map[string]int, len(tools))
	for i := range tools {
		names[i], places[tools[i].Entry.Name] = tools[i].Entry.Name, i
	}
	if !s.RandomKeys() {
		slices.Sort(names)
	}
	for i, name := range names {
		added[i] = &tools[places[name]]
	}
	var entries []toolEntry
	for i := range s.features.Tools {
		entries = append(entries, toolEntry{s.features.Tools[i].Entry})
	}
	declared := len(entries)
	for i := range added {
		entries = append(entries, toolEntry{added[i].Entry})
	}
	name := func(i int) string { return entries[i].Name }
	offers := func(i int, rev protocol.Revision) bool {
		return i >= declared || s.visible(feature.KindTool, i, rev) && (rev >= era.NewestLegacy ||
			!s.features.Tools[i].TaskRequired)
	}
	guard := func(i int) *access.Guard {
		if i >= declared {
			return added[i-declared].Guard
		}
		return s.features.Tools[i].Guard
	}
	l := newStaticList(s, paging.Tools, entries, entryInfo{name, offers, guard}, "tools",
		func(rev protocol.Revision) []byte {
			r := protocol.ListToolsResult{Meta: s.host.ResultMeta(rev)}
			return r.AppendJSON(nil, rev)
		})
	if slices.ContainsFunc(s.features.Tools, func(t feature.Tool) bool { return t.OnlyApps }) {
		l.onlyApps = func(i int) bool { return i < declared && s.features.Tools[i].OnlyApps }
	}
	if !s.RandomKeys() {
		l.sorted = declared
		return l
	}
	l.number = func(i int) int {
		if i < declared {
			return i
		}
		return declared + added[i-declared].number
	}
	return l
}

// toolEntry is a tool in a list. 2025-03-26 has its title among the hints.
type toolEntry struct{ *protocol.Tool }

// AppendJSON appends the tool as clients of rev see it.
func (e toolEntry) AppendJSON(b []byte, rev protocol.Revision) []byte {
	t := e.Tool
	if rev != protocol.Revision20250326 || t.Title == "" {
		return t.AppendJSON(b, rev)
	}
	var hints protocol.ToolAnnotations
	if t.Annotations != nil {
		hints = *t.Annotations
	}
	if hints.Title == "" {
		hints.Title = t.Title
	}
	old := *t
	old.Annotations = &hints
	return old.AppendJSON(b, rev)
}

// ListTools implements protocol.ServerHandler.
func (w *handler) ListTools(_ context.Context, p *protocol.PaginatedRequestParams) (protocol.ListToolsReply, error) {
	s := w.s
	if s.features.Capabilities.Tools == nil {
		return nil, errNoMethod
	}
	l := s.prepared.list(feature.KindTool)
	if l.onlyApps != nil && !w.canApps(p.Meta) {
		return pager{w}.pageWithout(l, p.Cursor, l.onlyApps)
	}
	return pager{w}.pageOf(l, p.Cursor)
}

var isError = true // never changed

// CallTool implements protocol.ServerHandler.
func (w *handler) CallTool(_ context.Context, p *protocol.CallToolRequestParams) (protocol.CallToolReply, error) {
	s := w.s
	if s.features.Capabilities.Tools == nil {
		return nil, errNoMethod
	}
	w.Target, w.ClientMeta = p.Name, p.Meta
	tool := s.tool(p.Name, w.Rev)
	if tool == nil {
		return nil, unknownTool(p.Name)
	}
	if tool.ResourceTool != feature.NotResourceTool {
		return resourceToolCall{w}.callResourceTool(tool, p)
	}
	if s.tasks != nil {
		if reply, done, err := s.tasks.call(w, tool, p); done {
			return reply, err
		}
	}
	op := &w.operations.call
	*op = toolOperation{w: w, tool: tool, common: use{
		guard: tool.Guard, target: p.Name, named: true, meta: p.Meta,
		args: p.Arguments, fresh: p.InputResponses, state: p.RequestState, asks: tool.Asks,
	}}
	if op.common.args == nil {
		op.common.args = content.EmptyObject
	}
	op.args = op.common.args
	next, err := w.perform(op)
	switch {
	case err != nil:
		return nil, err
	case next != nil:
		return next, nil
	}
	return w.cutTool(w.toolReply(&op.result, op.replied)), nil
}

// toolOperation calls a tool.
type toolOperation struct {
	common use
	w      *handler
	tool   *feature.Tool
	args   []byte // as middleware passes them on
	result content.ToolResult

	replied *protocol.CallToolResult // by middleware; nil without any
}

func (op *toolOperation) use() *use { return &op.common }

func (op *toolOperation) reset() { *op = toolOperation{} }

func (op *toolOperation) absent() error { return unknownTool(op.common.target) }

func (op *toolOperation) Run(call *call.Call) (err error) {
	op.result, err = op.tool.Call(call, op.args)
	if err == nil {
		err = call.Returned(op.result.Size())
	}
	return err
}

func (op *toolOperation) conclude(call *call.Call, err error) error {
	if err == nil {
		err = op.result.Check()
	}
	if err != nil && err != engine.ErrNoRoom { //nolint:errorlint // the very error
		op.replied = nil
		op.result, err = op.w.failedTool(call, err)
	}
	return err
}

// unknownTool is the answer about a tool that does not exist.
func unknownTool(name string) *wire.Error {
	return content.InvalidParams("/name: unknown tool %q", name)
}

// toolResult makes the result of a tool. It is valid until the next one is made.
func (a *resultBuffer) toolResult(s *Server, rev protocol.Revision, r *content.ToolResult) *protocol.CallToolResult {
	a.tool = protocol.CallToolResult{Content: r.Content, StructuredContent: r.Structured, Meta: s.host.ResultMeta(rev)}
	if r.Content == nil && r.Structured != nil {
		a.structuredText = protocol.TextContent{Text: asString(r.Structured)} // encoded before r is anyone else's
		a.block[0] = &a.structuredText
		a.tool.Content = a.block[:]
	}
	if r.IsError {
		a.tool.IsError = &isError
	}
	return &a.tool
}

// failedTool turns the error of a tool into a result that the model can read, except where the
// revision wants an error of the protocol.
func (w *handler) failedTool(c *call.Call, err error) (content.ToolResult, error) {
	if !c.Running() {
		return content.ToolResult{}, err // the result is not used
	}
	rev := w.Rev
	if run := c.Task(); run != nil {
		rev = run.Revision()
	}
	if missing := call.MissingCapability(err, rev); missing != nil {
		return content.ToolResult{}, missing
	}
	var arguments *content.ArgumentsError
	if errors.As(err, &arguments) && w.Rev < era.BadArgumentsSince {
		return content.ToolResult{}, wire.NewError(wire.CodeInvalidParams, arguments.Error())
	}
	r := content.ToolText(w.toolErrorText(err))
	r.IsError = true
	return r, nil
}

// toolErrorText is what the model may know of an error.
func (w *handler) toolErrorText(err error) string {
	if text, public := content.PublicText(err); public {
		w.Withheld(err)
		return text
	}
	if content.IsNotFound(err) {
		w.Withheld(err)
		return session.MissingText
	}
	return w.Mask(err)
}
