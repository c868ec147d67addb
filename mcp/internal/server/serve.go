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

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/internal/seal"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

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

func (p *prepared) init(s *Server) {
	f := &s.features
	p.meta.ServerInfo = &f.Info
	p.fixed = make([]lazy[protocol.Prepared], len(f.Resources))
	p.sources, p.dynamic = sourcesOf(f)
	p.resources = newResourceListing(s)
	p.templates = newTemplateListing(s)
	p.tools.Store(newToolListing(s, nil))
	p.prompts = newPromptListing(s)
	p.resources.forget()
	p.templates.forget()
	p.prompts.forget()
}

// callerOf is who the client of a connection is.
func (s *Server) callerOf(ctx context.Context) Caller {
	if who, ok := ctx.Value(callerKey{}).(Caller); ok {
		return who
	}
	return s.opts.Caller
}
