package auth_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/auth"
)

// flood has n programs at one address send random tokens, until the test says stop. They do not wait for answers.
func (r *rig) flood(from string, n int, stop <-chan struct{}) (wait func()) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				ctx, leave := context.WithTimeout(context.Background(), 250*time.Millisecond)
				req := request("tools/call", "whoami", `"name":"whoami"`, "remote", from+":4711",
					"Authorization", fmt.Sprintf("Bearer random-%s-%d-%d", from, i, n))
				r.http.ServeHTTP(httptest.NewRecorder(), req.WithContext(ctx))
				<-ctx.Done()
				leave()
			}
		})
	}
	return all.Wait
}

// Who sends random tokens keeps out nobody at another address, whether the issuer answers each in a moment, thinks, or
// does not answer. Few addresses cannot take all places; many can, and new users wait for the next one that is free. No
// more than 32 questions run at a time.
func TestFloodOfTokens(t *testing.T) {
	for name, x := range map[string]struct {
		takes           time.Duration // the issuer, for a random token
		attackers, each int
		waits           time.Duration // a new user, at most
		after           time.Duration // when the users come
	}{
		"fast":           {10 * time.Millisecond, 1, 150, 0, 2 * time.Second},
		"slow":           {time.Second, 1, 150, 0, 2 * time.Second},
		"never":          {time.Hour, 1, 150, 0, 2 * time.Second},
		"never, later":   {time.Hour, 1, 150, 0, 12 * time.Second},
		"three are slow": {time.Second, 3, 100, 0, 2 * time.Second},
		"three, never":   {time.Hour, 3, 100, 0, 2 * time.Second},
		"many are slow":  {time.Second, 40, 10, 2 * time.Second, 2 * time.Second},
		"many, never":    {time.Hour, 40, 10, 0, 35 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { flooded(t, x.takes, x.attackers, x.each, x.waits, x.after) })
		})
	}
}

// flooded has new users come while attackers send tokens.
func flooded(t *testing.T, takes time.Duration, attackers, each int, waits, after time.Duration) {
	r := newRig(t, auth.Options{Introspect: true, ClientID: "server", ClientSecret: "s"})
	defer r.srv.Close()
	most := r.issuer.thinks(takes)
	known := func() {
		t.Helper()
		want(t, r.call("whoami", "Authorization", "Bearer known", "remote", "198.51.100.1:1"), 200, "", "known")
	}
	known()
	stop := make(chan struct{})
	var left []func()
	for i := range attackers {
		left = append(left, r.flood(fmt.Sprintf("192.0.2.%d", i), each, stop))
	}
	time.Sleep(after) // until they have what they can get
	for i := range 6 {
		user := fmt.Sprintf("user%d", i)
		start := time.Now()
		want(t, r.call("whoami", "Authorization", "Bearer "+user, "remote", fmt.Sprintf("198.51.100.%d:1", i)), 200, "", user)
		if d := time.Since(start); d > waits {
			t.Errorf("%s has waited %v", user, d)
		}
		known()
		time.Sleep(500 * time.Millisecond)
	}
	close(stop)
	for _, wait := range left {
		wait()
	}
	if n := most(); n > 32 {
		t.Errorf("%d questions at a time", n)
	}
	time.Sleep(time.Minute) // until what was left behind has returned
}

// After the first requests that an issuer has not answered in time, few wait for it, and the others get 503 at once.
// What is known counts. Once it answers one, all are served.
func TestHungIssuer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{Introspect: true, ClientID: "server", ClientSecret: "s"})
		defer r.srv.Close()
		r.issuer.thinks(0)
		answers := r.issuer.at["/introspect"]
		want(t, r.call("whoami", "Authorization", "Bearer known", "remote", "198.51.100.1:1"), 200, "", "known")
		r.issuer.set("/introspect", slow)
		if n := r.come(t, 0, 32, 503); n != 0 {
			t.Errorf("%d of the first are sent away at once", n)
		}
		for round := range 2 {
			if n := r.come(t, 100*(round+1), 100, 503); n != 92 {
				t.Errorf("%d of 100 are sent away at once", n)
			}
		}
		if n := r.come(t, 0, 20, 503); n != 19 {
			t.Errorf("%d of 20 that have waited in vain before are sent away at once", n)
		}
		want(t, r.call("whoami", "Authorization", "Bearer known", "remote", "198.51.100.1:1"), 200, "", "known")
		r.issuer.set("/introspect", answers)
		want(t, r.call("whoami", "Authorization", "Bearer first", "remote", "192.0.2.0:1"), 200, "", "first")
		if n := r.come(t, 0, 100, 200); n != 100 {
			t.Errorf("only %d of 100 are served at once", n)
		}
	})
}

// come has new users come at once, each from an address of its own. All get a status within five seconds. It returns
// how many get it at once.
func (r *rig) come(t *testing.T, from, n, status int) int {
	var all sync.WaitGroup
	var soon atomic.Int32
	start := time.Now()
	for i := range n {
		all.Go(func() {
			w := r.call("whoami", "Authorization", fmt.Sprintf("Bearer user%d-%v", i, start.Unix()), "remote",
				fmt.Sprintf("192.0.%d.%d:1", 2+(from+i)/100, (from+i)%100))
			if d := time.Since(start); w.Code != status || d > 5*time.Second {
				t.Errorf("%d %s after %v, want %d", w.Code, w.Body, d, status)
			} else if d == 0 {
				soon.Add(1)
			}
		})
	}
	all.Wait()
	return int(soon.Load())
}

// thinks has the issuer think for a while about random tokens. Others are of the user of that name, and it knows them.
// most returns how many questions have run at a time.
func (i *issuer) thinks(takes time.Duration) (most func() int) {
	var mu sync.Mutex
	var running, highest int
	count := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		running += n
		highest = max(highest, running)
	}
	i.set("/introspect", func(w http.ResponseWriter, req *http.Request) {
		count(1)
		defer count(-1)
		name := req.FormValue("token")
		active := !strings.HasPrefix(name, "random")
		if !active {
			select {
			case <-time.After(takes):
			case <-req.Context().Done():
			}
		}
		_ = json.NewEncoder(w).Encode(claims{"active": active, "aud": resource, "sub": name, "exp": time.Now().Unix() + 600})
	})
	return func() int {
		mu.Lock()
		defer mu.Unlock()
		return highest
	}
}
