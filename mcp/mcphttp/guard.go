package mcphttp

import (
	"errors"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
)

// guard refuses what may not even be looked at: requests that a web page was tricked into sending,
// and those of an unknown caller.
func (h *handler) guard(r *http.Request) *refusal {
	if !h.allowsHost(r) {
		h.log.Warn("mcphttp: host refused; to allow it set Options.AllowedHosts or -allow-host", "host", r.Host)
		return &refusal{http.StatusForbidden, "host " + r.Host +
			" is not allowed: set AllowedHosts in mcphttp.Options, or start the server with -allow-host"}
	}
	if origin := r.Header.Get(originHeader); !h.allowsOrigin(r, origin) {
		h.log.Warn("mcphttp: origin refused; to allow it set Options.AllowedOrigins or -allow-origin", "origin", origin)
		return &refusal{http.StatusForbidden, "origin " + origin +
			" is not allowed: set AllowedOrigins in mcphttp.Options, or start the server with -allow-origin"}
	}
	return nil
}

// allowsHost reports whether the client has called the server by a name that is its own. A page that
// makes a browser resolve its own name to this machine still calls by that name.
func (h *handler) allowsHost(r *http.Request) bool {
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && local.Network() == "unix" {
		return true // no page reaches a socket in the file system
	}
	return slices.Contains(h.opts.AllowedHosts, "*") || h.knowsHost(r.Host)
}

// knowsHost reports whether host, which may have a port, is local or allowed.
func (h *handler) knowsHost(host string) bool {
	name := host
	if n, port, err := net.SplitHostPort(host); err == nil && isPort(port) {
		name = n
	} else if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		name = host[1 : len(host)-1]
	}
	if strings.EqualFold(name, "localhost") {
		return true
	}
	if a, err := netip.ParseAddr(name); err == nil && a.Zone() == "" && (a.Is4() || a.Is6() && !a.Is4In6()) &&
		a.IsLoopback() {
		return true
	}
	return slices.ContainsFunc(h.opts.AllowedHosts, func(allowed string) bool {
		return strings.EqualFold(allowed, name) || strings.EqualFold(allowed, host)
	})
}

// isPort reports whether s is a number, or nothing.
func isPort(s string) bool {
	return len(s) <= 5 && strings.Trim(s, "0123456789") == ""
}

// allowsOrigin reports whether the page that a browser names may call the server. Other clients
// name none.
func (h *handler) allowsOrigin(r *http.Request, origin string) bool {
	switch {
	case len(r.Header.Values(originHeader)) > 1:
		return false
	case origin == "" || slices.ContainsFunc(h.opts.AllowedOrigins,
		func(o string) bool { return o == "*" || strings.EqualFold(o, origin) }):
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Path != "" || u.RawQuery != "" ||
		u.Fragment != "" {
		return false
	}
	return h.knowsHost(u.Host) || u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// acceptable refuses bodies and answers of the wrong type. A page can send some types without asking
// the browser first, JSON is none of them.
func acceptable(r *http.Request) *refusal {
	kind, _, err := mime.ParseMediaType(strings.Join(r.Header.Values("Content-Type"), ",")) // two of them are none
	if err != nil || kind != "application/json" {
		return &refusal{http.StatusUnsupportedMediaType, "the Content-Type must be application/json"}
	}
	if r.Header.Get("Content-Encoding") != "" {
		return &refusal{http.StatusUnsupportedMediaType, "the body must not have a Content-Encoding"}
	}
	if !accepts(r, "application", "json") || !accepts(r, "text", "event-stream") {
		return &refusal{http.StatusNotAcceptable, "Accept must list application/json and text/event-stream"}
	}
	return nil
}

// accepts reports whether the client takes answers of a type. Without an Accept header it takes all.
func accepts(r *http.Request, kind, sub string) bool {
	values := r.Header.Values("Accept")
	for _, v := range values {
		for item := range strings.SplitSeq(v, ",") {
			item, _, _ = strings.Cut(item, ";")
			k, s, _ := strings.Cut(strings.ToLower(strings.TrimSpace(item)), "/")
			if (k == kind || k == "*") && (s == sub || s == "*") {
				return true
			}
		}
	}
	return len(values) == 0
}

// caller returns who makes the request. It answers the request and returns false if that is unknown.
func (h *handler) caller(w http.ResponseWriter, r *http.Request) (mcp.Caller, bool) {
	if h.opts.Authenticate == nil {
		return mcp.Caller{}, true
	}
	who, err := h.authenticate(r)
	switch {
	case err == nil:
		return who, true
	case errors.Is(err, errAuthLate):
		h.log.Error("mcphttp: a request was refused: Options.Authenticate takes too long", "after", authTimeout)
		refuse(w, &refusal{http.StatusServiceUnavailable, "who makes the request could not be found out in time"})
		return mcp.Caller{}, false
	case errors.Is(err, errAuthLeft):
		h.log.Debug("mcphttp: caller refused", "remote", r.RemoteAddr, "err", err)
		refuse(w, &refusal{http.StatusServiceUnavailable, "who makes the request could not be found out in time"})
		return mcp.Caller{}, false
	case errors.Is(err, errAuthFailed):
		refuse(w, &refusal{http.StatusInternalServerError, "who makes the request could not be found out"})
		return mcp.Caller{}, false
	}
	status, header := http.StatusUnauthorized, "Bearer"
	if c, ok := errors.AsType[*ChallengeError](err); ok {
		if c.Header != "" {
			header = c.Header
		}
		if c.Forbidden {
			status = http.StatusForbidden
		}
	}
	h.log.Info("mcphttp: caller refused", "remote", r.RemoteAddr, "err", err)
	w.Header().Set("WWW-Authenticate", header)
	explain(w, r, &refusal{status, "not authenticated"})
	return mcp.Caller{}, false
}
