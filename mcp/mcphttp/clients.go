package mcphttp

import (
	"net"
	"net/http"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
)

// bySubject begins the name of a client that is told by its subject.
const bySubject = "s "

// client names whom limits count: a subject, else an address.
func client(r *http.Request, who mcp.Caller) string {
	if who.Subject != "" {
		return bySubject + who.Subject
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	return "a " + host
}

// usage is what one client has open: sessions, streams, and requests that wait for a person.
type usage struct{ sessions, streams, waiting int }

// wait counts a request that waits for a person, and not among those under way. It is false if there are too many.
func (h *handler) wait(name string) (resume func(), ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	u := h.clients[name]
	if u == nil {
		u = new(usage)
	}
	if h.waiting >= h.opts.MaxWaiting || u.waiting >= h.opts.MaxPerClient {
		return nil, false
	}
	h.clients[name] = u
	u.waiting++
	h.waiting++
	h.running.Add(-1)
	return func() {
		h.running.Add(1)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.waiting--
		if u.waiting--; *u == (usage{}) {
			delete(h.clients, name)
		}
	}, true
}

// useStream counts a stream that is opened. It is false if there are too many.
func (h *handler) useStream(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	u := h.clients[name]
	if u == nil {
		u = new(usage)
	}
	most := h.opts.MaxPerClient
	if strings.HasPrefix(name, bySubject) {
		most = h.perSubject
	}
	if int(h.streams.Load()) >= h.opts.MaxStreams || u.streams >= most {
		return false
	}
	h.clients[name] = u
	u.streams++
	h.streams.Add(1)
	return true
}

// endStream counts a stream that has ended.
func (h *handler) endStream(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	u := h.clients[name]
	u.streams--
	h.streams.Add(-1)
	if *u == (usage{}) {
		delete(h.clients, name)
	}
}

// tooMany is the answer to what would be one too many.
func tooMany(what string) *refusal {
	return &refusal{http.StatusServiceUnavailable, "too many " + what + ": try again later"}
}
