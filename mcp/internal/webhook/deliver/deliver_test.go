package deliver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/sign"
)

const here = "https://hook.test/a"

func always(status int, wait time.Duration) func(received) (int, time.Duration) {
	return func(received) (int, time.Duration) { return status, wait }
}

func TestDelivery(t *testing.T) {
	t.Attr("requirements", "event-headers")
	inBubble(t, func(w *world) {
		c, other := w.callback(here, nil), w.callback("https://hook.test/b", nil)
		e, _ := w.replica(Options{})
		g := w.subscribe(e, here, "db")
		w.subscribe(e, "https://hook.test/b", "web")
		w.append("db", 50)
		w.append("web", 5)
		time.Sleep(time.Second)
		w.all(c, 50, 0)
		w.all(other, 5, 0)
		for _, m := range w.messages(c) {
			var cursor string
			_ = json.Unmarshal(m.body["cursor"], &cursor)
			var seq, at int
			_, _ = fmt.Sscanf(m.id, "evt%d", &seq)
			_, _ = fmt.Sscanf(cursor, "e1:%d", &at)
			if m.sub != g.ID || string(m.body["eventId"]) != fmt.Sprintf("%q", m.id) || at >= seq || cursor == "" {
				w.Errorf("message %+v", m)
			}
		}
		time.Sleep(time.Minute)
		s, p, _ := w.store.Get(w.Context(), g.ID)
		if p.At != w.end() || len(p.Pending) != 0 || s.State != event.Live {
			w.Errorf("progress %+v", p)
		}
		if got := e.Stats(); got.Delivered != 55 || got.Retried != 0 || got.InFlight != 0 || got.Subscriptions != 2 {
			w.Errorf("stats %+v", got)
		}
	})
}

// Events of a replica that wakes nobody arrive soon too.
func TestNoWake(t *testing.T) {
	inBubble(t, func(w *world) {
		c, other := w.callback(here, nil), w.callback("https://hook.test/b", nil)
		e, _ := w.replica(Options{})
		w.subscribe(e, here, "")
		w.subscribe(e, "https://hook.test/b", "")
		w.deaf = true
		w.append("db", 20)
		time.Sleep(2 * time.Second)
		w.all(c, 20, 0)
		w.all(other, 20, 0)
	})
}

// Those to which nothing is sent do not look into the log for the others.
func TestNoWakeAmongSuspended(t *testing.T) {
	inBubble(t, func(w *world) {
		c := w.callback(here, nil)
		e, _ := w.replica(Options{})
		for i := range 60 {
			w.subscribe(e, here, fmt.Sprint(i))
		}
		e.mu.Lock()
		for _, s := range e.subs {
			s.p.Suspended = s.def.Version
		}
		e.mu.Unlock()
		w.subscribe(e, here, "")
		w.deaf = true
		for i := range 3 {
			w.append("db", 1)
			time.Sleep(1200 * time.Millisecond)
			w.all(c, i+1, 0)
		}
	})
}

// A failed attempt is made again, with a time and a signature of its own, at growing pauses.
func TestRetry(t *testing.T) {
	t.Attr("requirements", "event-sign")
	inBubble(t, func(w *world) {
		began := time.Now()
		c := w.callback(here, func(received) (int, time.Duration) {
			if time.Since(began) < 2*time.Minute {
				return http.StatusInternalServerError, 0
			}
			return http.StatusOK, 0
		})
		e, _ := w.replica(Options{})
		w.subscribe(e, here, "")
		w.append("db", 1)
		time.Sleep(10 * time.Minute)
		w.all(c, 1, 0)
		if len(w.messages(c)) != 4 {
			w.Fatalf("%d attempts", len(w.messages(c)))
		}
		for i, pause := range []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute} {
			if d := w.messages(c)[i+1].at.Sub(w.messages(c)[i].at); d < pause*8/10-time.Second || d > pause*12/10+time.Second {
				w.Errorf("pause %d was %v", i, d)
			}
			if w.messages(c)[i].id != w.messages(c)[i+1].id || !w.messages(c)[i+1].signed[0] {
				w.Errorf("attempt %d: %+v", i, w.messages(c)[i+1])
			}
		}
	})
}

// What was tried before a restart is not forgotten: neither how often, nor when it is tried again.
func TestRetryAfterRestart(t *testing.T) {
	t.Attr("requirements", "event-ttl")
	inBubble(t, func(w *world) {
		c := w.callback(here, always(http.StatusInternalServerError, 0))
		e, kill := w.replica(Options{})
		w.subscribe(e, here, "")
		w.append("db", 1)
		time.Sleep(time.Minute) // three attempts
		tried := len(w.messages(c))
		kill()
		w.replica(Options{})
		time.Sleep(20 * time.Minute)
		if events := len(w.messages(c)) - len(w.kindsOf(c)); tried != 3 || events != 5 {
			w.Fatalf("%d attempts before and %d in all", tried, events)
		}
	})
}

