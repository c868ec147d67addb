package mcphttp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// authTimeout is how long Options.Authenticate may take.
const authTimeout = 10 * time.Second

// Errors of Options.Authenticate itself, as far as clients are concerned.
var (
	errAuthLate   = errors.New("Options.Authenticate takes too long")
	errAuthMany   = fmt.Errorf("%w: too many calls of it have not returned", errAuthLate)
	errAuthLeft   = errors.New("the client has left before Options.Authenticate has returned")
	errAuthFailed = errors.New("Options.Authenticate has panicked, or ended its goroutine")
)

// authenticate asks the program who makes a request. It waits for authTimeout at most, on a goroutine of its own: what
// does not look at the context of the request is left behind, and counts for its address until it returns.
func (h *handler) authenticate(r *http.Request) (mcp.Caller, error) {
	u := h.admit.Client(r, "")
	if !h.admit.Take(u, limits.Asking, 1) {
		h.admit.Deny(limits.Asking)
		h.admit.Drop(u)
		return mcp.Caller{}, errAuthMany
	}
	ctx, cancel := context.WithTimeout(r.Context(), authTimeout)
	defer cancel()
	type verdict struct {
		who mcp.Caller
		err error
	}
	said := make(chan verdict, 1)
	go func() {
		v := verdict{err: errAuthFailed}
		defer func() {
			h.admit.Give(u, limits.Asking, 1)
			h.admit.Drop(u)
			p := recover()
			if p != nil || v.err == errAuthFailed { //nolint:errorlint // the very error: the goroutine has ended
				h.counts.Panicked[stats.PanicAuthenticate].Add(1)
			}
			if p != nil {
				h.log.Error("mcphttp: panic in Options.Authenticate", "panic", p, "stack", string(debug.Stack()))
			}
			said <- v
		}()
		who, err := h.opts.Authenticate(r.WithContext(ctx))
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
