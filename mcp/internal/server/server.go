package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/internal/seal"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

const (
	defaultPageSize    = 1000
	defaultMaxInFlight = 256
	defaultMaxWaiting  = 256
	defaultGrace       = 10 * time.Second
	defaultAskTimeout  = 15 * time.Minute // long enough for a person who has to think
)

// ErrServerClosed is returned by [Server.Serve] after [Server.Close].
var ErrServerClosed = errors.New("mcp: server is closed")

// Server answers the clients of any number of connections from one declaration of features.
// It is safe for concurrent use.
type Server struct {
	features       Features
	opts           Options
	log            *slog.Logger
	seal           *seal.Box
	pageSize       int
	maxInFlight    int
	maxWaiting     int
	grace          time.Duration
	askTimeout     time.Duration
	prepared       prepared
	off            switches
	mains          []int  // see mainsOf
	declaredUsages usages // of what is declared; not changed once s is known
	instance       uint64 // tells cursors of s from those of servers in other processes, or with other declarations
	hub            *pubsub.Hub

	stopping chan struct{}           // closed by Close
	parts    []*Server               // that it is joined from
	joined   atomic.Pointer[[]joint] // that are joined from it and others; replaced while mu is held

	exchanges sync.Pool // of *oneShot
	workers   sync.Pool // of *worker, for sessions
	keys      sync.Pool // of *resourceKey

	mu            sync.Mutex
	tools         atomic.Pointer[addedTools]        // changed while mu is held
	usages        atomic.Pointer[usages]            // with those of tools; changed while mu is held
	opened        bool                              // somebody may know the capabilities
	declaredTools *protocol.ServerCapabilitiesTools // the capability without those
	serves        sync.WaitGroup                    // Serve calls under way; added to only while mu is held and closed is false
	closed        bool
	sessions      map[tracked]struct{} // sessions and exchanges that a transport has opened
}

// NewServer returns a server of what f declares. Nil opts means the defaults. It fails if an
// option is out of range or f contradicts itself. f must not be changed afterwards.
func NewServer(f *Features, opts *Options) (*Server, error) {
	s := &Server{features: *f, stopping: make(chan struct{}), instance: rand.Uint64()} //nolint:gosec // no secret
	if opts != nil {
		s.opts = *opts
	}
	if err := errors.Join(s.opts.check(), s.features.check()); err != nil {
		return nil, err
	}
	if err := errors.Join(s.features.linkTools(), s.opts.selectTags(&s.features)); err != nil {
		return nil, err
	}
	box, err := seal.New(s.opts.Keys)
	if err != nil {
		return nil, fmt.Errorf("mcp: Options.Keys: %w", err)
	}
	s.seal = box
	s.log, s.opts.Audit = safelog.New(s.opts.Logger), safelog.New(s.opts.Audit)
	if s.log == nil {
		s.log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	s.features.Capabilities = s.features.capabilities()
	s.declaredTools = s.features.Capabilities.Tools
	if s.opts.DynamicTools {
		s.features.Capabilities.Tools = &protocol.ServerCapabilitiesTools{ListChanged: new(true)}
	}
	s.pageSize = firstPositive(s.opts.PageSize, s.features.PageSize, defaultPageSize)
	s.maxInFlight = firstPositive(s.opts.MaxInFlight, defaultMaxInFlight)
	s.maxWaiting = firstPositive(s.opts.MaxWaiting, defaultMaxWaiting)
	s.grace = firstPositive(s.opts.Grace, defaultGrace)
	s.askTimeout = firstPositive(s.opts.AskTimeout, defaultAskTimeout)
	s.off = newSwitches(&s.features)
	s.mains = mainsOf(s.features.Resources)
	s.declaredUsages = usagesOf(&s.features, s.mains)
	s.usages.Store(&s.declaredUsages)
	s.prepared.init(s)
	s.hub = s.newHub()
	s.tools.Store(new(addedTools))
	s.addResourceTools()
	s.attachLive()
	return s, nil
}

// firstPositive returns the first of the values that is set.
func firstPositive[T int | int64 | time.Duration](values ...T) T {
	for _, v := range values {
		if v > 0 {
			return v
		}
	}
	return 0
}

// Serve answers the client at the other end of t until its input ends, the process is asked to
// stop (see [transport.Stopper]), ctx ends or the server is closed. Requests that were read by
// then are still answered, for as long as [Options.Grace] allows; then t is closed. The error is
// nil unless reading or writing failed. Handlers see the values of ctx, but not its end.
//
// With MCP_TRACE=1 in the environment all messages are printed on stderr.
func (s *Server) Serve(ctx context.Context, t transport.Conn) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		_ = t.Close()
		return ErrServerClosed
	}
	s.serves.Add(1)
	s.mu.Unlock()
	defer s.serves.Done()

	var signal <-chan struct{}
	if os.Getenv("MCP_TRACE") == "1" {
		t = transport.Trace(t, os.Stderr)
	}
	if stopper, ok := t.(transport.Stopper); ok {
		signal = stopper.Stopped()
	}
	c := newConnection(ctx, s, t)
	c.legacy.caller = s.callerOf(ctx)
	return c.serve(ctx.Done(), signal, s.stopping)
}

// RandomKeys reports whether [Options.Keys] were left out, so that what s has sealed means nothing to
// another process.
func (s *Server) RandomKeys() bool { return len(s.opts.Keys) == 0 }

// Base returns s itself. Generated servers have it too, by embedding, so that what serves a server
// takes either.
func (s *Server) Base() *Server { return s }

// Close ends all connections as if their input had ended, and returns when all calls of Serve have
// done so and all watchers have ended. A handler must not call it.
func (s *Server) Close() error {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.stopping)
	}
	sessions := slices.Collect(maps.Keys(s.sessions))
	s.mu.Unlock()
	for _, t := range sessions {
		go t.shutDown()
	}
	s.serves.Wait()
	s.leaveParts()
	s.detachLive()
	s.hub.Close()
	return nil
}

// ResourceUpdated tells the subscribers of uri that the resource may have changed. It never blocks.
func (s *Server) ResourceUpdated(uri string) {
	s.hub.Publish(uri)
	s.relatives(func(o *Server) bool { return o.routes(uri) }, func(o *Server) { o.hub.Publish(uri) })
}

// ResourceListChanged tells clients that resources/list may give another answer now. It never blocks.
func (s *Server) ResourceListChanged() {
	s.hub.PublishList(resourceList)
	s.relatives(func(*Server) bool { return true }, func(o *Server) { o.hub.PublishList(resourceList) })
}
