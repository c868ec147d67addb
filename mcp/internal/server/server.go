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

// Server serves the clients of any number of connections. All of them get the features of one declaration. It is safe
// for concurrent use.
type Server struct {
	host           session.Host
	features       feature.Features
	opts           Options
	prepared       prepared
	registry       feature.Registry // of features
	lists          lists.Lists
	subs           subscribe.Subscriptions
	declaredUsages access.Usages // of declared features; not changed once other goroutines have s
	cursors        paging.Codec
	extensions     extensionServer // nil for none
	tasks          Tasks           // nil if no tool may become a task
	attached       []attachment    // extensions and tasks, if they are not nil

	replicas replicas.Connection // nil without Options.Bus
	linked   replicas.Links      // the connections of s and of all servers joined with it

	members    []*Server                   // the servers that Join was given to make this one
	containers atomic.Pointer[[]container] // the servers of which it is a member; replaced while mu is held

	mu            sync.Mutex
	tools         atomic.Pointer[addedTools]        // changed while mu is held
	usages        atomic.Pointer[access.Usages]     // of declared features and added tools; changed while mu is held
	opened        atomic.Bool                       // clients may have got the capabilities
	declaredTools *protocol.ServerCapabilitiesTools // the capability of tools as declared, without added tools
}

// RandomKeys reports whether s has no [Options.Keys]. It then seals with a random key, and other processes cannot open
// the sealed texts.
func (s *Server) RandomKeys() bool { return len(s.opts.Keys) == 0 }

// Base returns s itself. A generated server embeds *Server and so has the method too: transports accept any type with
// it.
func (s *Server) Base() *Server { return s }

// container is a server that has a member. In the container, prefix stands before the names of the tools and prompts of
// the member.
type container struct {
	*Server
	prefix string
}

// prepared holds results that never change. Each is encoded once for each revision.
type prepared struct {
	initialize era.Lazy[protocol.Prepared]
	discover   era.Lazy[protocol.Prepared]
	fixed      []era.Lazy[protocol.Prepared] // by index in Features.Resources; nil if the contents of all may change
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
	of   *Server            // the server that it was added to: this one, or a member
}

// entriesOf returns the entries of added tools for package lists.
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

// open is called before a client can get the capabilities. They do not change afterwards.
func (s *Server) open() {
	if s.opened.Load() {
		return
	}
	s.mu.Lock()
	s.opened.Store(true)
	s.mu.Unlock()
}

// toolChanges is held while tools are added or removed, so that a server and its containers change together. It must be
// locked before the mu of any server.
var toolChanges sync.Mutex

// MissingImpl returns the error of a generated constructor that got nil for field, which must hold an implementation.
func MissingImpl(field string) error {
	return fmt.Errorf("mcp: %s is nil: the server has nothing to call", field)
}

// serverOf returns the server that has received a call. Methods of extensions need it, because they get only the call.
func serverOf(c *call.Call) *Server { return c.Request().Conn.Shared.Publisher.(*Server) }
