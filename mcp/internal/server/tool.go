package server

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
)

// Tool is a tool, with the function that runs it.
type Tool struct {
	// Entry is the entry in tools/list.
	Entry *protocol.Tool
	// Revisions are the revisions of the protocol in which the tool exists.
	Revisions RevisionRange
	// Tags are the tags for [Options.OnlyTags] and [Options.ExceptTags].
	Tags []string
	// Guard has the access rules, limits and middleware; nil means none.
	Guard *Guard
	// Call runs the tool. args is the JSON object that the client sent, {} if it sent none. It is valid JSON, is not
	// validated by Entry.InputSchema, and may be kept.
	Call func(c *call.Call, args []byte) (content.ToolResult, error)
	// Check reports what is wrong with the arguments of a call before it becomes a task; nil means that Call does.
	Check func(args []byte) error
	// ListChanges declares that the list of tools may change at run time.
	ListChanges bool
	// OnlyApps leaves the tool out of the lists of clients that do not display apps: it is for the apps, not for models.
	OnlyApps bool
	// Logs declares that Call sends log messages to clients.
	Logs bool
	// Asks declares that Call may send requests to the client and wait for the answers.
	Asks bool
	// Task says whether calls may go on as tasks, and TaskRequired that they cannot do otherwise: a client without tasks
	// gets an error. See [Features.Tasks].
	Task         TaskMode
	TaskRequired bool
	// Reads makes the tool read instances of a template, in place of Call. Guard and Revisions are then those of the
	// template, and switching the template switches the tool.
	Reads *TemplateTool

	resourceTool resourceTool   // instead of Call
	reads        int            // index in Features.Resources of what Reads means
	origin       *protocol.Tool // the entry in the member that it comes from, if Entry has another name; see Prefixed
}

// id is the identity of a tool, whatever name joined servers give it.
func (t *Tool) id() *protocol.Tool { return cmp.Or(t.origin, t.Entry) }

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
