package mcphttp

import (
	"errors"
	"net"
	"net/http"

	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
)

// Serve serves hs at l with the limits of a [Command]: the number of connections ([Options].MaxConnections), and
// deadlines. It uses TLS if hs.TLSConfig is set. It returns the error of the method Serve of hs, which is never nil,
// and closes l.
//
//   - Each write on a connection has a deadline ([Options].AnswerTimeout), whoever makes it, and the body of each
//     request has one ([Options].ReadTimeout), whether its handler reads it or not. A handler that needs longer for a
//     body, such as an upload on another path, sets a later deadline with http.ResponseController.
//   - ReadHeaderTimeout, IdleTimeout and MaxHeaderBytes become 5 seconds, 2 minutes and 64 KiB, if they are not set;
//     ErrorLog becomes Options.Logger at level Debug. A WriteTimeout is an error, because it would end streams.
//   - The context of a request ends when its client has closed the connection, also if net/http does not notice because
//     the client had sent the beginning of another request before (over TCP on Linux).
//   - Handler, ConnState and ConnContext are wrapped. A nil Handler means http.DefaultServeMux.
//   - A stream may leave net/http, as [Handler] says. Its connection counts until it is closed.
//
// The connections count in the Stats of srv. Nothing of hs may be set after the call, and there is one call for each
// http.Server: a program with two listeners has two. Nil opts means the defaults.
func Serve(hs *http.Server, l net.Listener, srv Server, opts *Options) error {
	limited, err := limit(hs, l, srv, opts)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	return serveAt(hs, limited)
}

// limit applies the limits of opts to hs, and returns l with them.
func limit(hs *http.Server, l net.Listener, srv Server, opts *Options) (net.Listener, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	if srv == nil || srv.Base() == nil {
		return nil, errNilServer
	}
	if hs.WriteTimeout > 0 {
		return nil, errors.New("mcphttp: WriteTimeout of the http.Server is set: it would end streams")
	}
	if limits.Limited(hs) {
		return nil, errors.New("mcphttp: the http.Server is served already: make one for each listener")
	}
	all := opts.withDefaults()
	return all.httpServer().Limit(hs, l, server.CountersOf((*server.Server)(srv.Base()))), nil
}

// serveAt serves hs, over TLS if it has a TLSConfig.
func serveAt(hs *http.Server, l net.Listener) error {
	if hs.TLSConfig != nil {
		return hs.ServeTLS(l, "", "")
	}
	return hs.Serve(l)
}

// httpServer returns the limits for an http.Server. o has its defaults.
func (o *Options) httpServer() limits.HTTPServer {
	return limits.HTTPServer{Connections: o.connections(), Trusted: o.TrustedProxies, ReadTimeout: o.ReadTimeout,
		AnswerTimeout: o.AnswerTimeout, Logger: o.Logger}
}
