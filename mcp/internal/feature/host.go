package feature

import (
	"context"
	"log/slog"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/seal"
	"github.com/mcpgen/mcpgen/mcp/stats"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Host is a server as an extension sees it.
type Host struct {
	Name   string
	Events event.Settings
	Log    *slog.Logger
	Audit  *slog.Logger // nil for none
	Seal   seal.Box
	// Conn is for calls that the server makes by itself, for no client.
	Conn *call.Conn
	// LastingKeys returns false if the keys of Seal end with the process.
	LastingKeys func() bool
	// Stopping is closed when the server begins to close.
	Stopping <-chan struct{}
	// Note sends a text to the other replicas; nil for a server without a bus of its own.
	Note func(text string)
	// Publish sends n to the clients of this replica that follow the topic of n. It never blocks.
	Publish func(n wire.Notification) error
	// OnlyTags and ExceptTags are the fields of the server's options.
	OnlyTags, ExceptTags []string
}

// Offers reports whether the options of the server offer something with these tags.
func (h *Host) Offers(tags []string) bool { return offers(h.OnlyTags, h.ExceptTags, tags) }

// offers reports whether Options.OnlyTags and ExceptTags offer something with these tags.
func offers(only, except, tags []string) bool {
	return (len(only) == 0 || access.Overlap(only, tags)) && !access.Overlap(except, tags)
}

// Attachment has the functions of an extension that a server calls. Nil functions do nothing.
type Attachment struct {
	// Signal is called with each text that another replica has given to [Host].Note, or with "" if some texts may be lost.
	// It must not block.
	Signal func(text string)
	// Updated is called when the program publishes, in this replica, that a resource may have changed. declared is the URI
	// or template of its declaration, and uri its URI. subject is that of the call that has caused the change; "" for
	// none. Updated must not block.
	Updated func(declared, uri, subject string)
	// AddTo adds the counters of the extension to the statistics.
	AddTo func(out *stats.Snapshot)
	// Close ends what Attach has begun, after requests have ended or their time was over.
	Close func(ctx context.Context)
}

// Guarded is a feature of an extension that is no method, such as an event. Methods of the extension check its Guard.
type Guarded struct {
	Name  string
	Tags  []string
	Guard *access.Guard
}
