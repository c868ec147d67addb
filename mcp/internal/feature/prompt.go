package feature

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// promptKind is the row of prompts.
var promptKind = KindRow{
	word:   "prompt",
	Number: func(f *Features) int { return len(f.Prompts) },
	At: func(f *Features, i int) Feature {
		p := &f.Prompts[i]
		return Feature{
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
	Changed: protocol.MethodNotificationsPromptsListChanged,
	Filter:  func(l *protocol.SubscriptionFilter) **bool { return &l.PromptsListChanged },
	declare: func(c *protocol.ServerCapabilities, listChanged bool) {
		p := orNew(c.Prompts)
		p.ListChanged = either(p.ListChanged, listChanged)
		c.Prompts = &p
	},
	withdraw: func(c *protocol.ServerCapabilities) { c.Prompts = nil },
	Offered: func(c *protocol.ServerCapabilities) (has, listChanged bool) {
		return c.Prompts != nil, IsTrue(orNew(c.Prompts).ListChanged)
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

// Has reports whether p has an argument called name.
func (p *Prompt) Has(name string) bool {
	return slices.ContainsFunc(p.Entry.Arguments, func(a protocol.PromptArgument) bool { return a.Name == name })
}
