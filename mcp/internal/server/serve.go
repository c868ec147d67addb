package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/lists"
	"github.com/mcpgen/mcpgen/mcp/internal/paging"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/internal/seal"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/internal/subscribe"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

// NewServer returns a server of what f declares. Nil opts means the defaults. The error says that an option is out of
// range, that f contradicts itself, or that tasks or extensions could not be opened. f must not be changed afterwards.
func NewServer(f *feature.Features, opts *Options) (*Server, error) {
	s, err := newServer(f, opts)
	if err != nil {
		return nil, err
	}
	connectReplicas(s)
	beginTasks(s)
	return s, nil
}

// newServer is NewServer for a server with members, without the connection to other replicas, and without running tasks
// that other processes have left.
func newServer(f *feature.Features, opts *Options, members ...*joins) (*Server, error) {
	s := &Server{features: *f}
	s.joins.of, s.joins.members = s, members
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
	s.host.Seal = box
	s.cursors = paging.Codec{Box: box, Server: f.Info.Name, Instance: rand.Uint64()} //nolint:gosec // no secret
	s.host.Log, s.host.Audit = safelog.New(s.opts.Logger), safelog.New(s.opts.Audit)
	if s.host.Log == nil {
		s.host.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	if err := declare(s); err != nil {
		return nil, err
	}
	s.registry.Init(&s.features)
	s.usages.Refused = &s.host.Counts.Refused
	if s.opts.ShareRates {
		s.usages.Share = s.linked.Share
	}
	s.usages.Declare(usagesOf(&s.registry))
	s.prepared.fixed = roomForFixed(s.features.Resources)
	s.initHost()
	s.lists.Init(lists.Config{
		Registry: &s.registry, Cursors: &s.cursors, Meta: s.host.ResultMeta, Log: s.host.Log,
		PageSize: firstPositive(s.opts.PageSize, s.features.PageSize, defaultPageSize),
		Shared:   func() bool { return !s.RandomKeys() },
	})
	s.added = addedTools{dynamic: s.opts.DynamicTools, registry: &s.registry, usages: &s.usages, of: s}
	s.added.set.Store(new(toolSet))
	if err := s.addResourceTools(); err != nil {
		return nil, err
	}
	if err := openTasks(s); err != nil {
		return nil, err
	}
	if s.extensions != nil {
		if err := s.extensions.attach(s); err != nil {
			return nil, err
		}
	}
	s.attachLive() // last, because extensions get the updates that it publishes
	return s, nil
}

// declare computes the capabilities of s.
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

// UseKeys sets the keys of a server without [Options.Keys], before it serves. It returns an error if the server has
// keys, if it has already used its random key, or if keys are not valid.
func UseKeys(s *Server, keys [][]byte) error {
	s.added.mu.Lock()
	defer s.added.mu.Unlock()
	if !s.RandomKeys() {
		return errors.New("mcp.Options.Keys are set: the server has its keys from there")
	}
	if err := s.host.Seal.Use(keys); err != nil {
		return err
	}
	s.opts.Keys = keys
	if added := s.added.set.Load(); len(added.list) > 0 { // a list of tools has another order on servers with keys
		s.lists.SetTools(added.entries())
	}
	return nil
}

// Serve serves the client of t until the input of t ends, the process is asked to stop (see [transport.Stopper]), ctx
// ends or the server is closed. Then the requests that were read have [Options.Grace] to finish, and Serve closes t.
// The error is nil unless reading or writing has failed, the client did not read its last messages, or the server was
// closed before the call. Contexts of handlers have the values of ctx, but do not end with it.
//
// With MCP_TRACE=1 in the environment, Serve prints every message on stderr.
func (s *Server) Serve(ctx context.Context, t transport.Conn) error {
	return s.host.Serve(ctx, t, s.callerOf(ctx))
}

// Close ends all connections as if their input had ended. It returns nil, when all calls of Serve have returned and all
// watchers have ended. A handler must not call it.
func (s *Server) Close() error {
	s.host.Close()
	var ends sync.WaitGroup // tasks and connections end together, within one time of grace
	if s.tasks != nil {
		ends.Go(func() { s.tasks.Close(s.host.Grace) })
	}
	s.host.Wait()
	ends.Wait()
	if s.extensions != nil {
		s.extensions.Close(s.host.Grace)
	}
	disconnectReplicas(s)
	s.leaveMembers()
	s.detachLive()
	s.host.Hub.Close()
	return nil
}

// leaveMembers undoes Join: s is no container of its members any more.
func (s *Server) leaveMembers() {
	for _, p := range s.joins.members {
		p.changeContainers(func(list []container) []container {
			return slices.DeleteFunc(list, func(o container) bool { return o.of == s })
		})
		linkReplicas(p.of)
	}
}

// HostOf returns the [session.Host] of s.
func HostOf(s *Server) *session.Host { return &s.host }

// initHost sets the fields of the host of s. s must have its capabilities, and the host its logger and its seal. The
// host calls functions of s for all work that depends on features.
func (s *Server) initHost() {
	h, o := &s.host, &s.opts
	h.Name, h.Logs = s.features.Info.Name, s.features.Capabilities.Logging != nil
	h.Meta.ServerInfo = &s.features.Info
	h.MaxFileBytes, h.Observer, h.ShowErrors = o.MaxFileBytes, o.Observer, o.ShowErrors
	h.MaxInFlight = firstPositive(o.MaxInFlight, defaultMaxInFlight)
	h.MaxQuestions = firstPositive(o.MaxQuestions, defaultMaxQuestions)
	h.Grace = firstPositive(o.Grace, defaultGrace)
	h.AskTimeout = firstPositive(o.AskTimeout, defaultAskTimeout)
	h.UpdateDelay = max(cmp.Or(o.UpdateDelay, defaultUpdateDelay), 0)
	h.Limits = pubsub.Limits{
		URIs:    firstPositive(o.MaxSubscriptions, defaultMaxSubscriptions),
		Listens: firstPositive(o.MaxListens, defaultMaxListens),
	}
	h.Hub, h.Extensions, h.Publisher = s.newHub(), s.features.Extensions, s
	h.NewHandler = func(w *session.Worker) session.Handler { return newHandler(s, w) }
	s.subs.Config = subscribe.Config{
		Registry: &s.registry, Hub: h.Hub, Fenced: s.linked.Fenced, Filters: s.filters,
	}
	h.Encoder = s.subs.Encoder
	h.Lists, h.Opened = s.subs.Lists, s.added.open
	h.Blind = func() <-chan struct{} {
		_, blind := Fenced(s)
		return blind
	}
}

type callerKey struct{}

// WithCaller returns a context for [Server.Serve] that carries the caller of the connection. With another context the
// caller is [Options.Caller].
func WithCaller(ctx context.Context, who call.Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, who)
}

// callerOf returns the caller of a connection: that of [WithCaller], or [Options.Caller].
func (s *Server) callerOf(ctx context.Context) call.Caller {
	if who, ok := ctx.Value(callerKey{}).(call.Caller); ok {
		return who
	}
	return s.opts.Caller
}
