package deliver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/desk"
)

// The subscriptions of principals about whom policies take long delay nobody else's.
func TestSlowPolicies(t *testing.T) {
	inBubble(t, func(w *world) {
		e, _ := w.replica(Options{}, desk.Options{Challenges: 1000})
		good := w.callback(here, nil)
		w.subscribe(e, here, "")
		for p := range 10 {
			for i := range 40 {
				url := fmt.Sprintf("https://slow%d.test/%d", p, i)
				w.callback(url, nil)
				r := w.request(url, "")
				r.Caller.Subject = fmt.Sprint("slow", p)
				if _, err := e.Subscribe(w.Context(), r); err != nil {
					w.Fatal(err)
				}
			}
			w.mu.Lock()
			w.slow[fmt.Sprint("slow", p)] = 5 * time.Second
			w.mu.Unlock()
		}
		for i := range 20 {
			w.append("db", 1)
			time.Sleep(2 * time.Second)
			w.all(good, i+1, 0)
		}
		w.mu.Lock()
		clear(w.slow)
		w.mu.Unlock()
		time.Sleep(time.Minute)
		for p := range 10 {
			w.all(w.callbacks[fmt.Sprintf("https://slow%d.test/7", p)], 20, 0)
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.slow.all != 0 || len(e.slow.each) != 0 {
			w.Errorf("%d reads are slow, of %v", e.slow.all, e.slow.each)
		}
	})
}

// looking is a handler of logs that looks at the numbers of an engine.
type looking struct {
	slog.Handler
	e    **replica
	took time.Duration
}

func (l *looking) Enabled(context.Context, slog.Level) bool { return true }
func (l *looking) Handle(context.Context, slog.Record) error {
	begun := time.Now()
	(*l.e).Stats()
	l.took = max(l.took, time.Since(begun))
	return nil
}

// A program may use the server while it takes a record about a subscription that cannot be read.
func TestDamageIsLoggedWithoutLock(t *testing.T) {
	inBubble(t, func(w *world) {
		var e *replica
		l := &looking{Handler: slog.DiscardHandler, e: &e}
		w.logs = l
		e, _ = w.replica(Options{})
		e.Apply(event.Stored{Subscription: &event.Subscription{ID: "a", State: event.Ended}, Damage: errors.New("damaged")})
		time.Sleep(10 * time.Second)
		if l.took > 0 {
			w.Errorf("the program was kept waiting for %v", l.took)
		}
	})
}

// Of principals whose rights cannot be known, nobody is asked for once their subscriptions are gone.
func TestRightsOfNobody(t *testing.T) {
	inBubble(t, func(w *world) {
		p := new(program)
		p.say(func(context.Context, string) (event.Caller, error) { return event.Caller{}, errors.New("away") })
		e, _ := w.replica(Options{Principal: p.principal})
		w.callback(here, nil)
		w.subscribe(e, here, "")
		w.append("db", 1)
		time.Sleep(time.Minute)
		if p.asked.Load() < 30 {
			w.Errorf("asked %d times", p.asked.Load())
		}
		time.Sleep(2 * time.Hour) // it has expired
		p.asked.Store(0)
		time.Sleep(time.Minute)
		if n := p.asked.Load(); n != 0 || e.Stats().Subscriptions != 0 {
			w.Errorf("asked %d times, %+v", n, e.Stats())
		}
	})
}

// A program that hangs for many principals delays no others.
func TestRightsThatHang(t *testing.T) {
	inBubble(t, func(w *world) {
		p := new(program)
		p.say(func(ctx context.Context, subject string) (event.Caller, error) {
			if subject == "alice" {
				return known(ctx, subject)
			}
			<-ctx.Done()
			return event.Caller{}, ctx.Err()
		})
		e, _ := w.replica(Options{Principal: p.principal})
		good := w.callback(here, nil)
		for i := range 300 {
			url := fmt.Sprintf("https://hang%d.test/", i)
			w.callback(url, nil)
			r := w.request(url, "")
			r.Caller.Subject = fmt.Sprint("hang", i)
			if _, err := e.Subscribe(w.Context(), r); err != nil {
				w.Fatal(err)
			}
		}
		w.append("db", 1)
		time.Sleep(time.Minute)
		w.subscribe(e, here, "")
		for i := range 90 {
			w.append("db", 1)
			time.Sleep(2 * time.Second)
			w.all(good, i+1, 0)
		}
	})
}

// What principals have taken is forgotten with their subscriptions, also if they waited for a host.
func TestPrincipalsAreForgotten(t *testing.T) {
	inBubble(t, func(w *world) {
		e, _ := w.replica(Options{})
		for p := range 50 {
			url := fmt.Sprintf("https://hang.test/%d", p)
			c := w.callback(url, nil)
			r := w.request(url, "")
			r.Caller.Subject = fmt.Sprint("p", p)
			if _, err := e.Subscribe(w.Context(), r); err != nil {
				w.Fatal(err)
			}
			c.answer = always(http.StatusOK, time.Hour)
		}
		w.append("db", 1)
		time.Sleep(time.Second)
		for p := range 50 {
			if err := e.Erase(w.Context(), fmt.Sprint("p", p)); err != nil {
				w.Fatal(err)
			}
		}
		time.Sleep(5 * time.Minute)
		e.mu.Lock()
		defer e.mu.Unlock()
		if n := len(e.budget.callers) + len(e.budget.hosts); n != 0 {
			w.Errorf("%d principals and hosts are known", n)
		}
	})
}

// silent is a store that answers to some calls only when nobody waits any more.
type silent struct{ *event.MemoryStore }

func (s silent) List(ctx context.Context, _, _ string, _ int) ([]event.Stored, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// Who erases a principal does not wait for ever for a store.
func TestEraseOfSilentStore(t *testing.T) {
	inBubble(t, func(w *world) {
		d := desk.New(desk.Options{Store: silent{&w.store}, Keys: host{w}})
		begun := time.Now()
		if err := d.Erase(w.Context(), "alice"); err == nil || time.Since(begun) > time.Minute {
			w.Errorf("%v after %v", err, time.Since(begun))
		}
	})
}
