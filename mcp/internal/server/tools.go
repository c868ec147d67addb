package server

import (
	"context"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/paging"
	"github.com/mcpgen/mcpgen/mcp/internal/pipeline"
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
		return nil, feature.ErrNoMethod
	}
	l := s.prepared.list(feature.KindTool)
	if l.onlyApps != nil && !w.canApps(p.Meta) {
		return pager{w}.pageWithout(l, p.Cursor, l.onlyApps)
	}
	return pager{w}.pageOf(l, p.Cursor)
}

// CallTool implements protocol.ServerHandler.
func (w *handler) CallTool(_ context.Context, p *protocol.CallToolRequestParams) (protocol.CallToolReply, error) {
	s := w.s
	if s.features.Capabilities.Tools == nil {
		return nil, feature.ErrNoMethod
	}
	w.Target, w.ClientMeta = p.Name, p.Meta
	tool := s.tool(p.Name, w.Rev)
	if tool == nil {
		return nil, pipeline.UnknownTool(p.Name)
	}
	if tool.ResourceTool != feature.NotResourceTool {
		return resourceToolCall{w}.callResourceTool(tool, p)
	}
	if s.tasks != nil {
		if reply, done, err := s.tasks.Call(&w.pipeline, tool, p); done {
			return reply, err
		}
	}
	op := &w.operations.call
	*op = toolOperation{w: w, tool: tool, common: pipeline.Use{
		Guard: tool.Guard, Target: p.Name, Named: true, Meta: p.Meta,
		Args: p.Arguments, Fresh: p.InputResponses, State: p.RequestState, Asks: tool.Asks,
	}}
	if op.common.Args == nil {
		op.common.Args = content.EmptyObject
	}
	op.args = op.common.Args
	next, err := w.pipeline.Perform(op)
	switch {
	case err != nil:
		return nil, err
	case next != nil:
		return next, nil
	}
	reply := w.pipeline.ToolReply(&op.result, op.replied)
	if w.Call.Task() == nil { // else a record has the whole of it
		w.cutTool(reply)
	}
	return reply, nil
}

// toolOperation calls a tool.
type toolOperation struct {
	common pipeline.Use
	w      *handler
	tool   *feature.Tool
	args   []byte // as middleware passes them on
	result content.ToolResult

	replied *protocol.CallToolResult // by middleware; nil without any
}

func (op *toolOperation) Use() *pipeline.Use { return &op.common }

func (op *toolOperation) Reset() { *op = toolOperation{} }

func (op *toolOperation) Absent() error { return pipeline.UnknownTool(op.common.Target) }

func (op *toolOperation) Run(call *call.Call) (err error) {
	op.result, err = op.tool.Call(call, op.args)
	if err == nil {
		err = call.Returned(op.result.Size())
	}
	return err
}

func (op *toolOperation) Conclude(call *call.Call, err error) error {
	if err == nil {
		err = op.result.Check()
	}
	if err != nil && err != engine.ErrNoRoom { //nolint:errorlint // the very error
		op.replied = nil
		op.result, err = op.w.pipeline.FailedTool(call, err)
	}
	return err
}
