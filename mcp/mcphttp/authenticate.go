package mcphttp

import (
	"context"
	"errors"
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
	// maxLogged bounds the error text in a log record, in bytes, because a stranger may have caused the error.
	maxLogged = 1 << 10
)

// authenticator finds out who makes a request. It is safe for concurrent use.
type authenticator struct {
	ask    func(*http.Request) (mcp.Caller, error) // Options.Authenticate
	admit  *limits.Admission
	log    *slog.Logger
	counts *counters.Counters

	readTimeout, answerTimeout time.Duration // of a body, and of what is written

	refused, late safelog.Sparse // bound how much strangers can make the server log
}

// The errors for clients when Options.Authenticate itself fails.
var (
	errAuthLate   = errors.New("Options.Authenticate takes too long")
	errAuthMany   = errors.New("too many calls of Options.Authenticate have not returned")
	errAuthLeft   = errors.New("the client has left before Options.Authenticate has returned")
	errAuthFailed = errors.New("Options.Authenticate has panicked, or ended its goroutine")
	// errAuthAnswered is the error of a call that has returned after its request was answered.
	errAuthAnswered = errors.New("Options.Authenticate has returned too late")
)

// clientKey is the key of the client in the context of a request whose caller is not known yet.
type clientKey struct{}

// ClientAddress returns the address for which the limits count a request until its caller is known. It is the address
// of the client, also behind trusted proxies; for IPv6 it is the network of 64 bits. Call it in [Options.Authenticate]
// with the context of the request, to limit clients there. It is the zero Addr for clients that cannot be told apart,
// such as those of a Unix socket, and with other contexts.
func ClientAddress(ctx context.Context) netip.Addr {
	if u, ok := ctx.Value(clientKey{}).(*limits.Usage); ok {
		return u.Address()
	}
	return netip.Addr{}
}

// caller returns the caller of a request. If it is unknown, caller answers the request and returns false.
func (a *authenticator) caller(w http.ResponseWriter, r *http.Request) (mcp.Caller, bool) {
	if a.ask == nil {
		return mcp.Caller{}, true
	}
	begin := time.Now()
	who, err := a.authenticate(w, r)
	switch {
	case err == nil:
		if time.Since(begin) > a.readTimeout/100 {
			web.AwaitBody(w, r, a.readTimeout) // begins anew: the client gets all of its time for the body
		}
		return who, true
	case errors.Is(err, errAuthAnswered):
	case errors.Is(err, errAuthLate), errors.Is(err, errAuthMany):
		a.refuseLate(w)
		a.logLate(!errors.Is(err, errAuthMany)) // authenticate has counted errAuthMany
	case r.Context().Err() != nil:
		a.log.Debug("mcphttp: caller refused", "remote", r.RemoteAddr, "err", errAuthLeft)
		a.refuseLate(w)
	case errors.Is(err, errAuthFailed):
		a.refuseFailed(w)
	default:
		a.refuse(w, r, err)
	}
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

// authenticate asks the program who makes a request, on the goroutine of the request. If that takes longer than
// authTimeout, because the program ignores the context of the request, the request is answered meanwhile. The limits
// count the request for its address until the program returns.
func (a *authenticator) authenticate(w http.ResponseWriter, r *http.Request) (who mcp.Caller, err error) {
	u := a.admit.Client(r, "")
	defer a.admit.Drop(u)
	if !a.admit.Take(u, limits.Asking, 1) {
		a.admit.Deny(limits.Asking)
		return mcp.Caller{}, errAuthMany
	}
	defer a.admit.Give(u, limits.Asking, 1)
	x := &asking{Context: r.Context(), client: u, deadline: time.Now().Add(authTimeout)}
	late := time.AfterFunc(authTimeout, func() {
		if x.answer(func() { a.answerNow(w, a.refuseLate) }) {
			a.logLate(true)
		}
	})
	returned := false
	defer func() {
		late.Stop()
		answered := !x.end()
		if !returned {
			err = errAuthFailed
			a.panicked(recover(), func() {
				if !answered {
					a.answerNow(w, a.refuseFailed)
				}
			})
		}
		if answered {
			err = errAuthAnswered
		}
	}()
	who, err = a.ask(r.WithContext(x))
	if returned = true; err != nil && !time.Now().Before(x.deadline) {
		err = errAuthLate
	}
	return who, err
}

// panicked counts a call of Options.Authenticate that did not return. p is the value of the panic. If p is nil, the
// program has ended the goroutine, and panicked calls exit.
func (a *authenticator) panicked(p any, exit func()) {
	a.counts.Panicked[labels.PanicAuthenticate].Add(1)
	if p == nil {
		exit()
		return
	}
	a.log.Error("mcphttp: panic in Options.Authenticate", "panic", p, "stack", string(debug.Stack()))
}

// answerNow answers a request whose goroutine may return to net/http late, or never.
func (a *authenticator) answerNow(w http.ResponseWriter, refuse func(http.ResponseWriter)) {
	w.Header().Set("Connection", "close")
	web.EndSoon(w, a.answerTimeout)
	refuse(w)
	_ = http.NewResponseController(w).Flush()
}

// refuseLate answers a request for which Options.Authenticate has taken too long.
func (a *authenticator) refuseLate(w http.ResponseWriter) {
	web.Refuse(w, web.NewRefusal(http.StatusServiceUnavailable, "who makes the request could not be found out in time"))
}

// logLate logs that Options.Authenticate takes too long. If count is set, it also counts the refusal.
func (a *authenticator) logLate(count bool) {
	if count {
		a.counts.Refused[labels.RefusedLateCaller].Add(1)
	}
	a.late.Log(a.log, slog.LevelError, "mcphttp: a request was refused: Options.Authenticate takes too long",
		"after", authTimeout)
}

// refuseFailed answers a request for which Options.Authenticate has panicked or ended its goroutine.
func (a *authenticator) refuseFailed(w http.ResponseWriter) {
	a.counts.Refused[labels.RefusedLateCaller].Add(1)
	web.Refuse(w, web.NewRefusal(http.StatusInternalServerError, "who makes the request could not be found out"))
}
