package deliver

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// program says what rights principals have.
type program struct {
	asked atomic.Int64
	says  atomic.Pointer[func(ctx context.Context, subject string) (event.Caller, error)]
}

func (p *program) say(f func(ctx context.Context, subject string) (event.Caller, error)) {
	p.says.Store(&f)
}

func (p *program) principal(ctx context.Context, subject string) (event.Caller, error) {
	p.asked.Add(1)
	return (*p.says.Load())(ctx, subject)
}

func known(context.Context, string) (event.Caller, error) {
	return event.Caller{Scopes: []string{"read"}}, nil
}

// Deliveries use the rights that a principal has now. As long as they are not known, nothing is delivered, and others
// get what is theirs.
func TestRights(t *testing.T) {
	inBubble(t, func(w *world) {
		p := new(program)
		p.say(known)
		e, _ := w.replica(Options{Principal: p.principal})
		c, other := w.callback(here, nil), w.callback("https://other.test/", nil)
		w.subscribe(e, here, "db")
		r := w.request("https://other.test/", "db")
		r.Caller.Subject = "bob"
		if _, err := e.Subscribe(w.Context(), r); err != nil {
			w.Fatal(err)
		}
		time.Sleep(time.Minute)
		p.asked.Store(0)
		for range 30 {
			w.append("db", 1)
			time.Sleep(time.Second)
		}
		w.all(c, 30, 0)
		if n := p.asked.Load(); n != 2 {
			w.Errorf("asked %d times", n)
		}
		time.Sleep(time.Minute)
		for i, bad := range []func(context.Context, string) (event.Caller, error){
			func(context.Context, string) (event.Caller, error) { return event.Caller{}, errors.New("away") },
			func(context.Context, string) (event.Caller, error) { panic("broken") },
			func(ctx context.Context, _ string) (event.Caller, error) {
				<-ctx.Done()
				return event.Caller{}, ctx.Err()
			},
		} {
			p.say(func(ctx context.Context, subject string) (event.Caller, error) {
				if subject == "bob" {
					return known(ctx, subject)
				}
				return bad(ctx, subject)
			})
			w.append("db", 1)
			time.Sleep(30 * time.Second)
			w.all(c, 30+i, 0)
			w.all(other, 31+i, 0)
			p.say(known)
			time.Sleep(2 * time.Minute)
			w.all(c, 31+i, 0)
		}
	})
}

// Scopes that are taken away end a subscription whose event asks for them, and one that is there again is asked for.
func TestRightsTakenAway(t *testing.T) {
	inBubble(t, func(w *world) {
		w.needs = "read"
		p := new(program)
		p.say(known)
		e, _ := w.replica(Options{Principal: p.principal})
		c := w.callback(here, nil)
		r := w.request(here, "")
		r.Caller.Scopes = []string{"read"}
		if _, err := e.Subscribe(w.Context(), r); err != nil {
			w.Fatal(err)
		}
		w.append("db", 1)
		time.Sleep(2 * time.Minute)
		p.say(func(context.Context, string) (event.Caller, error) { return event.Caller{}, nil })
		w.append("db", 1)
		time.Sleep(2 * time.Second)
		w.all(c, 1, 0)
		if _, kinds := w.got(c); len(kinds) != 1 || kinds[0] != "terminated" {
			w.Errorf("told %v", kinds)
		}
	})
}

// A refresh asks for the rights anew. Until then they count for a minute, although they have changed.
func TestRightsAfterRefresh(t *testing.T) {
	inBubble(t, func(w *world) {
		w.needs = "read"
		p := new(program)
		p.say(known)
		e, _ := w.replica(Options{Principal: p.principal})
		c := w.callback(here, nil)
		r := w.request(here, "")
		r.Caller.Scopes = []string{"read"}
		for i, want := range []int{1, 2, 2} {
			if i != 1 { // 1 is without a refresh
				if _, err := e.Subscribe(w.Context(), r); err != nil {
					w.Fatal(err)
				}
				time.Sleep(time.Second)
			}
			w.append("db", 1)
			time.Sleep(5 * time.Second)
			w.all(c, want, 0)
			p.say(func(context.Context, string) (event.Caller, error) { return event.Caller{}, nil })
		}
		if _, kinds := w.got(c); len(kinds) != 1 || kinds[0] != "terminated" {
			w.Errorf("told %v", kinds)
		}
	})
}

// programmed is a replica that asks a program for rights, and erases what those had who are gone.
func (w *world) programmed() (*program, *replica) {
	w.Helper()
	p := new(program)
	p.say(known)
	var e *replica
	e, _ = w.replica(Options{
		Principal: p.principal, Erase: func(ctx context.Context, subject string) error { return e.Erase(ctx, subject) },
	})
	return p, e
}

// gone says that there is no such principal.
func gone(context.Context, string) (event.Caller, error) { return event.Caller{}, event.ErrNoPrincipal }

// What a principal had that is not there any more is erased, also if it gets no events.
func TestPrincipalGone(t *testing.T) {
	inBubble(t, func(w *world) {
		p, e := w.programmed()
		c := w.callback(here, nil)
		quiet := w.callback("https://quiet.test/", nil)
		w.subscribe(e, here, "db")
		g := w.subscribe(e, "https://quiet.test/", "none")
		w.append("db", 1)
		time.Sleep(2 * time.Minute)
		p.say(gone)
		w.append("db", 1)
		time.Sleep(time.Minute)
		w.all(c, 1, 0)
		if s, _, err := w.store.Get(w.Context(), g.ID); err == nil && (s.State != event.Ended || s.URL != "") {
			w.Errorf("kept %+v", s)
		}
		if len(w.messages(quiet)) != 0 {
			w.Errorf("%+v", w.messages(quiet))
		}
		if got := e.Stats(); got.Subscriptions != 0 {
			w.Errorf("stats %+v", got)
		}
	})
}

// Principals that get no events are asked for too.
func TestQuietPrincipalGone(t *testing.T) {
	inBubble(t, func(w *world) {
		p, e := w.programmed()
		w.callback(here, nil)
		r := w.request(here, "")
		r.TTL = event.TTL{Set: true, For: 20 * time.Hour}
		if _, err := e.Subscribe(w.Context(), r); err != nil {
			w.Fatal(err)
		}
		time.Sleep(time.Hour)
		p.say(gone)
		time.Sleep(2 * time.Hour)
		if got := e.Stats(); got.Subscriptions != 0 {
			w.Errorf("stats %+v", got)
		}
	})
}

// Close waits for what is being erased because a principal is gone: nothing touches the store afterwards.
func TestCloseWaitsForRights(t *testing.T) {
	inBubble(t, func(w *world) {
		var erasing, erased atomic.Bool
		e, _ := w.replica(Options{
			Principal: func(context.Context, string) (event.Caller, error) { return event.Caller{}, event.ErrNoPrincipal },
			Erase: func(context.Context, string) error {
				erasing.Store(true)
				time.Sleep(10 * time.Second) // a store that is slow to give up
				erased.Store(true)
				return nil
			},
		})
		w.callback(here, nil)
		w.subscribe(e, here, "")
		w.append("db", 1)
		time.Sleep(time.Second)
		w.close(e)
		if !erasing.Load() || !erased.Load() {
			w.Errorf("erasing %v, erased %v when Close returned", erasing.Load(), erased.Load())
		}
	})
}
