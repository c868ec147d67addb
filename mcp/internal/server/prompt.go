package server

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// Prompt is a prompt, with the function that returns its messages.
type Prompt struct {
	// Entry is the entry in prompts/list. It has at most 16 arguments.
	Entry *protocol.Prompt
	// Revisions are the revisions of the protocol in which the prompt exists.
	Revisions RevisionRange
	// Tags are the tags for [Options.OnlyTags] and [Options.ExceptTags].
	Tags []string
	// Guard has the access rules, limits and middleware; nil means none.
	Guard *Guard
	// Get returns the messages. c.Vars has the arguments in the order of Entry.Arguments: all required ones, and no
	// unknown ones.
	Get func(c *call.Call) (content.PromptResult, error)
	// ListChanges declares that the list of prompts may change at run time.
	ListChanges bool
	// Logs declares that Get sends log messages to clients.
	Logs bool
	// Asks declares that Get may send requests to the client and wait for the answers.
	Asks bool
	// Complete completes arguments.
	Complete []Completer

	origin *protocol.Prompt // as for Tool
}

// id is the identity of a prompt, whatever name joined servers give it.
func (p *Prompt) id() *protocol.Prompt { return cmp.Or(p.origin, p.Entry) }

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
