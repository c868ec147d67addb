package feature

import (
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// Features declares the features of a server. Generated code makes it; it must not be changed after the server was
// made. All slices are in the order of the source, and clients get the lists in that order.
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

	// ResourceTools adds the tools list_resources and read_resource to a server, for clients that support tools only; nil
	// means none. A joined server has those of its first member. It is a field, so that programs without these tools do
	// not link them.
	ResourceTools any

	// Tools are the tools.
	Tools []Tool

	// Tasks adds the code of package tasks to a server, for tools with a [TaskMode]; nil means that no call becomes a
	// task. It is a field, so that programs without tasks do not link that package.
	Tasks any

	// Apps is [LeaveOutApps] if a tool names an app, else nil. It is a field, so that programs without apps do not link
	// the function.
	Apps func(*Features)

	// Prompts are the prompts.
	Prompts []Prompt

	// Experimental adds the experimental capabilities; nil means none.
	Experimental func(c *protocol.ServerCapabilities) error
	// Extensions serve the extensions that the program defines; nil means none.
	Extensions Extensions
}

// Cache is how long clients of 2026-07-28 may cache a response (server/utilities/caching). The zero value means that
// they may not.
type Cache struct {
	// TTL is how long a response may be reused. Clients get whole milliseconds; fractions are dropped.
	TTL time.Duration
	// Public declares that the response is the same for every user, so that shared caches may store it.
	Public bool
}
