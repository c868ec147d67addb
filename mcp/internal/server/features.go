package server

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// Features declares what a server offers. Generated code builds it; the server neither changes it
// nor keeps any other state about features. All slices are in the order of the source, which is
// the order of the lists that clients see.
type Features struct {
	// Info names the server to clients.
	Info protocol.Implementation
	// Instructions tell a model how to use the server; empty for none.
	Instructions string
	// Capabilities are what the server can answer besides what the declarations below bring.
	Capabilities protocol.ServerCapabilities
	// PageSize is the most entries of one page of a list; 0 means 1000.
	PageSize int

	// Resources are the literal resources and the templates.
	Resources []Resource
	// Route returns the place in Resources of the one that serves uri and fills v with the
	// variables found in uri, or returns -1. It looks at the shape of the URI only and must not
	// keep v. It is nil if there are no resources.
	Route func(uri string, v *Vars) int

	// ResourceTools adds the tools list_resources and read_resource, for clients that know no resources. In a joined
	// server, that of the first features counts.
	ResourceTools bool

	// Tools are the functions that a model may call.
	Tools []Tool
	// RouteTool returns the place in Tools of the tool called name, or -1. It is nil if there are
	// no tools.
	RouteTool func(name string) int

	// Prompts are the prepared conversations that a user may start.
	Prompts []Prompt
	// RoutePrompt returns the place in Prompts of the prompt called name, or -1. It is nil if there
	// are no prompts.
	RoutePrompt func(name string) int
}

// Resource is one literal resource or one template, with the functions that serve it. Exactly one
// of Entry and Template is set, and exactly one of Fixed, Read and Live.
type Resource struct {
	// Entry is the resource as resources/list shows it.
	Entry *protocol.Resource
	// Template is the template as resources/templates/list shows it.
	Template *protocol.ResourceTemplate
	// AliasOf is the URI or template of the resource that this one is another address of; empty for none. Both have the
	// same subscribers, so Topic returns URIs of that resource, and the limits of both count together.
	AliasOf string
	// Proto are the revisions of the protocol in which the resource exists.
	Proto Proto
	// Tags are what [Options.OnlyTags] and [Options.ExceptTags] choose by.
	Tags []string
	// Cache says how long clients may keep what they read.
	Cache Cache
	// Guard says who may use the resource, and how much; nil for everybody, and without bounds.
	Guard *Guard

	// Fixed is the content of a resource that never changes.
	Fixed Contents
	// Read returns the content. The URI and the variables are in c.
	Read func(c *Call) (Contents, error)
	// Asks says that Read may ask the client something, and wait for the answer.
	Asks bool
	// Live is a value that is read, and that tells of its changes.
	Live Live

	// ListChanges says that the list that shows the resource may change while clients are served.
	ListChanges bool
	// Logs says that the functions of the resource send log messages to clients.
	Logs bool
	// Subscribe says that clients may ask to be told of changes.
	Subscribe bool
	// Topic appends the one URI that stands for all spellings of the URIs with these variables, which Route found, or
	// reports what is wrong with them. Subscribers of all these spellings get an update of any of them. It must
	// not block. Without it, variables with the same text are the same.
	Topic func(b []byte, v *Vars) ([]byte, error)
	// Watch is called when the first client subscribes to a URI, before that client is told so.
	// The sequence runs until the last one has gone, when c ends. Each value, and each error
	// (which is logged), tells that the resource may have changed. If a sequence ends earlier or panics, that is
	// logged and Watch is called again: after two seconds at first, later after up to a minute. Subscribers are then
	// told that the resource may have changed, because nobody has watched it meanwhile. A nil sequence watches nothing.
	// Nil if the resource has no watcher.
	Watch func(c *Call) (iter.Seq2[time.Time, error], error)

	// List adds the instances of a template to resources/list; nil adds none. For a literal it
	// yields the resource itself, with what is known at the time.
	List Lister
	// ListPage is the most entries of List on one page of resources/list; 0 means no less than others.
	ListPage int
	// Complete proposes values for variables of a template.
	Complete []Completer
}

// Cache is what clients of 2026-07-28 are told about keeping an answer (server/utilities/caching).
// The zero value lets nobody keep it.
type Cache struct {
	// TTL is how long an answer stays fresh; fractions of a millisecond are dropped.
	TTL time.Duration
	// Public says that the answer is the same for every user, so that shared caches may keep it.
	Public bool
}

