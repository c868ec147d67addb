package deliver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/desk"
)

func kindOf(err error) event.ErrorKind {
	if f, ok := errors.AsType[*event.Error](err); ok {
		return f.Kind
	}
	return math.MaxUint8
}

// Nothing is delivered to a callback that has not answered its challenge.
func TestChallenge(t *testing.T) {
	t.Attr("requirements", "event-verify event-https")
	inBubble(t, func(w *world) {
		e, _ := w.replica(Options{})
		for _, test := range []struct {
			url, secret string
			kind        event.ErrorKind
			reason      string
		}{
			{"http://hook.test/", secretOf(1), event.InvalidParams, ""},
			{"https://127.0.0.1/", secretOf(1), event.InvalidParams, ""},
			{here, "secret", event.InvalidParams, ""},
			{here, "", event.InvalidParams, ""},
			{"https://nobody.test/", secretOf(1), event.CallbackEndpoint, "connection_refused"},
			{here, secretOf(2), event.CallbackEndpoint, "http_4xx"},
			{"https://mute.test/", secretOf(1), event.CallbackEndpoint, "challenge_failed"},
			{"https://echo.test/", secretOf(1), event.CallbackEndpoint, "challenge_failed"},
			{"https://slow.test/", secretOf(1), event.CallbackEndpoint, "timeout"},
		} {
			w.callback(here, nil)
			w.callback("https://mute.test/", nil).mute = true
			w.callback("https://echo.test/", nil).echoes = true
			slow := w.callback("https://slow.test/", always(http.StatusOK, time.Hour))
			slow.mute = true
			r := w.request(test.url, "")
			r.Secret = test.secret
			_, err := e.Subscribe(w.Context(), r)
			var f *event.Error
			if !errors.As(err, &f) || f.Kind != test.kind || f.Reason != test.reason {
				w.Errorf("%s: %v", test.url, err)
			}
		}
		if all, _ := w.store.List(w.Context(), "", "", 10); len(all) != 0 {
			w.Errorf("%d subscriptions", len(all))
		}
		if asked, failed := e.Challenges(); asked != 5 || failed != 5 {
			w.Errorf("%d challenges, %d failed", asked, failed)
		}
	})
}

// A caller cannot have the server ask many callbacks, nor keep others from their own, and many callers cannot have it
// ask one without end.
func TestChallengeBudget(t *testing.T) {
	t.Attr("requirements", "event-verify event-verify-rate")
	inBubble(t, func(w *world) {
		e, _ := w.replica(Options{})
		try := func(caller, url string) error {
			r := w.request(url, "")
			r.Caller.Subject = caller
			_, err := e.Subscribe(w.Context(), r)
			return err
		}
		for i := range 10 {
			if err := try("mallory", fmt.Sprintf("https://h%d.test/", i)); kindOf(err) != event.CallbackEndpoint {
				w.Fatal(err)
			}
		}
		if err := try("mallory", "https://h11.test/"); kindOf(err) != event.ResourceExhausted {
			w.Error(err)
		}
		for i := range 600 {
			_ = try(fmt.Sprint("m", i/10), fmt.Sprintf("https://one.test/%d", i))
		}
		if err := try("m60", "https://one.test/600"); kindOf(err) != event.ResourceExhausted {
			w.Error(err)
		}
		time.Sleep(time.Minute)
		for i := range 10 {
			_ = try("mallory", fmt.Sprint(here, i))
		}
		w.callback(here, nil)
		if err := try("alice", here); err != nil {
			w.Error(err)
		}
		time.Sleep(time.Minute)
		if err := try("mallory", "https://h11.test/"); kindOf(err) != event.CallbackEndpoint {
			w.Error(err)
		}
	})
}

func TestTTL(t *testing.T) {
	t.Attr("requirements", "event-ttl event-ttl-null")
	inBubble(t, func(w *world) {
		w.callback(here, nil)
		e, _ := w.replica(Options{})
		forever, _ := w.replica(Options{}, desk.Options{Forever: true})
		for _, test := range []struct {
			name string
			ttl  event.TTL
			want time.Duration
			ever time.Duration // with forever; 0 for no end
		}{
			{"absent", event.TTL{}, time.Hour, time.Hour},
			{"null", event.TTL{Set: true, Never: true}, 24 * time.Hour, 0},
			{"zero", event.TTL{Set: true}, time.Minute, time.Minute},
			{"short", event.TTL{Set: true, For: time.Second}, time.Minute, time.Minute},
			{"as asked", event.TTL{Set: true, For: 5 * time.Minute}, 5 * time.Minute, 5 * time.Minute},
			{"huge", event.TTL{Set: true, For: math.MaxInt64}, 24 * time.Hour, 24 * time.Hour},
			{"negative", event.TTL{Set: true, For: math.MinInt64}, time.Minute, time.Minute},
		} {
			for at, e := range map[*time.Duration]*replica{&test.want: e, &test.ever: forever} {
				r := w.request(here, test.name)
				r.TTL = test.ttl
				g, err := e.Subscribe(w.Context(), r)
				if err != nil {
					w.Fatal(err)
				}
				if g.RefreshBefore.IsZero() != (*at == 0) || *at > 0 && time.Until(g.RefreshBefore).Round(time.Second) != *at {
					w.Errorf("%s: %v, want %v", test.name, g.RefreshBefore, *at)
				}
			}
		}
	})
}

