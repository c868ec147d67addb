package auth_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
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
	}{
		"fast":           {10 * time.Millisecond, 1, 150, 0},
		"slow":           {time.Second, 1, 150, 0},
		"never":          {time.Hour, 1, 150, 0},
		"three are slow": {time.Second, 3, 100, 0},
		"three, never":   {time.Hour, 3, 100, 0},
		"many are slow":  {time.Second, 40, 10, 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { flooded(t, x.takes, x.attackers, x.each, x.waits) })
		})
	}
}

// flooded has new users come while attackers send tokens.
func flooded(t *testing.T, takes time.Duration, attackers, each int, waits time.Duration) {
	r := newRig(t, auth.Options{Introspect: true, ClientID: "server", ClientSecret: "s"})
	defer r.srv.Close()
	most := r.issuer.thinks(takes)
	want(t, r.call("whoami", "Authorization", "Bearer known", "remote", "198.51.100.1:1"), 200, "", "known")
	stop := make(chan struct{})
	var left []func()
	for i := range attackers {
		left = append(left, r.flood(fmt.Sprintf("192.0.2.%d", i), each, stop))
	}
	time.Sleep(2 * time.Second) // until they have what they can get
	for i := range 6 {
		user := fmt.Sprintf("user%d", i)
		start := time.Now()
		want(t, r.call("whoami", "Authorization", "Bearer "+user, "remote", fmt.Sprintf("198.51.100.%d:1", i)), 200, "", user)
		if d := time.Since(start); d > waits {
			t.Errorf("%s has waited %v", user, d)
		}
		want(t, r.call("whoami", "Authorization", "Bearer known", "remote", "198.51.100.1:1"), 200, "", "known")
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
