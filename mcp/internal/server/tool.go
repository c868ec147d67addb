package server

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// checkLength returns an error for the name of a tool that is too long, which a prefix may have made it.
func checkLength(name string) error {
	if len(name) > maxToolName {
		return fmt.Errorf("the name has %d characters, and may have %d", len(name), maxToolName)
	}
	return nil
}

// maxToolName is the most characters that the name of a tool may have.
const maxToolName = 128

// validToolName reports whether clients take name for that of a tool.
func validToolName(name string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
	return name != "" && len(name) <= maxToolName && strings.Trim(name, letters) == ""
}

// EnableTool switches a tool on or off. While it is off, clients can neither list nor call it. The change is announced
// to clients. EnableTool does nothing for an unknown name and never blocks.
func (s *Server) EnableTool(name string, on bool) { s.enableByName(kindTool, name, on) }

// toolKind is the row of tools.
var toolKind = kindRow{
	word:   "tool",
	number: func(f *Features) int { return len(f.Tools) },
	at: func(f *Features, i int) feature {
		t := &f.Tools[i]
		return feature{
			t.Entry.Name, t.id(), &t.Revisions, t.Tags, t.Guard, t.ListChanges, false, false, t.Logs, "",
		}
	},
	check: checkTools,
	clear: func(f *Features) { f.Tools = nil },
	add:   func(f, from *Features) { f.Tools = append(f.Tools, from.Tools...) },
	rename: func(f *Features, prefix string) {
		for i := range f.Tools {
			t := &f.Tools[i]
			entry := *t.Entry
			entry.Name = prefix + entry.Name
			t.origin, t.Entry = t.id(), &entry
		}
	},
	changed: protocol.MethodNotificationsToolsListChanged,
	filter:  func(l *protocol.SubscriptionFilter) **bool { return &l.ToolsListChanged },
	newList: func(s *Server) *staticList { return newToolList(s, nil) },
	declare: func(c *protocol.ServerCapabilities, listChanged bool) {
		t := orNew(c.Tools)
		t.ListChanged = either(t.ListChanged, listChanged)
		c.Tools = &t
	},
	withdraw: func(c *protocol.ServerCapabilities) { c.Tools = nil },
	offered: func(c *protocol.ServerCapabilities) (has, listChanged bool) {
		return c.Tools != nil, isTrue(orNew(c.Tools).ListChanged)
	},
}

// checkTools reports contradictions in the tools of f.
func checkTools(f *Features) error {
	var errs []error
	for i := range f.Tools {
		if t := &f.Tools[i]; t.Entry == nil || (t.Call == nil) == (t.Reads == nil) {
			errs = append(errs, fmt.Errorf("mcp: Features.Tools[%d]: want Entry, and Call or Reads", i))
		}
	}
	for _, t := range resourceTools() {
		if f.ResourceTools && slices.ContainsFunc(f.Tools, func(o Tool) bool {
			return o.Entry != nil && o.Entry.Name == t.Entry.Name
		}) {
			errs = append(errs, fmt.Errorf("mcp: Features.ResourceTools: there is another tool %q", t.Entry.Name))
		}
	}
	return errors.Join(errs...)
}
