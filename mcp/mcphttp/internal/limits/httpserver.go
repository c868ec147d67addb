package limits

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
)

// Limits for an http.Server that does not set them.
const (
	HeaderTimeout = 5 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10
)

// HTTPServer are the limits of an http.Server. All of them must be set.
type HTTPServer struct {
	Connections                Share
	Trusted                    []string      // proxies, as NewProxies takes them
	ReadTimeout, AnswerTimeout time.Duration // of a body, and of what is written
	Logger                     *slog.Logger
}

// Limit sets the limits on hs, and returns l with limits for connections. hs must serve at the listener that is
// returned. Connections are counted in counts.
func (o HTTPServer) Limit(hs *http.Server, l net.Listener, counts *counters.Counters) net.Listener {
	g := newGate(l, o, counts)
	if hs.Handler == nil {
		hs.Handler = http.DefaultServeMux
	}
	hs.Handler = &bounded{o, hs.Handler}
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
	hs.ReadHeaderTimeout = cmp.Or(hs.ReadHeaderTimeout, HeaderTimeout)
	hs.IdleTimeout = cmp.Or(hs.IdleTimeout, idleTimeout)
	hs.MaxHeaderBytes = cmp.Or(hs.MaxHeaderBytes, maxHeader)
	if hs.ErrorLog == nil {
		hs.ErrorLog = slog.NewLogLogger(o.Logger.Handler(), slog.LevelDebug)
	}
	return g
}

// Limited reports whether hs has limits already.
func Limited(hs *http.Server) bool {
	_, ok := hs.Handler.(*bounded)
	return ok
}

// bounded wraps a handler so that a client that stalls does not hold a request. It sets a deadline for the body, even
// if the handler does not read it, and one for what is still to be written when the handler has returned. Before that,
// the gate sets a deadline for each write. It does not end a handler that does not return.
type bounded struct {
	HTTPServer
	http.Handler
}

// ServeHTTP implements http.Handler.
func (b *bounded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	web.AwaitBody(w, r, b.ReadTimeout)
	defer web.EndSoon(w, b.AnswerTimeout)
	if !unframed(w, r) {
		b.Handler.ServeHTTP(w, r)
	}
}

// Serves reports whether the http.Server of r calls h with nothing in between but the handlers of this package and an
// [http.ServeMux].
func Serves(h http.Handler, r *http.Request) bool {
	hs, _ := r.Context().Value(http.ServerContextKey).(*http.Server)
	if hs == nil {
		return false
	}
	next := hs.Handler
	for {
		switch through := next.(type) {
		case nil:
			next = http.DefaultServeMux
		case *bounded:
			next = through.Handler
		case *http.ServeMux:
			next, _ = through.Handler(r)
		default:
			return next == h
		}
	}
}
