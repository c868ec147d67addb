package lists

import (
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/paging"
)

// newResourceList returns the list of the literal resources. Instances of templates are added by [Lists.instances].
func newResourceList(l *Lists) *list {
	declared, places, offers := declaredBy(l, func(r *feature.Resource) *protocol.Resource { return r.Entry })
	name := func(i int) string { return declared[i].URI }
	guard := func(i int) *access.Guard { return l.Resources[places[i]].Guard }
	return newList(l, paging.Resources, declared, entryInfo{name, offers, guard}, "resources",
		func(rev protocol.Revision) []byte {
			r := protocol.ListResourcesResult{Meta: l.Meta(rev)}
			return r.AppendJSON(nil, rev)
		})
}

// newTemplateList returns the list of the templates.
func newTemplateList(l *Lists) *list {
	declared, places, offers := declaredBy(l, func(r *feature.Resource) *protocol.ResourceTemplate { return r.Template })
	name := func(i int) string { return declared[i].URITemplate }
	guard := func(i int) *access.Guard { return l.Resources[places[i]].Guard }
	return newList(l, paging.Templates, declared, entryInfo{name, offers, guard}, "resourceTemplates",
		func(rev protocol.Revision) []byte {
			r := protocol.ListResourceTemplatesResult{Meta: l.Meta(rev)}
			return r.AppendJSON(nil, rev)
		})
}

// declaredBy calls get for each resource. It returns the results that are not nil, the indexes of their resources, and
// a function that reports whether clients of a revision may see the i-th of these entries.
func declaredBy[E any](l *Lists, get func(*feature.Resource) *E) (list []*E, places []int,
	offers func(int, protocol.Revision) bool) {
	n := 0
	for i := range l.Resources {
		if get(&l.Resources[i]) != nil {
			n++
		}
	}
	list, places = make([]*E, 0, n), make([]int, 0, n)
	for i := range l.Resources {
		if e := get(&l.Resources[i]); e != nil {
			list = append(list, e)
			places = append(places, i)
		}
	}
	return list, places, func(i int, rev protocol.Revision) bool { return l.Visible(feature.KindResource, places[i], rev) }
}

// newPromptList returns the list of the prompts.
func newPromptList(l *Lists) *list {
	declared := make([]*protocol.Prompt, len(l.Prompts))
	for i := range declared {
		declared[i] = l.Prompts[i].Entry
	}
	name := func(i int) string { return declared[i].Name }
	offers := func(i int, rev protocol.Revision) bool { return l.Visible(feature.KindPrompt, i, rev) }
	guard := func(i int) *access.Guard { return l.Prompts[i].Guard }
	return newList(l, paging.Prompts, declared, entryInfo{name, offers, guard}, "prompts",
		func(rev protocol.Revision) []byte {
			r := protocol.ListPromptsResult{Meta: l.Meta(rev)}
			return r.AppendJSON(nil, rev)
		})
}

// newToolList returns the list of the declared tools, followed by tools, which were added at run time. Processes that
// share keys open each other's cursors, but may have added tools in another order. So each of them sorts added tools by
// name.
func newToolList(l *Lists, tools []Added) *list {
	shared := l.Shared()
	added := make([]*Added, len(tools))
	names, places := make([]string, len(tools)), make(map[string]int, len(tools))
	for i := range tools {
		names[i], places[tools[i].Entry.Name] = tools[i].Entry.Name, i
	}
	if shared {
		slices.Sort(names)
	}
	for i, name := range names {
		added[i] = &tools[places[name]]
	}
	var entries []toolEntry
	for i := range l.Tools {
		entries = append(entries, toolEntry{l.Tools[i].Entry})
	}
	declared := len(entries)
	for i := range added {
		entries = append(entries, toolEntry{added[i].Entry})
	}
	name := func(i int) string { return entries[i].Name }
	offers := func(i int, rev protocol.Revision) bool {
		return i >= declared || l.Visible(feature.KindTool, i, rev) && (rev >= era.NewestLegacy ||
			!l.Tools[i].TaskRequired)
	}
	guard := func(i int) *access.Guard {
		if i >= declared {
			return added[i-declared].Guard
		}
		return l.Tools[i].Guard
	}
	list := newList(l, paging.Tools, entries, entryInfo{name, offers, guard}, "tools",
		func(rev protocol.Revision) []byte {
			r := protocol.ListToolsResult{Meta: l.Meta(rev)}
			return r.AppendJSON(nil, rev)
		})
	if slices.ContainsFunc(l.Tools, func(t feature.Tool) bool { return t.OnlyApps }) {
		list.onlyApps = func(i int) bool { return i < declared && l.Tools[i].OnlyApps }
	}
	if shared {
		list.sorted = declared
		return list
	}
	list.number = func(i int) int {
		if i < declared {
			return i
		}
		return declared + added[i-declared].Number
	}
	return list
}

// toolEntry is a tool in a list. In revision 2025-03-26 the title of a tool is in its annotations.
type toolEntry struct{ *protocol.Tool }

// AppendJSON appends the entry of the tool for clients of rev.
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
