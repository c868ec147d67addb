package server

import (
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
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

	// Tasks is [NewTasks] if a tool has a [TaskMode]; nil means that no call becomes a task. It is a field, so that
	// programs without such tools are not linked with tasks.
	Tasks func(*Server) (TaskSupport, error)

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

// check reports contradictions in f, which generated code does not have.
func (f *Features) check() error {
	var errs [numKinds + 1]error
	for k, row := range kinds {
		errs[k] = row.check(f)
	}
	if f.Extensions != nil {
		errs[numKinds] = f.Extensions.check()
	}
	return errors.Join(errs[:]...)
}
