package feature

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
)

// Tool is a tool, with the function that runs it.
type Tool struct {
	// Entry is the entry in tools/list.
	Entry *protocol.Tool
	// Revisions are the revisions of the protocol in which the tool exists.
	Revisions RevisionRange
	// Tags are the tags for Options.OnlyTags and ExceptTags of the server.
	Tags []string
	// Guard has the access rules, limits and middleware; nil means none.
	Guard *access.Guard
	// Call runs the tool. args is the JSON object that the client sent, {} if it sent none. It is valid JSON, but not
	// checked against Entry.InputSchema, and may be kept.
	Call func(c *call.Call, args []byte) (content.ToolResult, error)
	// Check returns an error if the arguments of a call are not valid, before the call becomes a task. A nil Check means
	// that only Call checks them.
	Check func(args []byte) error
	// ListChanges declares that the list of tools may change at run time.
	ListChanges bool
	// OnlyApps leaves the tool out of the lists of clients that do not display apps. Apps call it, not models.
	OnlyApps bool
	// Logs declares that Call sends log messages to clients.
	Logs bool
	// Asks declares that Call may send requests to the client and wait for the answers.
	Asks bool
	// Task says whether calls may become tasks. TaskRequired says that they must: a client that does not support tasks
	// gets an error. See [Features.Tasks].
	Task         TaskMode
	TaskRequired bool
	// Reads makes the tool read instances of a template; Call is nil then. The tool has the Guard and the Revisions of the
	// template, and is switched on and off with the template.
	Reads *TemplateTool

	Answer  Answer         // answers calls in place of Call; nil for other tools
	ReadsAt int            // index in Features.Resources of the template of Reads
	origin  *protocol.Tool // the entry without a prefix before the name; nil if Entry has no prefix
}

// ID returns the identity of a tool. It is the same in joined servers that call the tool by another name.
func (t *Tool) ID() *protocol.Tool { return cmp.Or(t.origin, t.Entry) }

// TaskMode says whether calls of a tool may become tasks, which go on after the response to the request.
type TaskMode uint8

// The values of TaskMode.
const (
	// TaskNever lets no call become a task.
	TaskNever TaskMode = iota
	// TaskOnce never runs the handler of a task twice: if the process ends, the task fails.
	TaskOnce
	// TaskRestart runs the handler of a task again after its process has ended, and after the client has answered its
	// questions.
	TaskRestart
)

// Answer answers calls of resource tools: tools that do the work of a method for resources, for clients that support
// only tools. Such functions are in package server, and h is a handler of that package.
type Answer func(h protocol.ServerHandler, t *Tool, p *protocol.CallToolRequestParams) (protocol.CallToolReply, error)

// CheckLength returns an error if name is too long for a tool, for example because of a prefix.
func CheckLength(name string) error {
	if len(name) > maxToolName {
		return fmt.Errorf("the name has %d characters, and may have %d", len(name), maxToolName)
	}
	return nil
}

// maxToolName is the longest name of a tool, in characters.
const maxToolName = 128

// ValidToolName reports whether clients accept name as the name of a tool.
func ValidToolName(name string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
	return name != "" && len(name) <= maxToolName && strings.Trim(name, letters) == ""
}

// Prefixed returns a copy of t with prefix before its name; t itself if prefix is "".
func (t *Tool) Prefixed(prefix string) *Tool {
	if prefix == "" {
		return t
	}
	return &Renamed(&Features{Tools: []Tool{*t}}, prefix).Tools[0]
}
