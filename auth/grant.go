package auth

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"
)

// grantKey is the key of the grant in the context of a request.
type grantKey struct{}

// grant is the token of a request, where only this package finds it.
type grant struct {
	server *ResourceServer
	token  atomic.Pointer[secret] // nil until the request is authenticated
	bound  atomic.Bool            // the token came with a proof of DPoP
}

// secret is a token that is valid until a time, and the client that has sent it.
type secret struct {
	text   string
	until  time.Time
	client netip.Addr
}

// String implements fmt.Stringer, so that nobody prints a token by accident.
func (*grant) String() string { return "auth.grant" }

// granting wraps the endpoint: handlers can exchange the token, and a request that takes long ends when the issuer or
// the program says that the token does not count any more.
func (s *ResourceServer) granting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g := &grant{server: s}
		ctx, cancel := context.WithCancel(context.WithValue(r.Context(), grantKey{}, g))
		defer cancel()
		if s.opts.Introspect || s.opts.Caller != nil {
			defer time.AfterFunc(remember, func() { g.watch(ctx, cancel) }).Stop()
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// watch ends the request of g once its token is refused, or nobody says that it counts. It returns when the request has
// ended.
func (g *grant) watch(ctx context.Context, end func()) {
	for away := false; ; {
		var err error
		if token := g.token.Load(); token != nil {
			_, err = g.server.verify(ctx, token.client, token.text)
		}
		_, unknown := errors.AsType[*unavailableError](err)
		pause := remember
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && (away || !unknown):
			end()
			g.server.log(slog.LevelInfo, "auth: a stream ends: its token does not count any more", "err", err)
			return
		case err != nil:
			pause = minInterval // a moment without an issuer is not the end of all streams
		}
		away = err != nil
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}
