package feature

import (
	"cmp"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// Features declares the features of a server. Generated code makes it; it must not be changed after the server was
// made. All slices are in the order of the source, which is the order of the lists that clients get.
type Features struct {
	// Info has the name and the version of the server.
	Info protocol.Implementation
	// Instructions are advice for the model; empty means none.
	Instructions string
	// Capabilities are capabilities in addition to those of the features below.
	Capabilities protocol.ServerCapabilities
	// PageSize is the largest number of entries of one page of a list; 0 means 1000.
	PageSize int

	// Resources are the literal resources and the templates.
	Resources []Resource
	// Route returns the index in Resources of the template that uri matches, or -1, and stores the variables of uri in
	// v. It does not parse the values of the variables and must not keep v. It is nil if there are no templates.
	Route func(uri string, v *uri.Vars) int

	// ResourceTools adds the tools list_resources and read_resource, for clients that support tools only. In a joined
	// server, the value of the first features counts.
	ResourceTools bool

	// Tools are the tools.
	Tools []Tool

	// Tasks makes tasks, as package server does, if a tool has a [TaskMode]; nil means that no call becomes a task. It is
	// a field, so that programs without such tools are not linked with tasks.
	Tasks any

	// Apps is [LeaveOutApps] if a tool names an app. It is a field for the same reason.
	Apps func(*Features)

	// Prompts are the prompts.
	Prompts []Prompt

	// Experimental adds the experimental capabilities; nil means none.
	Experimental func(c *protocol.ServerCapabilities) error
	// Extensions serve the extensions that the program defines; nil means none.
	Extensions Extensions
}

// Cache is how long clients of 2026-07-28 may cache a response (server/utilities/caching). The zero value means not at
// all.
type Cache struct {
	// TTL is how long a response may be reused, in milliseconds; fractions are dropped.
	TTL time.Duration
	// Public declares that the response is the same for every user, so that shared caches may store it.
	Public bool
}

// Completer completes one variable of a template or one argument of a prompt.
type Completer struct {
	// Var is the name of the variable in the template, or of the argument.
	Var string
	// Listed completes with the values that the variable has in the listed instances of the template. It is not for
	// prompts.
	Listed bool
	// Values returns the values that start with prefix, best first. given has the variables that the user has chosen.
	// It is nil if Listed is set.
	Values func(c *call.Call, prefix string, given CompletionContext) ([]string, error)
}

// CompletionContext has the variables that were chosen before the one that is completed. Clients of revisions before
// 2025-06-18 send none.
type CompletionContext map[string]string

// Check reports contradictions in f, which generated code does not have.
func (f *Features) Check() error {
	var errs [NumKinds + 1]error
	for k, row := range Kinds {
		errs[k] = row.check(f)
	}
	if f.Extensions != nil {
		errs[NumKinds] = f.Extensions.Check()
	}
	return errors.Join(errs[:]...)
}

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

	origin *protocol.Prompt // as for Tool
}

// id is the identity of a prompt, whatever name joined servers give it.
func (p *Prompt) id() *protocol.Prompt { return cmp.Or(p.origin, p.Entry) }

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

	ResourceTool ResourceTool   // instead of Call
	ReadsAt      int            // index in Features.Resources of what Reads means
	origin       *protocol.Tool // the entry in the member that it comes from, if Entry has another name; see Prefixed
}

// ID is the identity of a tool, whatever name joined servers give it.
func (t *Tool) ID() *protocol.Tool { return cmp.Or(t.origin, t.Entry) }

// TaskMode says whether calls of a tool may go on as tasks after their request was answered.
type TaskMode uint8

// The values of TaskMode.
const (
	// TaskNever answers every call with its result.
	TaskNever TaskMode = iota
	// TaskOnce never runs the handler of a task twice: a task whose process has ended is failed.
	TaskOnce
	// TaskRestart runs the handler of a task again after its process has ended, and after the client has answered its
	// questions.
	TaskRestart
)

// ResourceTool says which method for resources a tool offers to clients that know tools only.
type ResourceTool uint8

// The values of ResourceTool.
const (
	NotResourceTool ResourceTool = iota
	ListsResources
	ReadsResource
	readsInstance
)

// ResourceToolNames are the names of the tools of [Features.ResourceTools].
var ResourceToolNames = [...]string{"list_resources", "read_resource"}
