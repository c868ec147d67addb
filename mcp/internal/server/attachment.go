package server

import (
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pipeline"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// attachment serves methods that the protocol does not define: those of extensions, or those of tasks. It is an
// interface, so that a server without them does not link their code.
type attachment interface {
	// Request answers the request at hand: it returns b with the result. done is false if the method is not one of the
	// attachment.
	Request(p *pipeline.Pipeline, params, b []byte) (out []byte, done bool, err error)
	// Filters are the members that the attachment adds to the filter of subscriptions/listen.
	Filters() []session.Filter
	// Signal takes a text that was noted in another replica; "" if some may have been missed.
	Signal(text string)
	// AddTo adds what was counted.
	AddTo(out *stats.Snapshot)
	// Close ends what runs, within a time of grace.
	Close(grace time.Duration)
}

// Tasks has the methods of package tasks that a server needs. That package describes those that attachment does not
// have.
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

// extensionServer serves the methods of extensions. It is an interface, so that a server without any does not link
// *extensions, which implements it.
type extensionServer interface {
	feature.Extensions
	attachment
	// open prepares the extensions for s. It removes extensions whose resources s does not offer.
	open(s *Server)
	// attach gives the extensions their host, which is s: made, but not connected to its replicas yet. It also gives their
	// methods counters. Close undoes it.
	attach(s *Server) error
	// HearUpdates, Updated and NeedSubjects are those of [feature.DeclaredExtensions].
	HearUpdates() bool
	Updated(declared, uri, by string)
	NeedSubjects() bool
	// Notification handles a notification whose method is none of the protocol.
	Notification(p *pipeline.Pipeline, method, params []byte)
}
