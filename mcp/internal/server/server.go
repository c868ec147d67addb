package server

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/lists"
	"github.com/mcpgen/mcpgen/mcp/internal/paging"
	"github.com/mcpgen/mcpgen/mcp/internal/ratelimit"
	"github.com/mcpgen/mcpgen/mcp/internal/replicas"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/internal/subscribe"
)

// Server answers the clients of any number of connections from one declaration of features.
// It is safe for concurrent use.
type Server struct {
	host           session.Host
	features       feature.Features
	opts           Options
	prepared       prepared
	registry       feature.Registry // of features
	lists          lists.Lists
	subs           subscribe.Subscriptions
	declaredUsages access.Usages // of what is declared; not changed once s is known
	cursors        paging.Codec
	extensions     extensionServer // nil for none
	tasks          Tasks           // nil if no tool may become a task
	attached       []attachment    // extensions and tasks, if they are not nil

	replicas replicas.Connection // nil without Options.Bus
	linked   replicas.Links      // of all servers that this one is joined with

	members    []*Server                   // that it is joined from
	containers atomic.Pointer[[]container] // the servers of which it is a member; replaced while mu is held

	mu            sync.Mutex
	tools         atomic.Pointer[addedTools]        // changed while mu is held
	usages        atomic.Pointer[access.Usages]     // with those of tools; changed while mu is held
	opened        atomic.Bool                       // clients may have got the capabilities
	declaredTools *protocol.ServerCapabilitiesTools // the capability of tools, without added ones
}

// RandomKeys reports whether [Options.Keys] were left out: other processes then cannot open what s has sealed.
func (s *Server) RandomKeys() bool { return len(s.opts.Keys) == 0 }

// Base returns s itself. Generated servers have it by embedding, so that a transport can take either.
func (s *Server) Base() *Server { return s }

// container is a server that another one is a member of. prefix stands there before the names of the member's tools and
// prompts.
type container struct {
	*Server
	prefix string
}

// prepared holds what is encoded once for each revision, because it never changes.
type prepared struct {
	initialize era.Lazy[protocol.Prepared]
	discover   era.Lazy[protocol.Prepared]
	fixed      []era.Lazy[protocol.Prepared] // by index in Features.Resources; nil if all have functions
}

// addedTools are the tools that were added to a server. A value is never changed.
type addedTools struct {
	list   []addedTool // in the order in which they were added
	byName map[string]*feature.Tool
	next   int // the number of the tool that is added next
}

type addedTool struct {
	lists.Added
	used *ratelimit.Limiter // nil if its calls are not counted
	of   *Server            // that it was added to: this one, or one that it is joined from
}

// entriesOf are what lists show of added tools.
func entriesOf(list []addedTool) []lists.Added {
	out := make([]lists.Added, len(list))
	for i := range list {
		out[i] = list[i].Added
	}
	return out
}

func (a *addedTools) index(name string) int {
	return slices.IndexFunc(a.list, func(t addedTool) bool { return t.Entry.Name == name })
}

// open is called when a client may learn the capabilities. After it they do not change.
func (s *Server) open() {
	if s.opened.Load() {
		return
	}
	s.mu.Lock()
	s.opened.Store(true)
	s.mu.Unlock()
}

// toolChanges is held while tools are added or removed, so that a server and its containers change together. It is
// taken before the mu of any server.
var toolChanges sync.Mutex

// MissingImpl returns the error of a generated constructor whose argument lacks a value for field.
func MissingImpl(field string) error {
	return fmt.Errorf("mcp: %s is nil: the server has nothing to call", field)
}

// serverOf returns the server that a call came to, for methods of extensions, which get only the call.
func serverOf(c *call.Call) *Server { return c.Request().Conn.Shared.Publisher.(*Server) }