// An event that a log does not show for a moment, such as that of another replica, is not lost.
func TestRetryOfWhatIsNotVisible(t *testing.T) {
	inBubble(t, func(w *world) {
		tries := 0
		c := w.callback(here, func(received) (int, time.Duration) {
			if tries++; tries == 1 {
				w.mu.Lock()
				w.blind = 1
				w.mu.Unlock()
				return http.StatusServiceUnavailable, 0
			}
			return http.StatusOK, 0
		})
		e, _ := w.replica(Options{})
		w.subscribe(e, here, "")
		w.append("db", 1)
		time.Sleep(time.Minute)
		w.all(c, 1, 0)
		if got := e.Stats(); got.Gaps != 0 {
			w.Errorf("stats %+v", got)
		}
	})
}

func (w *world) kindsOf(c *callback) (out []string) {
	for _, m := range w.messages(c) {
		if m.kind != "" {
			out = append(out, m.kind)
		}
	}
	return out
}

// Callbacks that hang, answer slowly or are dead do not delay others, of other hosts and of the same.
func TestSlowNeighbours(t *testing.T) {
	inBubble(t, func(w *world) {
		e, _ := w.replica(Options{})
		for i := range 40 {
			url := fmt.Sprintf("https://slow%d.test/", i%20) + fmt.Sprint(i)
			w.callback(url, always(http.StatusOK, time.Hour))
			r := w.request(url, "")
			r.Caller.Subject = fmt.Sprint("mallory", i%4)
			if _, err := e.Subscribe(w.Context(), r); err != nil {
				w.Fatal(err)
			}
		}
		c := w.callback(here, nil)
		w.subscribe(e, here, "")
		for range 60 {
			w.append("db", 10)
			time.Sleep(time.Second)
		}
		w.all(c, 600, 0)
		for _, m := range w.messages(c) {
			var seq int
			_, _ = fmt.Sscanf(m.id, "evt%d", &seq)
			if late := m.at.Sub(w.messages(c)[0].at) - time.Duration((seq-1)/10)*time.Second; late > time.Second {
				w.Fatalf("%s is %v late", m.id, late)
			}
		}
		if got := e.Stats().Failures["timeout"]; got == 0 {
			w.Error("no callback was slow")
		}
	})
}

// A host gets no more at once than its share, and one that fails gets one message at a time until it works again.
func TestHosts(t *testing.T) {
	inBubble(t, func(w *world) {
		e, _ := w.replica(Options{PerHost: 4})
		var wait atomic.Int64
		wait.Store(int64(time.Hour))
		var one *callback
		for i := range 8 {
			url := fmt.Sprint("https://one.test/", i)
			one = w.callback(url, func(received) (int, time.Duration) {
				return http.StatusOK, time.Duration(wait.Load())
			})
			w.subscribe(e, url, "")
		}
		most := func(in time.Duration) int {
			w.mu.Lock()
			one.flying.most = one.flying.now
			w.mu.Unlock()
			time.Sleep(in)
			w.mu.Lock()
			defer w.mu.Unlock()
			return one.flying.most
		}
		w.append("db", 10)
		if got := most(time.Second); got != 4 {
			w.Errorf("%d at once at first", got)
		}
		time.Sleep(10 * time.Second)
		if got := most(time.Minute); got != 1 {
			w.Errorf("%d at once to a host that fails", got)
		}
		wait.Store(int64(100 * time.Millisecond))
		time.Sleep(6 * time.Second)
		w.append("db", 10)
		if got := most(10 * time.Minute); got != 4 {
			w.Errorf("%d at once after it works again", got)
		}
		w.all(one, 20, 8) // one that answers too late has it all the same
	})
}

// A callback that fails all the time is left alone, until its subscription is refreshed; then it gets everything.
func TestSuspension(t *testing.T) {
	t.Attr("requirements", "event-status")
	inBubble(t, func(w *world) {
		var status atomic.Int32
		status.Store(http.StatusInternalServerError)
		c := w.callback(here, func(received) (int, time.Duration) { return int(status.Load()), 0 })
		e, _ := w.replica(Options{})
		g := w.subscribe(e, here, "")
		w.append("db", 200)
		time.Sleep(45 * time.Minute)
		if got := e.Stats().Suspended; got != 1 {
			w.Fatalf("%d suspended after %d attempts", got, len(w.messages(c)))
		}
		before := len(w.messages(c))
		w.append("db", 10)
		time.Sleep(10 * time.Minute)
		if len(w.messages(c)) != before {
			w.Fatalf("%d attempts while suspended", len(w.messages(c))-before)
		}
		w.subscribe(e, here, "") // counts anew
		if got := e.Stats().Suspended; got != 0 || len(w.messages(c)) == before {
			w.Fatalf("%d suspended after a refresh", got)
		}
		time.Sleep(45 * time.Minute)
		if got := e.Stats().Suspended; got != 1 {
			w.Fatalf("%d suspended after more failures", got)
		}
		status.Store(http.StatusOK)
		again := w.subscribe(e, here, "")
		st := again.Status
		if again.ID != g.ID || !st.Active || st.LastError != "http_5xx" || st.FailedSince.IsZero() {
			w.Errorf("refresh: %+v %+v", again, st)
		}
		time.Sleep(time.Second)
		ids, _ := w.got(c)
		if !slices.Contains(ids, "evt210") || len(ids) < 130 || e.Stats().Suspended != 0 {
			w.Errorf("%d events after the refresh", len(ids))
		}
	})
}