// A subscription without an end goes on after a restart, days later, and its callback is not asked again.
func TestForever(t *testing.T) {
	t.Attr("requirements", "event-ttl-forever")
	inBubble(t, func(w *world) {
		c := w.callback(here, nil)
		e, kill := w.replica(Options{}, desk.Options{Forever: true})
		r := w.request(here, "")
		r.TTL = event.TTL{Set: true, Never: true}
		if _, err := e.Subscribe(w.Context(), r); err != nil {
			w.Fatal(err)
		}
		kill()
		time.Sleep(72 * time.Hour)
		again, _ := w.replica(Options{}, desk.Options{Forever: true})
		w.append("db", 1)
		time.Sleep(time.Minute)
		w.all(c, 1, 0)
		if asked, _ := again.Challenges(); asked != 0 {
			w.Errorf("%d challenges", asked)
		}
	})
}

// A subscription without an end has one when its callback has failed for three days, and not before.
func TestForeverGivenUp(t *testing.T) {
	inBubble(t, func(w *world) {
		w.callback(here, always(http.StatusInternalServerError, 0))
		e, _ := w.replica(Options{Poll: time.Hour, Lease: time.Hour}, desk.Options{Forever: true})
		r := w.request(here, "")
		r.TTL = event.TTL{Set: true, Never: true}
		g, err := e.Subscribe(w.Context(), r)
		if err != nil {
			w.Fatal(err)
		}
		w.append("db", 200)
		time.Sleep(71 * time.Hour)
		if s, _, err := w.store.Get(w.Context(), g.ID); err != nil || s.State != event.Live {
			w.Errorf("after 71 hours: %+v %v", s, err)
		}
		time.Sleep(3 * time.Hour)
		if s, _, err := w.store.Get(w.Context(), g.ID); err == nil && s.State == event.Live {
			w.Errorf("after 74 hours: %+v", s)
		}
		if got := e.Stats(); got.Ended != 1 {
			w.Errorf("%+v", got)
		}
	})
}

// A subscription ends when it was not refreshed in time, and a refresh is not a new subscription.
func TestExpiry(t *testing.T) {
	t.Attr("requirements", "event-ttl event-leave")
	inBubble(t, func(w *world) {
		c := w.callback(here, nil)
		e, _ := w.replica(Options{})
		first := w.subscribe(e, here, "")
		w.append("db", 3)
		time.Sleep(50 * time.Minute)
		again := w.subscribe(e, here, "")
		if again.ID != first.ID || again.At != w.end() || again.Truncated || again.Status == nil ||
			!again.RefreshBefore.After(first.RefreshBefore) {
			w.Errorf("refresh: %+v", again)
		}
		time.Sleep(50 * time.Minute)
		w.append("db", 1)
		time.Sleep(30 * time.Minute)
		w.append("db", 1) // too late
		time.Sleep(time.Minute)
		w.all(c, 4, 0)
		time.Sleep(time.Hour)
		if got := e.Stats().Subscriptions; got != 0 {
			w.Errorf("%d expired subscriptions are in memory", got)
		}
		if _, _, err := w.store.Get(w.Context(), first.ID); !errors.Is(err, event.ErrNoSubscription) {
			w.Errorf("an expired subscription is still there: %v", err)
		}
		if g := w.subscribe(e, here, ""); g.ID != first.ID || g.Status != nil || g.At != w.end() {
			w.Errorf("after its end: %+v", g)
		}
	})
}

func TestUnsubscribe(t *testing.T) {
	t.Attr("requirements", "event-key")
	inBubble(t, func(w *world) {
		c := w.callback(here, nil)
		e, _ := w.replica(Options{})
		w.subscribe(e, here, "")
		for _, other := range []*event.Request{w.request(here, "db"), w.request(here+"2", "")} {
			if found, err := e.Unsubscribe(w.Context(), other); found || err != nil {
				w.Errorf("another one: %v %v", found, err)
			}
		}
		bob := w.request(here, "")
		bob.Caller.Subject = "bob"
		if found, _ := e.Unsubscribe(w.Context(), bob); found {
			w.Error("somebody else has unsubscribed")
		}
		for _, want := range []bool{true, false} {
			if found, err := e.Unsubscribe(w.Context(), w.request(here, "")); found != want || err != nil {
				w.Errorf("unsubscribe: %v %v", found, err)
			}
		}
		time.Sleep(time.Second)
		w.append("db", 3)
		time.Sleep(time.Minute)
		w.all(c, 0, 0)
		if g := w.subscribe(e, here, ""); g.Status != nil {
			w.Errorf("subscribed again: %+v", g)
		}
		w.append("db", 1)
		time.Sleep(time.Second)
		w.all(c, 1, 0)
	})
}

