package feature

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// CheckLength returns an error for the name of a tool that is too long, which a prefix may have made it.
func CheckLength(name string) error {
	if len(name) > maxToolName {
		return fmt.Errorf("the name has %d characters, and may have %d", len(name), maxToolName)
	}
	return nil
}

// maxToolName is the most characters that the name of a tool may have.
const maxToolName = 128

// ValidToolName reports whether clients take name for that of a tool.
func ValidToolName(name string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
	return name != "" && len(name) <= maxToolName && strings.Trim(name, letters) == ""
}

// toolKind is the row of tools.
var toolKind = KindRow{
	word:   "tool",
	Number: func(f *Features) int { return len(f.Tools) },
	At: func(f *Features, i int) Feature {
		t := &f.Tools[i]
		return Feature{
			t.Entry.Name, t.ID(), &t.Revisions, t.Tags, t.Guard, t.ListChanges, false, false, t.Logs, "",
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
			t.origin, t.Entry = t.ID(), &entry
		}
	},
	Changed: protocol.MethodNotificationsToolsListChanged,
	Filter:  func(l *protocol.SubscriptionFilter) **bool { return &l.ToolsListChanged },
	declare: func(c *protocol.ServerCapabilities, listChanged bool) {
		t := orNew(c.Tools)
		t.ListChanged = either(t.ListChanged, listChanged)
		c.Tools = &t
	},
	withdraw: func(c *protocol.ServerCapabilities) { c.Tools = nil },
	Offered: func(c *protocol.ServerCapabilities) (has, listChanged bool) {
		return c.Tools != nil, IsTrue(orNew(c.Tools).ListChanged)
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
	for _, name := range ResourceToolNames {
		if f.ResourceTools && slices.ContainsFunc(f.Tools, func(o Tool) bool {
			return o.Entry != nil && o.Entry.Name == name
		}) {
			errs = append(errs, fmt.Errorf("mcp: Features.ResourceTools: there is another tool %q", name))
		}
	}
	return errors.Join(errs...)
}

// Prefixed is t as a server with that prefix calls it.
func (t *Tool) Prefixed(prefix string) *Tool {
	if prefix == "" {
		return t
	}
	return &Renamed(&Features{Tools: []Tool{*t}}, prefix).Tools[0]
}