// Attempts count for an hour: a callback that fails a little every few hours is not left alone, and one that fails as
// often within an hour is.
func TestOldFailuresDoNotCount(t *testing.T) {
	inBubble(t, func(w *world) {
		w.callback(here, always(http.StatusInternalServerError, 0))
		e, _ := w.replica(Options{})
		r := w.request(here, "")
		r.TTL = event.TTL{Set: true, For: 24 * time.Hour}
		if _, err := e.Subscribe(w.Context(), r); err != nil {
			w.Fatal(err)
		}
		for _, c := range []struct {
			pause time.Duration
			want  int64 // suspended
		}{{3 * time.Hour, 0}, {3 * time.Hour, 0}, {20 * time.Minute, 0}, {20 * time.Minute, 1}} {
			before := e.Stats().Failures["http_5xx"]
			w.append("db", 11)
			time.Sleep(c.pause)
			s := e.Stats()
			if n := s.Failures["http_5xx"] - before; c.want == 0 && n < enough/2 || n >= enough || s.Suspended != c.want {
				w.Fatalf("after %v and %d failures %d are suspended, want %d", c.pause, n, s.Suspended, c.want)
			}
		}
	})
}

// Rights that are gone end a subscription, also for events that wait for their next attempt.
func TestRevoked(t *testing.T) {
	t.Attr("requirements", "event-authorize event-controls event-recheck")
	inBubble(t, func(w *world) {
		var status atomic.Int32
		status.Store(http.StatusServiceUnavailable)
		c := w.callback(here, func(received) (int, time.Duration) { return int(status.Load()), 0 })
		e, _ := w.replica(Options{})
		g := w.subscribe(e, here, "")
		w.append("db", 8) // there is no room for more, so that it is the attempts that ask
		time.Sleep(time.Second)
		w.mu.Lock()
		w.revoked["alice"] = true
		w.mu.Unlock()
		status.Store(http.StatusOK)
		time.Sleep(10 * time.Minute)
		ids, kinds := w.got(c)
		if len(ids) != 0 || !slices.Equal(kinds, []string{"terminated"}) {
			w.Fatalf("%v %v", ids, kinds)
		}
		if last := w.messages(c)[len(w.messages(c))-1]; string(last.body["error"]) != `{"code":1,"message":"revoked"}` {
			w.Errorf("terminated: %s", last.body["error"])
		}
		if s, _, _ := w.store.Get(w.Context(), g.ID); s.State != event.Ended || e.Stats().Subscriptions != 0 {
			w.Errorf("state %d", s.State)
		}
	})
}

// Two secrets sign while one replaces the other, and the old one stops.
func TestRotation(t *testing.T) {
	t.Attr("requirements", "event-rotate")
	inBubble(t, func(w *world) {
		c := w.callback(here, nil)
		two, _ := sign.ParseSecret(secretOf(2))
		c.secrets = append(c.secrets, two)
		e, _ := w.replica(Options{})
		w.subscribe(e, here, "")
		w.append("db", 1)
		time.Sleep(time.Second)
		r := w.request(here, "")
		r.Secret = secretOf(2)
		for range 2 { // the second refresh repeats the secret, which is no rotation
			if _, err := e.Subscribe(w.Context(), r); err != nil {
				w.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		w.append("db", 1)
		time.Sleep(9 * time.Minute)
		w.append("db", 1)
		time.Sleep(2 * time.Minute)
		w.append("db", 1)
		time.Sleep(time.Second)
		w.all(c, 4, 0)
		for i, want := range [][]bool{{true, false}, {true, true}, {true, true}, {false, true}} {
			if !slices.Equal(w.messages(c)[i].signed, want) {
				w.Errorf("event %d is signed %v", i, w.messages(c)[i].signed)
			}
		}
		all, _ := w.store.List(w.Context(), "alice", "", 10)
		if text := string(all[0].Subscription.Secrets); strings.Contains(text, strings.Repeat("\x01", 8)) {
			w.Error("a secret is not sealed")
		}
	})
}
