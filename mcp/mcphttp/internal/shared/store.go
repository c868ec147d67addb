package shared

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/sessions"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
	"github.com/mcpgen/mcpgen/mcp/replica"
)

const (
	// freshFor is how long a process relies on a record that it has read, without reading it again. Other processes signal
	// their changes; freshFor bounds the delay if a signal is lost.
	freshFor = time.Second
	// maxSwaps is how often a change of a record is tried again while other processes change it too.
	maxSwaps = 12
)

// Store uses Options.SessionStore so that any process can serve any request of a session. The client has one
// notification stream, at the process that the record names as the holder. Only the holder has the subscriptions of the
// session.
type Store struct {
	of       *Replicas
	calls    storeCalls
	ttl      time.Duration // of records
	failures safelog.Sparse
	touching atomic.Bool
}

// sharedSession is what a process knows of the record of a session.
type sharedSession struct {
	key  sessions.Key
	busy chan struct{} // holds one element while the record is read or changed

	applying sync.Mutex // held while Apply sets the subscriptions

	mu      sync.Mutex
	rec     record
	version uint64
	loaded  time.Time // when rec was what the store has; zero if it may not be
	doubts  uint64    // how often another process has said that the record has changed
	saved   time.Time // when the record was saved last, as far as this process knows
	unsaved []string  // tasks that are still to be added to the record
	saving  bool      // a goroutine adds them

	reloading atomic.Int32 // 0, or how many reasons there are for a reload
}

var (
	errEnded  = errors.New("mcphttp: the session has ended")
	errLarge  = errors.New("mcphttp: too many subscriptions")
	errSwaps  = errors.New("mcphttp: too many processes change the session")
	errBusy   = errors.New("mcphttp: the store is slow")
	errForged = errors.New("mcphttp: the record of a session was not made by a server with the keys of this one")
)

// newSharing returns the Store of h, which keeps records in store for ttl.
func newSharing(h *Replicas, store replica.SessionStore, ttl time.Duration) *Store {
	s := &Store{of: h, ttl: ttl}
	s.calls = storeCalls{store: store, places: make(chan struct{}, maxStoreCalls), fails: s.fails}
	return s
}

// fails writes an error of the store to the log of the server, but not too often.
func (s *Store) fails(err error) {
	s.failures.Log(s.of.log, slog.LevelError, "mcphttp: the session store has failed", "err", err)
}

// storeAway is the refusal of a request that needs the store while that is not available. Either nothing has changed,
// or the request can be repeated.
var storeAway = web.NewRefusal(http.StatusServiceUnavailable, "the session store is not available: try again")

// refusalOf returns the refusal of a request for which the store has returned an error.
func (s *Store) refusalOf(err error) *web.Refusal {
	if errors.Is(err, errEnded) {
		return sessions.NoSession
	}
	return storeAway
}

// share makes x a session that other processes serve too. The caller must set the field key of the sharedSession.
func (s *Store) share(x *sessions.Session) {
	x.Elsewhere = func(frame []byte) bool { return s.passOn(x, frame) }
	x.MCP.ServeToo(s.of.ids.replica, keeper{s, x, &sharedSession{busy: make(chan struct{}, 1)}})
}

// recordOf returns what this process knows of the record of x; nil if no other process serves x.
func recordOf(x *sessions.Session) *sharedSession {
	k, _ := x.MCP.Keeper().(keeper)
	return k.state
}

// begin saves the first record of x, which initialize has made. No other process knows its id yet.
func (s *Store) begin(ctx context.Context, x *sessions.Session, id string, who mcp.Caller) error {
	r := record{state: x.MCP.State(), subject: hashSubject(who.Subject), issued: time.Now(), level: call.LogNothing}
	k := sessions.KeyOf(id)
	recordOf(x).key = k
	sealed, _ := s.of.ids.sealRecord(k, &r)
	version, err := s.calls.save(ctx, k.Text(), 0, sealed, s.ttl)
	if err != nil {
		return err
	}
	recordOf(x).set(r, version, 0, true)
	return nil
}

// fetch opens in this process the session with an id, in the state that its record has. The session is in use until
// Done is called.
func (s *Store) fetch(ctx context.Context, id string, who mcp.Caller, u *limits.Usage,
) (*sessions.Session, *web.Refusal) {
	if o, ok := s.of.ids.open(id); !ok || o.subject != hashSubject(who.Subject) {
		return nil, sessions.NoSession
	}
	k := sessions.KeyOf(id)
	r, version, err := s.load(ctx, k)
	switch {
	case errors.Is(err, errEnded):
		return nil, sessions.NoSession
	case err != nil:
		return nil, storeAway
	case r.subject != hashSubject(who.Subject):
		return nil, sessions.NoSession
	}
	x, why := s.of.sessions.New(u)
	if why != nil {
		return nil, why
	}
	s.share(x)
	recordOf(x).key = k
	recordOf(x).set(r, version, 0, false)
	x.MCP.Restore(r.state)
	if !failpoint.On("session-level-lost") {
		x.MCP.SetLevel(r.level)
	}
	return s.of.enter(x, id, who)
}

// load reads a record. It returns errEnded if there is none, or if no server with these keys has made it.
func (s *Store) load(ctx context.Context, k sessions.Key) (r record, version uint64, err error) {
	sealed, version, err := s.calls.load(ctx, k.Text())
	if errors.Is(err, replica.ErrNotFound) {
		return r, 0, errEnded
	}
	if err != nil {
		return r, 0, err
	}
	r, ok := s.of.ids.openRecord(k, sealed)
	if !ok {
		s.fails(errForged)
		return r, 0, errEnded
	}
	return r, version, nil
}

