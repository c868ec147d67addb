package server

import (
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pipeline"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// attachment serves methods that the core of the protocol does not define: those of extensions, or those of tasks. It
// is an interface, so that a server without extensions and tasks does not link their code.
type attachment interface {
	// Request answers the current request: it returns b with the result appended, or the error of the response. done is
	// false if the method does not belong to the attachment.
	Request(p *pipeline.Pipeline, params, b []byte) (out []byte, done bool, err error)
	// Filters returns the members that the attachment adds to the filter of subscriptions/listen.
	Filters() []session.Filter
	// Signal takes a text that another replica has sent; "" says that some texts may have been missed.
	Signal(text string)
	// AddTo adds the counts of the attachment to out.
	AddTo(out *stats.Snapshot)
	// Close ends the work of the attachment. Code that runs has the time grace to finish.
	Close(grace time.Duration)
}

// Tasks has the methods of package tasks that a server needs. Those that attachment lacks are described in package
// tasks.
type Tasks interface {
	attachment
	Call(p *pipeline.Pipeline, tool *feature.Tool, params *protocol.CallToolRequestParams) (
		reply protocol.CallToolReply, done bool, err error)
	Declare(c *protocol.ServerCapabilities, rev protocol.Revision, w *session.Worker)
	Begin()
	Follow(c *session.Conn, id string)
	FollowOnly(c *session.Conn, ids []string)
	Unfollowed(n int)
}

// extensionServer serves the methods of extensions. It is implemented by *extensions. It is an interface, so that a
// server without extensions does not link that type.
type extensionServer interface {
	feature.Extensions
	attachment
	// open sets the extensions of s, without those whose resources s does not offer.
	open(s *Server)
	// attach makes s the host of the extensions, and adds counters for their methods. s is complete then, but not yet
	// connected to its replicas. Close undoes attach.
	attach(s *Server) error
	// HearUpdates, Updated and NeedSubjects are those of [feature.DeclaredExtensions].
	HearUpdates() bool
	Updated(declared, uri, subject string)
	NeedSubjects() bool
	// Notification handles a notification whose method an extension defines.
	Notification(p *pipeline.Pipeline, method, params []byte)
}
