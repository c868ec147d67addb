package feature

import (
	"cmp"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
)

// Prompt is a prompt, with the function that returns its messages.
type Prompt struct {
	// Entry is the entry in prompts/list. It has at most 16 arguments.
	Entry *protocol.Prompt
	// Revisions are the revisions of the protocol in which the prompt exists.
	Revisions RevisionRange
	// Tags are the tags for Options.OnlyTags and ExceptTags of the server.
	Tags []string
	// Guard has the access rules, limits and middleware; nil means none.
	Guard *access.Guard
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

	origin *protocol.Prompt // the entry without a prefix before the name; nil if Entry has no prefix
}

// id returns the identity of a prompt. It is the same in joined servers that call the prompt by another name.
func (p *Prompt) id() *protocol.Prompt { return cmp.Or(p.origin, p.Entry) }

// Has reports whether p has an argument called name.
func (p *Prompt) Has(name string) bool {
	return slices.ContainsFunc(p.Entry.Arguments, func(a protocol.PromptArgument) bool { return a.Name == name })
}
