package mcphttp

import (
	"net/http"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
)

// client returns what the client of a request has. The caller gives it back with drop.
func (h *handler) client(r *http.Request, who mcp.Caller) *usage {
	if who.Subject != "" {
		return h.admit.hold(clientKey{subject: who.Subject})
	}
	return h.admit.hold(clientKey{addr: network(h.proxies.client(r))})
}

// wait counts a request of u that waits for a person, and not among those under way. It is false if there are too many.
func (h *handler) wait(u *usage) (resume func(), ok bool) {
	if !h.admit.take(u, waiting, 1) {
		h.admit.deny(waiting)
		return nil, false
	}
	u = h.admit.again(u)
	h.admit.give(u, requests, 1)
	return func() {
		h.admit.retake(u, requests, 1)
		h.admit.give(u, waiting, 1)
		h.admit.drop(u)
	}, true
}

// tooMany is the answer to what would be one too many. It is counted.
func (h *handler) tooMany(r resource) *web.Refusal {
	h.admit.deny(r)
	return web.NewRefusal(http.StatusServiceUnavailable, "too many "+names[r]+": try again later")
}
