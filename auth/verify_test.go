package auth_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/auth"
	"github.com/mcpgen/mcpgen/mcp"
)

// opaque returns a rig that asks its issuer about each token; says answers, after a second.
func opaque(t testing.TB, o auth.Options, says func(token string) claims) *rig {
	t.Helper()
	o.Introspect, o.ClientID, o.ClientSecret = true, "server", "s"
	r := newRig(t, o)
	r.issuer.set("/introspect", func(w http.ResponseWriter, req *http.Request) {
		time.Sleep(time.Second)
		_ = json.NewEncoder(w).Encode(says(req.FormValue("token")))
	})
	return r
}

// active is what an issuer says of a token that counts.
func active(string) claims {
	return claims{"active": true, "aud": resource, "sub": "ann", "scope": "vault"}
}

// all calls a tool n times at once with one token, and returns how many got a status.
func (r *rig) all(n int, token string) map[int]int {
	var mu sync.Mutex
	var group sync.WaitGroup
	got := make(map[int]int)
	for range n {
		group.Go(func() {
			w := r.call("whoami", "Authorization", "Bearer "+token)
			mu.Lock()
			defer mu.Unlock()
			got[w.Code]++
		})
	}
	group.Wait()
	return got
}

// Requests that come at once with a token that nobody knows ask once: the issuer, and Options.Caller.
func TestOneCheckForEachToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var called atomic.Int32
		r := opaque(t, auth.Options{Caller: func(_ context.Context, tok *auth.Token) (mcp.Caller, error) {
			called.Add(1)
			return mcp.Caller{Subject: tok.Subject}, nil
		}}, func(token string) claims {
			c := active(token)
			c["active"] = token == "good"
			return c
		})
		defer r.srv.Close()
		for token, status := range map[string]int{"good": 200, "bad": 401} {
			before := r.issuer.count("/introspect")
			if got := r.all(100, token); got[status] != 100 {
				t.Errorf("%s: %v", token, got)
			}
			if n := r.issuer.count("/introspect") - before; n != 1 {
				t.Errorf("%s: %d questions, want 1", token, n)
			}
		}
		if n := called.Load(); n != 1 {
			t.Errorf("Options.Caller was called %d times", n)
		}
	})
}

// The request that has begun a check leaves; the others that wait for it get its result.
func TestFirstRequestLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opaque(t, auth.Options{}, active)
		defer r.srv.Close()
		ctx, cancel := context.WithCancel(t.Context())
		first := make(chan error, 1)
		go func() {
			req := httptest.NewRequestWithContext(ctx, http.MethodPost, resource, nil)
			req.Header.Set("Authorization", "Bearer opaque")
			_, err := r.auth.Authenticate(req)
			first <- err
		}()
		synctest.Wait()
		time.AfterFunc(500*time.Millisecond, cancel)
		start := time.Now()
		r.authenticate(t, "opaque")
		if d, n := time.Since(start), r.issuer.count("/introspect"); d != time.Second || n != 1 {
			t.Errorf("it has taken %v and %d questions", d, n)
		}
		if err := <-first; err == nil {
			t.Error("the request that has left was let in")
		}
	})
}

