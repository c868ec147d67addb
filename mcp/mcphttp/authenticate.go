package mcphttp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
)

const (
	// authTimeout is how long Options.Authenticate may take.
	authTimeout = 10 * time.Second
	// maxLogged bounds what a record repeats of an error that a stranger has caused.
	maxLogged = 1 << 10
)

// authenticator finds out who makes a request. It is safe for concurrent use.
type authenticator struct {
	ask         func(*http.Request) (mcp.Caller, error) // Options.Authenticate
	readTimeout time.Duration                           // of a body
	admit       *limits.Admission
	log         *slog.Logger
	counts      *counters.Counters

	refused, late safelog.Sparse // what strangers can have logged
}

// Errors of Options.Authenticate itself, as far as clients are concerned.
var (
	errAuthLate   = errors.New("Options.Authenticate takes too long")
	errAuthMany   = fmt.Errorf("%w: too many calls of it have not returned", errAuthLate)
	errAuthLeft   = errors.New("the client has left before Options.Authenticate has returned")
	errAuthFailed = errors.New("Options.Authenticate has panicked, or ended its goroutine")
)

// clientKey is the key of the client in the context of a request whose caller is not known yet.
type clientKey struct{}

// ClientAddress returns the address for which the limits count a request until its caller is known: that of the client,
// behind trusted proxies too, and of IPv6 its network of 64 bits. It is for [Options.Authenticate], with the context of
// its request, so that what it limits itself can be fair. It is the zero Addr for clients that cannot be told from
// others, such as those of a Unix socket, and elsewhere.
func ClientAddress(ctx context.Context) netip.Addr {
	if u, ok := ctx.Value(clientKey{}).(*limits.Usage); ok {
		return u.Address()
	}
	return netip.Addr{}
}

// caller returns who makes the request. It answers the request and returns false if that is unknown.
func (a *authenticator) caller(w http.ResponseWriter, r *http.Request) (mcp.Caller, bool) {
	if a.ask == nil {
		return mcp.Caller{}, true
	}
	begin := time.Now()
	who, err := a.authenticate(r)
	switch {
	case err == nil:
		if time.Since(begin) > a.readTimeout/100 {
			web.AwaitBody(w, r, a.readTimeout) // the time that it took is not the time of the client
		}
		return who, true
	case errors.Is(err, errAuthLate):
		if err == errAuthLate { //nolint:errorlint // else it is counted already
			a.counts.Refused[labels.RefusedLateCaller].Add(1)
		}
		a.late.Log(a.log, slog.LevelError,
			"mcphttp: a request was refused: Options.Authenticate takes too long", "after", authTimeout)
		web.Refuse(w, web.NewRefusal(http.StatusServiceUnavailable, "who makes the request could not be found out in time"))
		return mcp.Caller{}, false
	case errors.Is(err, errAuthLeft):
		a.log.Debug("mcphttp: caller refused", "remote", r.RemoteAddr, "err", err)
		web.Refuse(w, web.NewRefusal(http.StatusServiceUnavailable, "who makes the request could not be found out in time"))
		return mcp.Caller{}, false
	case errors.Is(err, errAuthFailed):
		a.counts.Refused[labels.RefusedLateCaller].Add(1)
		web.Refuse(w, web.NewRefusal(http.StatusInternalServerError, "who makes the request could not be found out"))
		return mcp.Caller{}, false
	}
	a.refuse(w, r, err)
	return mcp.Caller{}, false
}

// refuse answers a request whose caller Options.Authenticate has refused with err.
func (a *authenticator) refuse(w http.ResponseWriter, r *http.Request, err error) {
	status, header := http.StatusUnauthorized, ""
	if c, ok := errors.AsType[*ChallengeError](err); ok {
		header = c.Header
		if c.Status != 0 {
			status = c.Status
		}
	}
	text := safelog.Text(err.Error(), maxLogged)
	if status >= http.StatusInternalServerError {
		a.counts.Refused[labels.RefusedLateCaller].Add(1)
		a.late.Log(a.log, slog.LevelError, "mcphttp: a request was refused: who makes it could not be found out", "err", text)
		web.Refuse(w, web.NewRefusal(status, "who makes the request could not be found out"))
		return
	}
	a.counts.Refused[labels.RefusedCaller].Add(1)
	a.refused.Log(a.log, slog.LevelInfo, "mcphttp: caller refused", "remote", r.RemoteAddr, "err", text)
	if header == "" && status == http.StatusUnauthorized {
		header = "Bearer"
	}
	if header != "" {
		w.Header().Set("WWW-Authenticate", header)
	}
	web.Explain(w, r, web.NewRefusal(status, "not authenticated"))
}

// authenticate asks the program who makes a request. It waits for authTimeout at most, on a goroutine of its own: what
// does not look at the context of the request is left behind, and counts for its address until it returns.
func (a *authenticator) authenticate(r *http.Request) (mcp.Caller, error) {
	u := a.admit.Client(r, "")
	if !a.admit.Take(u, limits.Asking, 1) {
		a.admit.Deny(limits.Asking)
		a.admit.Drop(u)
		return mcp.Caller{}, errAuthMany
	}
	ctx, cancel := context.WithTimeout(context.WithValue(r.Context(), clientKey{}, u), authTimeout)
	defer cancel()
	type verdict struct {
		who mcp.Caller
		err error
	}
	said := make(chan verdict, 1)
	go func() {
		v := verdict{err: errAuthFailed}
		defer func() {
			a.admit.Give(u, limits.Asking, 1)
			a.admit.Drop(u)
			p := recover()
			if p != nil || v.err == errAuthFailed { //nolint:errorlint // the very error: the goroutine has ended
				a.counts.Panicked[labels.PanicAuthenticate].Add(1)
			}
			if p != nil {
				a.log.Error("mcphttp: panic in Options.Authenticate", "panic", p, "stack", string(debug.Stack()))
			}
			said <- v
		}()
		who, err := a.ask(r.WithContext(ctx))
		v = verdict{who, err}
	}()
	select {
	case v := <-said:
		return v.who, v.err
	case <-ctx.Done():
		if r.Context().Err() != nil {
			return mcp.Caller{}, errAuthLeft
		}
		return mcp.Caller{}, errAuthLate
	}
}
