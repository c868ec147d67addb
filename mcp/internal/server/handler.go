package server

import (
	"context"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
)

var (
	_ protocol.ServerHandler       = (*handler)(nil)
	_ protocol.NotificationHandler = (*handler)(nil)
)

// pong is made once, as an interface: converting a slice to one costs an allocation.
var pong protocol.PingReply = protocol.Prepared("{}")

// Ping implements protocol.ServerHandler.
func (h *handler) Ping(context.Context, *protocol.RequestParams) (protocol.PingReply, error) {
	return pong, nil
}

// Subscribe implements protocol.ServerHandler.
func (h *handler) Subscribe(_ context.Context, p *protocol.SubscribeRequestParams) (protocol.SubscribeReply, error) {
	return nil, subscriber{(*worker)(h)}.subscribe(p.URI)
}

// Unsubscribe implements protocol.ServerHandler.
func (h *handler) Unsubscribe(_ context.Context, p *protocol.UnsubscribeRequestParams) (protocol.UnsubscribeReply,
	error) {
	return nil, subscriber{(*worker)(h)}.unsubscribe(p.URI)
}

// SubscriptionsListen implements protocol.ServerHandler.
func (h *handler) SubscriptionsListen(_ context.Context,
	p *protocol.SubscriptionsListenRequestParams) (protocol.SubscriptionsListenReply, error) {
	h.clientMeta = &p.Meta
	return nil, subscriber{(*worker)(h)}.listen(&p.Notifications)
}

// Cancelled implements protocol.NotificationHandler.
func (h *handler) Cancelled(_ context.Context, p *protocol.CancelledNotificationParams) {
	h.c.Log.Debug("mcp: the client has cancelled", "id", p.RequestID.String(), "reason", p.Reason)
	h.c.cancel(p.RequestID)
}

// Initialized implements protocol.NotificationHandler.
func (h *handler) Initialized(context.Context, *protocol.NotificationParams) {
	if h.c.session() != 0 {
		h.c.markInitialized()
	}
}

// Progress implements protocol.NotificationHandler. Questions to the client do not wait longer for it.
func (h *handler) Progress(context.Context, *protocol.ProgressNotificationParams) {}

// RootsListChanged implements protocol.NotificationHandler. Roots are asked for anew each time.
func (h *handler) RootsListChanged(context.Context, *protocol.NotificationParams) {}

// SetLevel implements protocol.ServerHandler: it says from which level on a legacy session gets log messages.
func (h *handler) SetLevel(ctx context.Context, p *protocol.SetLevelRequestParams) (protocol.SetLevelReply, error) {
	if h.c.s.features.Capabilities.Logging == nil {
		return nil, errNoMethod
	}
	level, ok := call.LevelNamed(p.Level)
	if !ok {
		return nil, content.InvalidParams("/level: unknown level %q", p.Level)
	}
	if k := h.c.keeper(); k != nil {
		if err := k.SetLevel(ctx, level); err != nil {
			return nil, err
		}
	}
	h.c.LogLevel.Store(int64(level))
	return &protocol.EmptyResult{}, nil
}
