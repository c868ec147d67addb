package server

import (
	"fmt"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/lists"
	"github.com/mcpgen/mcpgen/mcp/internal/paging"
	"github.com/mcpgen/mcpgen/mcp/internal/replicas"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/internal/subscribe"
)

// Server serves the clients of any number of connections. All of them get the features of one declaration. It is safe
// for concurrent use.
type Server struct {
	host       session.Host
	features   feature.Features
	opts       Options
	prepared   prepared
	registry   feature.Registry // of features
	added      addedTools
	usages     access.Usages // of features and added tools
	lists      lists.Lists
	subs       subscribe.Subscriptions
	cursors    paging.Codec
	extensions extensionServer // nil for none
	tasks      Tasks           // nil if no tool may become a task
	attached   []attachment    // extensions and tasks, if they are not nil

	joins    joins
	replicas replicas.Connection // nil without Options.Bus
	linked   replicas.Links      // the connections of s and of all servers joined with it

	declaredTools *protocol.ServerCapabilitiesTools // the capability of tools as declared, without added tools
}

// RandomKeys reports whether s has no [Options.Keys]. It then seals with a random key, and other processes cannot open
// the sealed texts.
func (s *Server) RandomKeys() bool { return len(s.opts.Keys) == 0 }

// Base returns s itself. A generated server embeds *Server and so has the method too: transports accept any type with
// it.
func (s *Server) Base() *Server { return s }

// prepared holds results that never change. Each is encoded once for each revision.
type prepared struct {
	initialize era.Lazy[protocol.Prepared]
	discover   era.Lazy[protocol.Prepared]
	fixed      []era.Lazy[protocol.Prepared] // by index in Features.Resources; nil if the contents of all may change
}

// MissingImpl returns the error of a generated constructor that got nil for field, which must hold an implementation.
func MissingImpl(field string) error {
	return fmt.Errorf("mcp: %s is nil: the server has nothing to call", field)
}

// serverOf returns the server that has received a call. Methods of extensions need it, because they get only the call.
func serverOf(c *call.Call) *Server { return c.Request().Conn.Shared.Publisher.(*Server) }
