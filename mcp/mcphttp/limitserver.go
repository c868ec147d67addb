package mcphttp

import (
	"errors"
	"net"
	"net/http"

	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
)

// LimitServer gives an http.Server of the program what a [Command] has: it returns l with the limits of opts on
// connections ([Options].MaxConnections), for hs.Serve or hs.ServeTLS, and sets on hs what these need.
//
//   - Each write on a connection has a deadline ([Options].AnswerTimeout), whoever makes it, and the body of each
//     request has one ([Options].ReadTimeout), whether its handler reads it or not. A handler that needs longer for a
//     body, such as an upload on another path, sets a later deadline with http.ResponseController.
//   - ReadHeaderTimeout, IdleTimeout and MaxHeaderBytes become 5 seconds, 2 minutes and 64 KiB, if they are not set;
//     ErrorLog becomes Options.Logger at level Debug.
//   - The context of a request ends when its client has closed the connection, also if net/http does not notice because
//     the client had sent the beginning of another request before (over TCP on Linux).
//   - Handler, ConnState and ConnContext are wrapped, so set them before. A nil Handler means http.DefaultServeMux.
//   - A stream may leave net/http, as [Handler] says. Its connection counts until it is closed.
//
// The connections count in the Stats of srv. LimitServer is called for each listener, before hs serves. Nil opts means
// the defaults.
func LimitServer(hs *http.Server, l net.Listener, srv Server, opts *Options) (net.Listener, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	if srv == nil || srv.Base() == nil {
		return nil, errNilServer
	}
	if hs.WriteTimeout > 0 {
		return nil, errors.New("mcphttp: WriteTimeout of the http.Server is set: it would end streams")
	}
	all := opts.withDefaults()
	return all.httpServer().Limit(hs, l, server.CountersOf((*server.Server)(srv.Base()))), nil
}

// httpServer returns the limits of an http.Server, given that the defaults are set.
func (o *Options) httpServer() limits.HTTPServer {
	return limits.HTTPServer{Connections: o.connections(), Trusted: o.TrustedProxies, ReadTimeout: o.ReadTimeout,
		AnswerTimeout: o.AnswerTimeout, Logger: o.Logger}
}
