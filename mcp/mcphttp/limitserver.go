package mcphttp

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"

	"github.com/mcpgen/mcpgen/mcp/internal/server"
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
	return limitServer(hs, l, &all, server.CountersOf((*server.Server)(srv.Base()))), nil
}

// limitServer is LimitServer with options that are complete.
func limitServer(hs *http.Server, l net.Listener, opts *Options, counts *server.Counters) net.Listener {
	g := newGate(l, opts, counts)
	if hs.Handler == nil {
		hs.Handler = http.DefaultServeMux
	}
	hs.Handler = bounded(hs.Handler, opts)
	state := hs.ConnState
	hs.ConnState = func(c net.Conn, s http.ConnState) {
		g.state(c, s)
		if state != nil {
			state(c, s)
		}
	}
	values := hs.ConnContext
	hs.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if values != nil {
			ctx = values(ctx, c)
		}
		return g.context(ctx, c)
	}
	set(&hs.ReadHeaderTimeout, headerTimeout)
	set(&hs.IdleTimeout, idleTimeout)
	set(&hs.MaxHeaderBytes, maxHeader)
	if hs.ErrorLog == nil {
		hs.ErrorLog = slog.NewLogLogger(opts.Logger.Handler(), slog.LevelDebug)
	}
	return g
}