// set notes the record that the store has returned. doubts is the count of doubts before the call of the store: if
// there were more since, the record may be out of date already. saved says that the record was saved, and not only
// read.
func (x *sharedSession) set(r record, version, doubts uint64, saved bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	now := time.Now()
	x.rec, x.version, x.loaded = r, version, now
	if x.doubts != doubts {
		x.loaded = time.Time{}
	}
	if saved {
		x.saved = now
	}
}

// doubted returns how often another process has said that the record has changed.
func (x *sharedSession) doubted() uint64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.doubts
}

// doubt notes that the record may have changed.
func (x *sharedSession) doubt() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.loaded = time.Time{}
	x.doubts++
}

// get returns the record that this process knows, its version, and how long ago it was read or saved. The age is very
// great if the record may have changed since.
func (x *sharedSession) get() (r record, version uint64, age time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.rec, x.version, time.Since(x.loaded)
}

// begins waits until nothing else in this process reads or changes the record. It returns errBusy after storeTimeout;
// otherwise the caller must call x.ends.
func (x *sharedSession) begins() error {
	t := time.NewTimer(storeTimeout)
	defer t.Stop()
	select {
	case x.busy <- struct{}{}:
		return nil
	case <-t.C:
		return errBusy
	}
}

func (x *sharedSession) ends() { <-x.busy }

// Refresh reads the record of x again if it may be out of date. If the store is not available, x continues with the
// record that it has. Refresh refuses a session that has ended.
func (s *Store) Refresh(ctx context.Context, x *sessions.Session) *web.Refusal {
	if _, _, age := recordOf(x).get(); age <= freshFor {
		return nil
	}
	if err := s.reload(ctx, x, freshFor); errors.Is(err, errEnded) {
		return sessions.NoSession
	}
	return nil
}

// reload reads the record of x. If there is none, it ends x and returns errEnded. It does nothing if this process has
// read the record within maxAge; with a negative maxAge it always reads the record.
func (s *Store) reload(ctx context.Context, x *sessions.Session, maxAge time.Duration) error {
	if err := recordOf(x).begins(); err != nil {
		return err
	}
	defer recordOf(x).ends()
	if _, _, age := recordOf(x).get(); age <= maxAge {
		return nil
	}
	doubts := recordOf(x).doubted()
	r, version, err := s.load(ctx, recordOf(x).key)
	if err != nil {
		if errors.Is(err, errEnded) {
			s.of.sessions.Forget(x)
		}
		return err
	}
	recordOf(x).set(r, version, doubts, false)
	x.MCP.SetLevel(r.level)
	return nil
}

// errSame is the error of an edit that changes nothing.
var errSame = errors.New("mcphttp: nothing to change")

// change changes the record of x by edit, which may be called several times, each time with the newest record. Changes
// of other processes are not lost. If the store fails, the error does not say whether the record was changed.
func (s *Store) change(ctx context.Context, x *sessions.Session, edit func(*record) error) error {
	if err := recordOf(x).begins(); err != nil {
		return err
	}
	defer recordOf(x).ends()
	r, version, age := recordOf(x).get()
	known := age <= freshFor
	for try := range maxSwaps {
		doubts := recordOf(x).doubted()
		if !known {
			var err error
			before := r
			if r, version, err = s.load(ctx, recordOf(x).key); err != nil {
				if errors.Is(err, errEnded) {
					s.of.sessions.Forget(x)
				}
				return err
			}
			recordOf(x).set(r, version, doubts, false)
			x.MCP.SetLevel(r.level)
			if try > 0 && failpoint.On("session-swap-stale") {
				r = before
			}
		}
		next := r.clone()
		if err := edit(&next); errors.Is(err, errSame) {
			if !known {
				return nil
			}
			known = false // it may be different by now
			continue
		} else if err != nil {
			return err
		}
		sealed, ok := s.of.ids.sealRecord(recordOf(x).key, &next)
		if !ok {
			return errLarge
		}
		version, err := s.calls.save(ctx, recordOf(x).key.Text(), version, sealed, s.ttl)
		switch {
		case err == nil:
			recordOf(x).set(next, version, doubts, true)
			return nil
		case !errors.Is(err, replica.ErrChanged) && !errors.Is(err, replica.ErrNotFound):
			recordOf(x).doubt() // it may have been saved
			return err
		}
		known = false
		time.Sleep(rand.N(time.Millisecond << min(try, 6))) //nolint:gosec // not a secret
	}
	return errSwaps
}

// touch saves the record of x again, so that it does not expire, if x was used since the record was saved. It does so
// at most once in a sixth of the ttl, which is the time between two sweeps.
func (s *Store) touch(ctx context.Context, x *sessions.Session) {
	recordOf(x).mu.Lock()
	saved := recordOf(x).saved
	recordOf(x).mu.Unlock()
	if time.Since(saved) >= s.ttl/6 && x.UsedSince(saved) {
		_ = s.change(ctx, x, func(*record) error { return nil }) // tried again at the next sweep
	}
}

// End ends the session x everywhere. A process that does not hear of it learns it from the store.
func (s *Store) End(ctx context.Context, x *sessions.Session) *web.Refusal {
	k := recordOf(x).key
	if err := s.calls.remove(ctx, k.Text()); err != nil {
		return s.refusalOf(err)
	}
	s.of.sessions.Forget(x)
	server.SignalEnded(s.of.srv, k.Text())
	return nil
}

// touchLater starts touch for all sessions of this process, unless that is under way.
func (s *Store) touchLater() {
	if !s.touching.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer s.touching.Store(false)
		for x := range s.of.sessions.Shared() {
			if recordOf(x) != nil && !s.of.sessions.Stopping() {
				s.touch(context.Background(), x)
			}
		}
	}()
}
