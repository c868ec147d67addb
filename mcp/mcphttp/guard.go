package mcphttp

import (
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
)

const (
	// maxEcho bounds, in bytes, what a refusal and its log record repeat of a header. No host name is longer.
	maxEcho = 255
)

// guard decides by the headers Host and Origin which requests are served. It is safe for concurrent use.
type guard struct {
	hosts, origins []string               // Options.AllowedHosts and AllowedOrigins
	known          atomic.Pointer[string] // the last host that was allowed: nearly all clients name the same
	log            *slog.Logger
	counts         *counters.Counters

	hostsRefused, originsRefused safelog.Sparse // bound how much strangers can make the server log
}

// check refuses requests that the web page of a stranger may have made a browser send. It reads no body.
func (g *guard) check(r *http.Request) *web.Refusal {
	if why := g.checkHost(r); why != nil {
		return why
	}
	if origin := r.Header.Get(originHeader); !g.allowsOrigin(r, origin) {
		g.counts.Refused[labels.RefusedOrigin].Add(1)
		origin = safelog.Text(origin, maxEcho)
		g.originsRefused.Log(g.log, slog.LevelWarn,
			"mcphttp: origin refused; to allow it set Options.AllowedOrigins or -allow-origin", "origin", origin)
		return web.NewRefusal(http.StatusForbidden, "origin "+origin+
			" is not allowed: set AllowedOrigins in mcphttp.Options, or start the server with -allow-origin")
	}
	return nil
}

// checkHost refuses requests for hosts that are not allowed.
func (g *guard) checkHost(r *http.Request) *web.Refusal {
	if !g.allowsHost(r) {
		g.counts.Refused[labels.RefusedHost].Add(1)
		host := safelog.Text(r.Host, maxEcho)
		g.hostsRefused.Log(g.log, slog.LevelWarn,
			"mcphttp: host refused; to allow it set Options.AllowedHosts or -allow-host", "host", host)
		return web.NewRefusal(http.StatusForbidden, "host "+host+
			" is not allowed: set AllowedHosts in mcphttp.Options, or start the server with -allow-host")
	}
	return nil
}

// allowsHost reports whether the Host of a request is an allowed name. A web page can make its own host name resolve to
// this machine, but the browser then still sends that name.
func (g *guard) allowsHost(r *http.Request) bool {
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && local.Network() == "unix" {
		return true // no page reaches a socket in the file system
	}
	if known := g.known.Load(); known != nil && *known == r.Host {
		return true
	}
	ok := slices.Contains(g.hosts, "*") || g.knowsHost(r.Host)
	if ok {
		g.known.Store(new(strings.Clone(r.Host)))
	}
	return ok
}

// knowsHost reports whether host, with or without a port, is local or allowed.
func (g *guard) knowsHost(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true // checked first, because what follows allocates
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
		name = "" // IPv6 addresses must have brackets, and nothing else may
	case err == nil && a.Zone() == "" && !a.Is4In6() && a.IsLoopback(), strings.EqualFold(name, "localhost"):
		return true
	}
	return slices.ContainsFunc(g.hosts, func(allowed string) bool {
		return name != "" && strings.EqualFold(allowed, name) || strings.EqualFold(allowed, host)
	})
}

// isPort reports whether s has only digits, at most five, or is empty.
func isPort(s string) bool {
	return len(s) <= 5 && strings.Trim(s, "0123456789") == ""
}

// allowsOrigin reports whether web pages of an origin may call the server. Only browsers send an origin.
func (g *guard) allowsOrigin(r *http.Request, origin string) bool {
	switch {
	case len(r.Header.Values(originHeader)) > 1:
		return false
	case origin == "" || slices.ContainsFunc(g.origins,
		func(o string) bool { return o == "*" || strings.EqualFold(o, origin) }):
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Path != "" || u.RawQuery != "" ||
		u.Fragment != "" {
		return false
	}
	return g.knowsHost(u.Host) || u.Host != "" && strings.EqualFold(u.Host, r.Host)
}