// Tool is one function that a model may call.
type Tool struct {
	// Entry is the tool as tools/list shows it.
	Entry *protocol.Tool
	// Proto are the revisions of the protocol in which the tool exists.
	Proto Proto
	// Tags are what [Options.OnlyTags] and [Options.ExceptTags] choose by.
	Tags []string
	// Guard says who may call the tool, and how often; nil for everybody, and without bounds.
	Guard *Guard
	// Call runs the tool. args is the JSON object that the client sent, {} if it sent none. It is
	// valid JSON, has not been checked against Entry.InputSchema, and may be kept.
	Call func(c *Call, args []byte) (ToolResult, error)
	// ListChanges says that the list that shows the tool may change while clients are served.
	ListChanges bool
	// Logs says that Call sends log messages to clients.
	Logs bool
	// Asks says that Call may ask the client something, and wait for the answer.
	Asks bool
	// Reads makes the tool read instances of a template, instead of Call. Guard and Proto are then those of the
	// template, whose switch is that of the tool too.
	Reads *TemplateTool

	stands standIn        // instead of Call
	reads  int            // place in Features.Resources of what Reads means
	origin *protocol.Tool // the entry in the member that it comes from, if Entry has another name; see Prefixed
}

// Prompt is one prepared conversation.
type Prompt struct {
	// Entry is the prompt as prompts/list shows it. It has at most 16 arguments.
	Entry *protocol.Prompt
	// Proto are the revisions of the protocol in which the prompt exists.
	Proto Proto
	// Tags are what [Options.OnlyTags] and [Options.ExceptTags] choose by.
	Tags []string
	// Guard says who may use the prompt, and how often; nil for everybody, and without bounds.
	Guard *Guard
	// Get fills the prompt in. c.Vars holds the arguments in the order of Entry.Arguments: all that are
	// required and none that is not declared.
	Get func(c *Call) (PromptResult, error)
	// ListChanges says that the list that shows the prompt may change while clients are served.
	ListChanges bool
	// Logs says that Get sends log messages to clients.
	Logs bool
	// Asks says that Get may ask the client something, and wait for the answer.
	Asks bool
	// Complete proposes values for arguments.
	Complete []Completer

	origin *protocol.Prompt // as for Tool
}

// Completer proposes values for one variable of a template, or one argument of a prompt.
type Completer struct {
	// Var is the name of the variable in the template, or of the argument.
	Var string
	// Listed proposes the values that the variable has in the listed instances of the template. It
	// is not for prompts.
	Listed bool
	// Values returns the values that start with prefix, best first. given holds the variables
	// that the user has already filled in. It is nil if Listed is set.
	Values func(c *Call, prefix string, given Given) ([]string, error)
}

// Given holds the variables that were filled in before the one being completed. Revisions before
// 2025-06-18 never tell any.
type Given map[string]string

// ways is how many ways there are to read r.
func (r *Resource) ways() int {
	n := 0
	for _, has := range []bool{r.Fixed.kind != contentsNone, r.Read != nil, r.Live != nil} {
		if has {
			n++
		}
	}
	return n
}

// reader returns the function that reads r; nil if its content is fixed.
func (r *Resource) reader() func(c *Call) (Contents, error) {
	if r.Live != nil {
		return r.Live.read
	}
	return r.Read
}

// check reports what the server could not run with: mistakes of whoever built f by hand.
func (f *Features) check() error {
	var errs []error
	for i := range f.Resources {
		r := &f.Resources[i]
		switch {
		case (r.Entry == nil) == (r.Template == nil):
			errs = append(errs, fmt.Errorf("mcp: Features.Resources[%d]: want Entry or Template", i))
		case r.ways() != 1:
			errs = append(errs, fmt.Errorf("mcp: Features.Resources[%d]: want Fixed, Read or Live", i))
		case r.Fixed.kind != contentsNone && r.Entry == nil:
			errs = append(errs, fmt.Errorf("mcp: Features.Resources[%d]: a template needs Read or Live", i))
		}
	}
	for i := range f.Tools {
		if t := &f.Tools[i]; t.Entry == nil || (t.Call == nil) == (t.Reads == nil) {
			errs = append(errs, fmt.Errorf("mcp: Features.Tools[%d]: want Entry, and Call or Reads", i))
		}
	}
	if f.ResourceTools && f.RouteTool != nil {
		for _, t := range resourceTools() {
			if f.RouteTool(t.Entry.Name) >= 0 {
				errs = append(errs, fmt.Errorf("mcp: Features.ResourceTools: there is another tool %q", t.Entry.Name))
			}
		}
	}
	for i := range f.Prompts {
		if p := &f.Prompts[i]; p.Entry == nil || p.Get == nil || len(p.Entry.Arguments) > maxVars {
			errs = append(errs, fmt.Errorf("mcp: Features.Prompts[%d]: want Entry and Get, and at most %d arguments", i,
				maxVars))
		}
	}
	return errors.Join(errs...)
}

// id tells a tool from others under all names that joined servers give it.
func (t *Tool) id() *protocol.Tool { return cmp.Or(t.origin, t.Entry) }

// id tells a prompt from others under all names that joined servers give it.
func (p *Prompt) id() *protocol.Prompt { return cmp.Or(p.origin, p.Entry) }