// A token that the issuer has refused is refused for five seconds without another question, and others are not.
// What is remembered of refused tokens is bounded, and does not push out tokens that count.
func TestRefusedTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var known atomic.Bool
		r := opaque(t, auth.Options{}, func(token string) claims {
			c := active(token)
			c["active"] = token == "other" || known.Load()
			return c
		})
		defer r.srv.Close()
		asked := func(token string, status, questions int) {
			t.Helper()
			before := r.issuer.count("/introspect")
			challenge := ""
			if status == 401 {
				challenge = "invalid_token"
			}
			want(t, r.call("whoami", "Authorization", "Bearer "+token), status, challenge, "")
			if n := r.issuer.count("/introspect") - before; n != questions {
				t.Errorf("%s: %d questions, want %d", token, n, questions)
			}
		}
		asked("late", 401, 1)
		known.Store(true)
		asked("other", 200, 1)
		time.Sleep(2900 * time.Millisecond) // 4.9 s after the first question
		asked("late", 401, 0)
		time.Sleep(100 * time.Millisecond)
		asked("late", 200, 1)

		known.Store(false)
		r.issuer.set("/introspect", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"active":false}`)
		})
		const most = 20_001
		for i := range most {
			asked(fmt.Sprint("random", i), 401, 1)
		}
		asked(fmt.Sprint("random", most-1), 401, 0)
		asked("random0", 401, 1)
		asked("late", 200, 0)
	})
}

// An issuer that is away refuses nobody: its next answer counts at once.
func TestAwayIsNotRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opaque(t, auth.Options{}, active)
		defer r.srv.Close()
		back := r.issuer.at["/introspect"]
		r.issuer.set("/introspect", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
		want(t, r.call("whoami", "Authorization", "Bearer opaque"), 503, "", "")
		r.issuer.set("/introspect", back)
		want(t, r.call("whoami", "Authorization", "Bearer opaque"), 200, "", "ann")
	})
}

// Options.Caller that fails keeps a request for ten seconds at most, and lets nobody in. The next request begins anew.
func TestCallerFails(t *testing.T) {
	for name, x := range map[string]struct {
		fails  func(ctx context.Context) error
		status int
		took   int // in seconds
	}{
		"panics":                        {func(context.Context) error { panic("no database") }, 500, 0},
		"ends with its context":         {func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, 503, 10},
		"waits longer than its context": {func(context.Context) error { time.Sleep(time.Hour); return nil }, 503, 10},
		"refuses":                       {func(context.Context) error { return errors.New("nobody") }, 401, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var works atomic.Bool
				r := newRig(t, auth.Options{Caller: func(ctx context.Context, tok *auth.Token) (mcp.Caller, error) {
					if works.Load() {
						return mcp.Caller{Subject: tok.Subject}, nil
					}
					return mcp.Caller{}, x.fails(ctx)
				}})
				defer r.srv.Close()
				start, text := time.Now(), valid(t, nil)
				if got := r.all(10, text); got[x.status] != 10 || int(time.Since(start).Seconds()) != x.took {
					t.Errorf("%v after %v", got, time.Since(start))
				}
				works.Store(true)
				synctest.Wait() // the request may end before the check, at the same time
				want(t, r.call("whoami", "Authorization", "Bearer "+text), 200, "", "ann")
				time.Sleep(2 * time.Hour) // until what was left behind has returned
			})
		})
	}
}

// brokenLog is a handler of a logger.
type brokenLog struct {
	slog.Handler
	fails func()
}

func (l brokenLog) Enabled(context.Context, slog.Level) bool { return true }

func (l brokenLog) Handle(context.Context, slog.Record) error {
	l.fails()
	return nil
}

// A logger that panics or hangs, when it is told of a panic in Options.Caller, keeps nobody, and the next request
// begins anew.
func TestLoggerOfChecks(t *testing.T) {
	for name, fails := range map[string]func(){
		"panics": func() { panic("no disk") },
		"hangs":  func() { time.Sleep(time.Hour) },
		"exits":  runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, auth.Options{Logger: slog.New(brokenLog{slog.DiscardHandler, fails}),
					Caller: func(context.Context, *auth.Token) (mcp.Caller, error) { panic("no database") }})
				defer r.srv.Close()
				start, text := time.Now(), valid(t, nil)
				for range 2 {
					if got := r.all(10, text); got[500] != 10 || time.Since(start) > 0 {
						t.Errorf("%v after %v", got, time.Since(start))
					}
				}
				time.Sleep(2 * time.Hour) // until the logger has returned
			})
		})
	}
}

// Checks that do not return are bounded in number, and what is remembered goes on to count.
func TestChecksAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var waits atomic.Bool
		var running atomic.Int32
		r := newRig(t, auth.Options{Caller: func(_ context.Context, tok *auth.Token) (mcp.Caller, error) {
			if waits.Load() {
				running.Add(1)
				time.Sleep(time.Hour)
			}
			return mcp.Caller{Subject: tok.Subject}, nil
		}})
		defer r.srv.Close()
		known := valid(t, nil)
		r.authenticate(t, known)
		waits.Store(true)
		for i := range 1500 {
			text := valid(t, claims{"jti": fmt.Sprint(i)})
			go func() {
				req := httptest.NewRequest(http.MethodPost, resource, nil)
				req.Header.Set("Authorization", "Bearer "+text)
				if _, err := r.auth.Authenticate(req); err == nil {
					t.Error("a request was let in")
				}
			}()
		}
		synctest.Wait()
		if n := running.Load(); n != 1024 {
			t.Errorf("%d checks run", n)
		}
		r.authenticate(t, known)
		time.Sleep(2 * time.Hour)
	})
}
