package mcphttp

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

const (
	// maxEcho bounds what a refusal, and its record, repeat of a header; no name of a host is longer.
	maxEcho = 255
	// maxLogged bounds what a record repeats of an error that a stranger has caused.
	maxLogged = 1 << 10
)

// guard refuses what may not even be looked at: requests that a web page was tricked into sending,
// and those of an unknown caller.
func (h *handler) guard(r *http.Request) *web.Refusal {
	if !h.allowsHost(r) {
		h.refused(stats.RefusedHost)
		host := safelog.Text(r.Host, maxEcho)
		h.hostsRefused.Log(h.log, slog.LevelWarn,
			"mcphttp: host refused; to allow it set Options.AllowedHosts or -allow-host", "host", host)
		return web.NewRefusal(http.StatusForbidden, "host "+host+
			" is not allowed: set AllowedHosts in mcphttp.Options, or start the server with -allow-host")
	}
	if origin := r.Header.Get(originHeader); !h.allowsOrigin(r, origin) {
		h.refused(stats.RefusedOrigin)
		origin = safelog.Text(origin, maxEcho)
		h.originsRefused.Log(h.log, slog.LevelWarn,
			"mcphttp: origin refused; to allow it set Options.AllowedOrigins or -allow-origin", "origin", origin)
		return web.NewRefusal(http.StatusForbidden, "origin "+origin+
			" is not allowed: set AllowedOrigins in mcphttp.Options, or start the server with -allow-origin")
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
	if strings.EqualFold(host, "localhost") {
		return true // before what allocates
	}
	name := host
	if n, port, err := net.SplitHostPort(host); err == nil && isPort(port) {
		name = n
	} else if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		name = host[1 : len(host)-1]
	}
	a, err := netip.ParseAddr(name)
	switch bracketed := strings.HasPrefix(host, "["); {
	case bracketed != (err == nil && a.Is6()):
		name = "" // brackets are for IPv6, and IPv6 is for brackets
	case err == nil && a.Zone() == "" && !a.Is4In6() && a.IsLoopback(), strings.EqualFold(name, "localhost"):
		return true
	}
	return slices.ContainsFunc(h.opts.AllowedHosts, func(allowed string) bool {
		return name != "" && strings.EqualFold(allowed, name) || strings.EqualFold(allowed, host)
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

// caller returns who makes the request. It answers the request and returns false if that is unknown.
func (h *handler) caller(w http.ResponseWriter, r *http.Request) (mcp.Caller, bool) {
	if h.opts.Authenticate == nil {
		return mcp.Caller{}, true
	}
	who, err := h.authenticate(r)
	switch {
	case err == nil:
		web.AwaitBody(w, r, h.opts.ReadTimeout) // the time that it took is not the time of the client
		return who, true
	case errors.Is(err, errAuthLate):
		if err == errAuthLate { //nolint:errorlint // else it is counted already
			h.refused(stats.RefusedLateCaller)
		}
		h.callersLate.Log(h.log, slog.LevelError,
			"mcphttp: a request was refused: Options.Authenticate takes too long", "after", authTimeout)
		web.Refuse(w, web.NewRefusal(http.StatusServiceUnavailable, "who makes the request could not be found out in time"))
		return mcp.Caller{}, false
	case errors.Is(err, errAuthLeft):
		h.log.Debug("mcphttp: caller refused", "remote", r.RemoteAddr, "err", err)
		web.Refuse(w, web.NewRefusal(http.StatusServiceUnavailable, "who makes the request could not be found out in time"))
		return mcp.Caller{}, false
	case errors.Is(err, errAuthFailed):
		h.refused(stats.RefusedLateCaller)
		web.Refuse(w, web.NewRefusal(http.StatusInternalServerError, "who makes the request could not be found out"))
		return mcp.Caller{}, false
	}
	h.refused(stats.RefusedCaller)
	status, header := http.StatusUnauthorized, "Bearer"
	if c, ok := errors.AsType[*ChallengeError](err); ok {
		if c.Header != "" {
			header = c.Header
		}
		if c.Forbidden {
			status = http.StatusForbidden
		}
	}
	h.callersRefused.Log(h.log, slog.LevelInfo, "mcphttp: caller refused", "remote", r.RemoteAddr,
		"err", safelog.Text(err.Error(), maxLogged))
	w.Header().Set("WWW-Authenticate", header)
	web.Explain(w, r, web.NewRefusal(status, "not authenticated"))
	return mcp.Caller{}, false
}
