package server

import (
	"context"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/lists"
	"github.com/mcpgen/mcpgen/mcp/internal/pipeline"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
)

var (
	_ protocol.ServerHandler       = (*handler)(nil)
	_ protocol.NotificationHandler = (*handler)(nil)
)

// handler implements [session.Handler] for a Worker, and is the protocol.ServerHandler of its current request. Its
// methods run on the goroutine that has read the request. Until a method calls Enter, no later message is read. A
// request that runs no code of the user costs the server no allocation.
type handler struct {
	protocol.UnimplementedServerHandler // refuses the methods that handler lacks
	protocol.UnimplementedNotificationHandler
	*session.Worker
	s *Server

	pipeline   pipeline.Pipeline
	page       lists.Room
	result     resultBuffer // parts of the result being encoded
	operations operations
}

func newHandler(s *Server, w *session.Worker) *handler {
	return &handler{Worker: w, s: s, pipeline: pipeline.Pipeline{Worker: w, Limits: &s.usages}}
}

// Reset implements [session.Handler].
func (h *handler) Reset() {
	h.result.clear()
	h.pipeline.Forget()
	h.page.Trim(session.MaxSpare)
}

// operations holds the operations of one handler, to be used again, so that a request costs no allocation for its
// operation. Only one of them is in use at a time.
type operations struct {
	read     readOperation
	call     toolOperation
	get      promptOperation
	complete completion
}

// pong is the result of ping. It is made once, as a value of the interface, because the conversion costs an allocation.
var pong protocol.PingReply = protocol.Prepared("{}")

// Ping implements protocol.ServerHandler.
func (h *handler) Ping(context.Context, *protocol.RequestParams) (protocol.PingReply, error) {
	return pong, nil
}

// Cancelled implements protocol.NotificationHandler.
func (h *handler) Cancelled(_ context.Context, p *protocol.CancelledNotificationParams) {
	h.Conn.Log.Debug("mcp: the client has cancelled", "id", p.RequestID.String(), "reason", p.Reason)
	h.Conn.Cancel(p.RequestID)
}

// Initialized implements protocol.NotificationHandler.
func (h *handler) Initialized(context.Context, *protocol.NotificationParams) {
	if h.Conn.Revision() != 0 {
		h.Conn.MarkInitialized()
	}
}

// Progress implements protocol.NotificationHandler. It does nothing: progress does not prolong the wait for an answer.
func (h *handler) Progress(context.Context, *protocol.ProgressNotificationParams) {}

// RootsListChanged implements protocol.NotificationHandler. It does nothing, because roots are not stored: a handler
// that needs them asks the client each time.
func (h *handler) RootsListChanged(context.Context, *protocol.NotificationParams) {}

// SetLevel implements protocol.ServerHandler. It sets the least severe level of the log messages that a legacy session
// gets.
func (h *handler) SetLevel(ctx context.Context, p *protocol.SetLevelRequestParams) (protocol.SetLevelReply, error) {
	if h.s.features.Capabilities.Logging == nil {
		return nil, feature.ErrNoMethod
	}
	level, ok := call.LevelNamed(p.Level)
	if !ok {
		return nil, content.InvalidParams("/level: unknown level %q", p.Level)
	}
	if k := h.Conn.Keeper(); k != nil {
		if err := k.SetLevel(ctx, level); err != nil {
			return nil, err
		}
	}
	h.Conn.LogLevel.Store(int64(level))
	return &protocol.EmptyResult{}, nil
}

// Subscribe implements protocol.ServerHandler.
func (h *handler) Subscribe(_ context.Context, p *protocol.SubscribeRequestParams) (protocol.SubscribeReply, error) {
	return nil, h.s.subs.Subscribe(&h.pipeline, p.URI)
}

// Unsubscribe implements protocol.ServerHandler.
func (h *handler) Unsubscribe(_ context.Context, p *protocol.UnsubscribeRequestParams) (protocol.UnsubscribeReply,
	error) {
	return nil, h.s.subs.Unsubscribe(&h.pipeline, p.URI)
}

// SubscriptionsListen implements protocol.ServerHandler.
func (h *handler) SubscriptionsListen(_ context.Context,
	p *protocol.SubscriptionsListenRequestParams) (protocol.SubscriptionsListenReply, error) {
	h.SentBy(&p.Meta)
	return nil, h.s.subs.Listen(&h.pipeline, &p.Notifications)
}

// Request implements [session.Handler].
func (h *handler) Request(params, b []byte) ([]byte, error) {
	for _, a := range h.s.attached {
		if out, done, err := a.Request(&h.pipeline, params, b); done {
			return out, err
		}
	}
	return protocol.Dispatch(h.Values(), h, h.Rev, h.Method, h.Decoder(params), b)
}

// Notification implements [session.Handler].
func (h *handler) Notification(method, params []byte) {
	if x := h.s.extensions; x != nil && x.Notifies(method) {
		x.Notification(&h.pipeline, method, params)
		return
	}
	if err := protocol.DispatchNotification(h.Values(), h, h.Rev, method, h.Decoder(params)); err != nil {
		h.Conn.Log.Debug("mcp: notification ignored", "method", string(method), "err", err)
	}
}

// Offers implements [session.Handler].
func (h *handler) Offers(k feature.Kind, name string) bool {
	if k == feature.KindPrompt {
		return h.s.registry.Prompt(name, h.Rev) != nil
	}
	return h.s.tool(name, h.Rev) != nil
}

// ToolFailed implements [session.Handler].
func (h *handler) ToolFailed() bool { return h.pipeline.ToolFailed() }