func TestLimits(t *testing.T) {
	t.Attr("requirements", "event-principal event-leave")
	inBubble(t, func(w *world) {
		w.callback(here, nil)
		e, _ := w.replica(Options{}, desk.Options{Limits: event.SubscriptionLimits{PerPrincipal: 2, Total: 3}})
		for i, want := range []event.ErrorKind{math.MaxUint8, math.MaxUint8, event.ResourceExhausted} {
			if _, err := e.Subscribe(w.Context(), w.request(here, fmt.Sprint(i))); kindOf(err) != want {
				w.Errorf("%d: %v", i, err)
			}
		}
	})
}

// What is too long for a store is refused before its callback is asked.
func TestLongArguments(t *testing.T) {
	inBubble(t, func(w *world) {
		w.callback(here, nil)
		e, _ := w.replica(Options{})
		for name, arguments := range map[string]string{
			"long": strings.Repeat("a", 100<<10), "long as JSON": strings.Repeat("<", 16<<10-16),
		} {
			r := w.request(here, "")
			r.Arguments = json.RawMessage(`{"service":"` + arguments + `"}`)
			if _, err := e.Subscribe(w.Context(), r); kindOf(err) != event.InvalidParams {
				w.Errorf("%s: %v", name, err)
			}
		}
		w.subscribe(e, here, strings.Repeat("a", 16<<10-16))
		all, _ := w.store.List(w.Context(), "", "", 10)
		if asked, _ := e.Challenges(); asked != 1 || len(all) != 1 {
			w.Errorf("%d challenges, %d subscriptions", asked, len(all))
		}
	})
}

// Nothing that the server keeps names a principal that was erased, but for the record that says that it has ended.
func TestErase(t *testing.T) {
	inBubble(t, func(w *world) {
		c := w.callback(here, nil)
		e, _ := w.replica(Options{})
		w.subscribe(e, here, "a")
		w.subscribe(e, here, "b")
		if err := e.Erase(w.Context(), "alice"); err != nil {
			w.Fatal(err)
		}
		all, _ := w.store.List(w.Context(), "", "", 10)
		if text, _ := json.Marshal(all); len(all) != 2 || strings.Contains(string(text), "hook.test") {
			w.Errorf("left: %s", text)
		}
		w.append("a", 3)
		time.Sleep(12 * time.Minute)
		w.all(c, 0, 0)
		if all, _ := w.store.List(w.Context(), "", "", 10); len(all) != 0 {
			w.Errorf("%d are left", len(all))
		}
	})
}

// Subscriptions cost no goroutines.
func TestIdle(t *testing.T) {
	inBubble(t, func(w *world) {
		w.callback(here, nil)
		e, _ := w.replica(Options{}, desk.Options{Limits: event.SubscriptionLimits{PerPrincipal: 10_000, Total: 10_000}})
		before := runtime.NumGoroutine()
		for i := range 2000 {
			if _, err := e.Subscribe(w.Context(), w.request(here, fmt.Sprint(i))); err != nil {
				w.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		if after := runtime.NumGoroutine(); after > before+2 || e.Stats().Subscriptions != 2000 {
			w.Errorf("%d goroutines before and %d after", before, after)
		}
	})
}

// One store, two subscribers at once: one subscription.
func TestSubscribeAtOnce(t *testing.T) {
	t.Attr("requirements", "event-key")
	inBubble(t, func(w *world) {
		w.callback(here, nil)
		a, _ := w.replica(Options{})
		b, _ := w.replica(Options{})
		errs := make(chan error, 8)
		for i := range 8 {
			go func() {
				_, err := []*replica{a, b}[i%2].Subscribe(context.Background(), w.request(here, ""))
				errs <- err
			}()
		}
		for range 8 {
			if err := <-errs; err != nil {
				w.Error(err)
			}
		}
		if all, _ := w.store.List(w.Context(), "", "", 10); len(all) != 1 {
			w.Errorf("%d subscriptions", len(all))
		}
	})
}

// A refresh tells that deliveries wait after failures, and for how long.
func TestThrottled(t *testing.T) {
	inBubble(t, func(w *world) {
		w.callback(here, always(http.StatusInternalServerError, 0))
		e, _ := w.replica(Options{})
		w.subscribe(e, here, "")
		if s := w.subscribe(e, here, "").Status; s == nil || s.Throttled || s.RetryAfter != 0 {
			w.Errorf("before an event: %+v", s)
		}
		w.append("db", 1)
		time.Sleep(10 * time.Second) // the next attempt is about half a minute after the second one
		s := w.subscribe(e, here, "").Status
		if !s.Throttled || s.RetryAfter < 15*time.Second || s.RetryAfter > 36*time.Second || s.LastError != "http_5xx" {
			w.Errorf("after failures: %+v", s)
		}
		w.append("db", 1) // whose next attempt comes before the other one's
		time.Sleep(time.Second)
		if s = w.subscribe(e, here, "").Status; !s.Throttled || s.RetryAfter <= 0 || s.RetryAfter > 6*time.Second {
			w.Errorf("with two that wait: %+v", s)
		}
	})
}
