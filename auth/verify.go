package auth

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"runtime/debug"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

const (
	// remember is how long the result of a check is used again. A revoked token is refused after twice that at the
	// latest, on open streams too.
	remember = 25 * time.Second
	// maxRemembered bounds the tokens whose results are kept.
	maxRemembered = 20_000
	// rememberRefused is how long a token that the issuer has refused is refused without another question, and
	// maxRefused how many such tokens are kept, apart from those that count.
	rememberRefused = 5 * time.Second
	maxRefused      = 10_000
	// checkTimeout is how long a check may take, and maxChecks how many run at a time.
	checkTimeout = 2 * fetchTimeout
	maxChecks    = 1024
)

// verdict is what a check of a token has found.
type verdict struct {
	who   mcp.Caller
	bound confirmation
}

// Errors of a check that says neither yes nor no.
var (
	errLate   = errors.New("auth: the check of a token takes too long: Options.Caller has not returned")
	errFailed = errors.New("auth: Options.Caller has panicked, or ended its goroutine")
)

// checks runs the checks of tokens, one at a time for each token. It is safe for concurrent use.
type checks struct {
	known   *cache[verdict] // tokens that count
	refused *cache[error]   // tokens that the issuer has refused
	running *places         // of checks that have not returned

	mu    sync.Mutex
	under map[[sha256.Size]byte]*check // under way, not longer than checkTimeout
}

// check is one check of a token, for all requests that wait for it.
type check struct {
	once    sync.Once
	over    chan struct{} // closed when the result is there
	verdict verdict
	err     error
}

func newChecks() *checks {
	return &checks{known: newCache[verdict](maxRemembered), refused: newCache[error](maxRefused),
		running: newPlaces(maxChecks), under: make(map[[sha256.Size]byte]*check)}
}

// verify returns who has a token. It is asked about again after remember at most. It returns when ctx ends, or after
// checkTimeout. client is who sends the token: a check counts for it, and so does a question to the issuer.
func (s *ResourceServer) verify(ctx context.Context, client netip.Addr, token string) (verdict, error) {
	key := sha256.Sum256([]byte(token))
	if v, ok := s.checks.known.get(key); ok {
		return v, nil
	}
	c := s.checkOf(ctx, client, key, token)
	select {
	case <-c.over:
		return c.verdict, c.err
	case <-ctx.Done():
		return verdict{}, unavailable(ctx.Err())
	}
}

// checkOf returns the check of a token that is under way, or begins one. It runs on a goroutine
// of its own, because the request that began it may end before others that wait for it, and because code of the
// program may panic, or not return in time.
func (s *ResourceServer) checkOf(ctx context.Context, client netip.Addr, key [sha256.Size]byte, token string) *check {
	a := s.checks
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.under[key]; c != nil {
		return c
	}
	c := &check{over: make(chan struct{})}
	if v, ok := a.known.get(key); ok {
		return c.end(v, nil)
	}
	if err, ok := a.refused.get(key); ok {
		return c.end(verdict{}, err)
	}
	if !a.running.take(client) {
		return c.end(verdict{}, unavailable(fmt.Errorf("%d checks of tokens have not returned, or half of these for "+
			"one address", maxChecks)))
	}
	a.under[key] = c
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkTimeout)
	end := func(v verdict, err error) {
		a.mu.Lock()
		if a.under[key] == c {
			delete(a.under, key)
		}
		a.mu.Unlock()
		c.end(v, err)
	}
	context.AfterFunc(ctx, func() { end(verdict{}, errLate) })
	go func() {
		v, err := verdict{}, errFailed
		defer func() {
			p := recover()
			end(v, err)
			cancel()
			a.running.give(client)
			if p != nil { // last: a logger may not return
				s.log(slog.LevelError, "auth: panic in Options.Caller", "panic", p, "stack", string(debug.Stack()))
			}
		}()
		v, err = s.judge(ctx, client, key, token)
	}()
	return c
}

// log logs where nothing else would catch a panic of the logger.
func (s *ResourceServer) log(level slog.Level, msg string, args ...any) {
	defer func() { _ = recover() }()
	s.opts.Logger.Log(context.Background(), level, msg, args...)
}

// end sets the result, unless there is one.
func (c *check) end(v verdict, err error) *check {
	c.once.Do(func() {
		c.verdict, c.err = v, err
		close(c.over)
	})
	return c
}

// judge checks a token, and remembers the result.
func (s *ResourceServer) judge(ctx context.Context, client netip.Addr, key [sha256.Size]byte, token string) (v verdict,
	err error,
) {
	asked := time.Now() // the answer may take a while, and a token may end meanwhile
	var c *claims
	if s.opts.Introspect {
		c, err = s.introspect(ctx, client, token)
	} else {
		c, err = s.verifyJWT(ctx, token)
	}
	if err == nil {
		v.bound = c.bound
		v.who, err = s.caller(ctx, c)
	}
	if err != nil {
		if _, refused := errors.AsType[*invalidError](err); refused && s.opts.Introspect {
			s.checks.refused.put(key, err, asked.Add(rememberRefused))
		}
		return verdict{}, err
	}
	until := asked.Add(remember)
	if e := v.who.Expires; !e.IsZero() && e.Before(until) {
		until = e
	}
	s.checks.known.put(key, v, until)
	return v, nil
}
