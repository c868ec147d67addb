package mcphttp

import (
	"net/http"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/eventlog"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// methodListen and methodStream are the requests whose response is always a stream. methodStream is spelled here,
// because only servers with events link the package of the extension io.modelcontextprotocol/events.
const (
	methodListen = protocol.MethodSubscriptionsListen
	methodStream = "events/stream"
)

// methodTasksUpdate is spelled here, because only servers with tasks link the package of the extension
// io.modelcontextprotocol/tasks.
const methodTasksUpdate = "tasks/update"

// modern handles a request of 2026-07-28, or a notification of an extension. The order of the checks is part of the
// protocol, because clients learn from the first error what kind of server this is. e was read from the body b. If the
// request opens a stream, the stream takes the bytes of b, and b becomes empty. answered is false if the client has
// left before anything was sent.
func (h *handler) modern(w http.ResponseWriter, r *http.Request, e *session.Envelope, b *limits.Body, who mcp.Caller,
	u *limits.Usage,
) (answered bool) {
	fault := e.Fault
	for _, check := range []func() *wire.Error{
		e.MetaFault,
		func() *wire.Error { return checkVersion(r, e) },
		e.VersionFault,
		func() *wire.Error { return checkHeaders(r, e, h.srv) },
	} {
		if fault == nil {
			fault = check()
		}
	}
	if fault != nil {
		web.AnswerError(w, http.StatusBadRequest, e, fault, h.counts)
		return true
	}
	p := &postWriter{Request: limits.NewRequest(h.admit, u), w: w, modern: true, asked: r.Context(), opts: &h.opts,
		opener: h.opener, id: e.Message.ID}
	defer p.close()
	method := string(e.Message.Method)
	if p.listens = method == methodListen || method == methodStream; p.listens {
		if fenced, _ := server.Fenced(h.srv); fenced {
			web.Refuse(w, eventlog.CutOff)
			return true
		}
		if !h.admit.Take(u, limits.Streams, 1) {
			web.Refuse(w, h.admit.TooMany(limits.Streams))
			return true
		}
		defer h.admit.Give(u, limits.Streams, 1)
		p.body = b.HandOver() // until the server calls ReleaseRequest
		defer p.ReleaseRequest()
		h.admit.Give(u, limits.Requests, 1) // the request counts as a stream instead
		defer h.admit.Retake(u, limits.Requests, 1)
	}
	server.HostOf(h.srv).Exchange(r.Context(), e, call.Caller(who), p)
	if e.Message.IsNotification() && !p.answered && p.stream == nil {
		w.WriteHeader(http.StatusAccepted)
	}
	return p.answered || p.stream != nil || r.Context().Err() == nil
}
