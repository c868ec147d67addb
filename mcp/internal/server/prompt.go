package server

import (
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// EnablePrompt switches a prompt on or off. While it is off, clients can neither list, get nor complete it. The change
// is announced to clients. EnablePrompt does nothing for an unknown name and never blocks.
func (s *Server) EnablePrompt(name string, on bool) { s.enableByName(kindPrompt, name, on) }

// promptKind is the row of prompts.
var promptKind = kindRow{
	word:   "prompt",
	number: func(f *Features) int { return len(f.Prompts) },
	at: func(f *Features, i int) feature {
		p := &f.Prompts[i]
		return feature{
			p.Entry.Name, p.id(), &p.Revisions, p.Tags, p.Guard, p.ListChanges, false, len(p.Complete) > 0, p.Logs, "",
		}
	},
	check: checkPrompts,
	clear: func(f *Features) { f.Prompts = nil },
	add:   func(f, from *Features) { f.Prompts = append(f.Prompts, from.Prompts...) },
	rename: func(f *Features, prefix string) {
		for i := range f.Prompts {
			p := &f.Prompts[i]
			entry := *p.Entry
			entry.Name = prefix + entry.Name
			p.origin, p.Entry = p.id(), &entry
		}
	},
	changed: protocol.MethodNotificationsPromptsListChanged,
	filter:  func(l *protocol.SubscriptionFilter) **bool { return &l.PromptsListChanged },
	newList: newPromptList,
	declare: func(c *protocol.ServerCapabilities, listChanged bool) {
		p := orNew(c.Prompts)
		p.ListChanged = either(p.ListChanged, listChanged)
		c.Prompts = &p
	},
	withdraw: func(c *protocol.ServerCapabilities) { c.Prompts = nil },
	offered: func(c *protocol.ServerCapabilities) (has, listChanged bool) {
		return c.Prompts != nil, isTrue(orNew(c.Prompts).ListChanged)
	},
}

// checkPrompts reports contradictions in the prompts of f.
func checkPrompts(f *Features) error {
	var errs []error
	for i := range f.Prompts {
		if p := &f.Prompts[i]; p.Entry == nil || p.Get == nil || len(p.Entry.Arguments) > uri.MaxVars {
			errs = append(errs, fmt.Errorf("mcp: Features.Prompts[%d]: want Entry and Get, and at most %d arguments", i,
				uri.MaxVars))
		}
	}
	return errors.Join(errs...)
}
