package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/paging"
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/internal/seal"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

// NewServer returns a server of what f declares. Nil opts means the defaults. It fails if an
// option is out of range or f contradicts itself. f must not be changed afterwards.
func NewServer(f *feature.Features, opts *Options) (*Server, error) {
	s, err := newServer(f, opts)
	if err != nil {
		return nil, err
	}
	connectReplicas(s)
	beginTasks(s)
	return s, nil
}

// newServer is NewServer for a server that is not connected to its other replicas yet.
func newServer(f *feature.Features, opts *Options) (*Server, error) {
	s := &Server{features: *f, stopping: make(chan struct{})}
	if opts != nil {
		s.opts = *opts
	}
	if err := errors.Join(s.opts.check(), s.features.Check(), checkBus(s)); err != nil {
		return nil, err
	}
	if err := errors.Join(s.features.LinkTools(), s.features.SelectTags(s.opts.OnlyTags, s.opts.ExceptTags)); err != nil {
		return nil, err
	}
	if leaveOut := s.features.Apps; leaveOut != nil {
		leaveOut(&s.features)
	}
	if x, ok := s.features.Extensions.(extensionServer); ok {
		x.open(s)
	}
	box, err := seal.New(s.opts.Keys)
	if err != nil {
		return nil, fmt.Errorf("mcp: Options.Keys: %w", err)
	}
	s.shared.Seal, s.shared.MaxFileBytes = box, s.opts.MaxFileBytes
	s.cursors = paging.Codec{Box: box, Server: f.Info.Name, Instance: rand.Uint64()} //nolint:gosec // no secret
	s.log, s.opts.Audit = safelog.New(s.opts.Logger), safelog.New(s.opts.Audit)
	if s.log == nil {
		s.log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	if err := declare(s); err != nil {
		return nil, err
	}
	s.pageSize = firstPositive(s.opts.PageSize, s.features.PageSize, defaultPageSize)
	s.shared.MaxInFlight = firstPositive(s.opts.MaxInFlight, defaultMaxInFlight)
	s.shared.MaxQuestions = firstPositive(s.opts.MaxQuestions, defaultMaxQuestions)
	s.grace = firstPositive(s.opts.Grace, defaultGrace)
	s.shared.AskTimeout = firstPositive(s.opts.AskTimeout, defaultAskTimeout)
	s.states, s.indexes = newStates(&s.features), feature.IndexesOf(&s.features)
	s.shared.Observer = s.opts.Observer
	s.shared.Name, s.shared.Logs = f.Info.Name, s.features.Capabilities.Logging != nil
	s.shared.Meta.ServerInfo = &s.features.Info
	s.mains = mainsOf(s.features.Resources)
	s.declaredUsages = usagesOf(&s.features, s.mains)
	s.usages.Store(&s.declaredUsages)
	s.prepared.init(s)
	s.hub = s.newHub()
	s.tools.Store(new(addedTools))
	s.addResourceTools()
	if err := openTasks(s); err != nil {
		return nil, err
	}
	if s.extensions != nil {
		if err := s.extensions.attach(s); err != nil {
			return nil, err
		}
	}
	s.attachLive() // last: what it publishes is for the extensions too
	return s, nil
}

// declare sets the capabilities.
func declare(s *Server) error {
	s.features.Capabilities = s.features.AllCapabilities()
	if add := s.features.Experimental; add != nil {
		if err := add(&s.features.Capabilities); err != nil {
			return err
		}
	}
	s.declaredTools = s.features.Capabilities.Tools
	if s.opts.DynamicTools {
		s.features.Capabilities.Tools = &protocol.ServerCapabilitiesTools{ListChanged: new(true)}
	}
	return nil
}

// UseKeys gives a server without [Options.Keys] keys, before it serves. It is an error if the server has keys, or has
// used those that it made.
func UseKeys(s *Server, keys [][]byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.RandomKeys() {
		return errors.New("mcp.Options.Keys are set: the server has its keys from there")
	}
	if err := s.shared.Seal.Use(keys); err != nil {
		return err
	}
	s.opts.Keys = keys
	if added := s.tools.Load().list; len(added) > 0 { // which are in another order for servers with keys
		s.prepared.lists[feature.KindTool].Store(newToolList(s, added))
	}
	return nil
}

// Serve serves the client of t until the input of t ends, the process is asked to stop (see [transport.Stopper]), ctx
// ends or the server is closed. Requests that were read before then have [Options.Grace] to finish; then Serve closes
// t. The error is nil unless reading or writing has failed. Contexts of handlers have the values of ctx, but do not end
// with it.
//
// With MCP_TRACE=1 in the environment, Serve prints every message on stderr.
func (s *Server) Serve(ctx context.Context, t transport.Conn) error {
	release, ok := Stay(s)
	if !ok {
		_ = t.Close()
		return ErrServerClosed
	}
	defer release()
	s.shared.Counts.Serving.Add(1)
	defer s.shared.Counts.Serving.Add(-1)

	var signal <-chan struct{}
	if os.Getenv("MCP_TRACE") == "1" {
		t = transport.Trace(t, os.Stderr)
	}
	if stopper, ok := t.(transport.Stopper); ok {
		signal = stopper.Stopped()
	}
	c := newConnection(ctx, s, t)
	who := s.callerOf(ctx)
	c.legacy.latest.Store(&who)
	return c.serve(ctx.Done(), signal, s.stopping)
}

// Close ends all connections as if their input had ended, and returns when all calls of Serve have
// done so and all watchers have ended. A handler must not call it.
func (s *Server) Close() error {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.stopping)
	}
	s.mu.Unlock()
	for _, t := range s.tracked.close() {
		go t.shutDown()
	}
	var ends sync.WaitGroup // with one time of grace for both
	if s.tasks != nil {
		ends.Go(s.tasks.close)
	}
	s.serves.Wait()
	ends.Wait()
	if s.extensions != nil {
		s.extensions.Close(s.grace)
	}
	disconnectReplicas(s)
	s.leaveMembers()
	s.detachLive()
	s.hub.Close()
	return nil
}

// Stay makes [Server.Close] wait until release is called. It is not ok if s is closed.
func Stay(s *Server) (release func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ok = !s.closed; ok {
		s.serves.Add(1)
	}
	return s.serves.Done, ok
}

// Grace returns how long requests may go on once s closes; those that are left are then answered in place of their
// handlers.
func Grace(s *Server) time.Duration { return s.grace }

func (p *prepared) init(s *Server) {
	f := &s.features
	p.fixed = make([]lazy[protocol.Prepared], len(f.Resources))
	p.sources, p.dynamic = sourcesOf(f)
	p.lists[feature.KindResource].Store(newResourceList(s))
	p.lists[feature.KindTool].Store(newToolList(s, nil))
	p.lists[feature.KindPrompt].Store(newPromptList(s))
	p.templates = newTemplateList(s)
}

type callerKey struct{}

// WithCaller returns a context for [Server.Serve] with the caller of that connection. Without it the caller is
// [Options.Caller].
func WithCaller(ctx context.Context, who call.Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, who)
}

// callerOf is who the client of a connection is.
func (s *Server) callerOf(ctx context.Context) call.Caller {
	if who, ok := ctx.Value(callerKey{}).(call.Caller); ok {
		return who
	}
	return s.opts.Caller
}
