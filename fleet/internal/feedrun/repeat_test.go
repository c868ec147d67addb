package feedrun

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/fleet/feed"
)

// A planted repeat goes the whole way of a run, from the callback to the verdict. Without a kill it is a violation, and
// a kill between the two posts excuses it.
func TestVerdictOfRepeats(t *testing.T) {
	for name, c := range map[string]struct {
		posts  int
		killed bool
		want   string // a part of what the run prints
		fails  bool
	}{
		"none":               {posts: 1, want: "0 repeats after 0 kills and 0 times that leases were lost, in 0s; 0 violations"},
		"one":                {posts: 2, want: "1 of 1 repeats at s are not of events that were on their way", fails: true},
		"one after a kill":   {posts: 2, killed: true, want: "1 repeats after 1 kills"},
		"more than a kill's": {posts: window + 2, killed: true, want: "1 of 9 repeats at s", fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			r := &run{Config: Config{Out: &out, Events: 2}, keys: 10, judge: newJudge(10)}
			hooks, err := startCallbacks(context.Background(), r.judge)
			if err != nil {
				t.Fatal(err)
			}
			defer hooks.http.Close()
			e := feed.At(2, r.keys)
			e.Secret = ""
			r.judge.subscribed("s", "p1", feed.Filter{Key: e.Key})
			r.judge.Committed(1, r.Events)
			for i := range c.posts {
				if post(t, hooks, "p1", "s", e) != http.StatusNoContent {
					t.Fatal("the callback refuses the event")
				}
				if c.killed && i == 0 {
					r.judge.Killed(time.Now(), time.Now())
					r.Kills = 1
				}
			}
			err = r.verdict(0)
			if (err != nil) != c.fails || !strings.Contains(out.String(), c.want) {
				t.Errorf("the verdict is %v, want an error: %v; it prints %s, want %q", err, c.fails, out.String(), c.want)
			}
		})
	}
}

// post sends an event to a callback as a replica does, and returns the status of the answer.
func post(t *testing.T, hooks *callbacks, principal, id string, e feed.Event) int {
	t.Helper()
	body, err := json.Marshal(map[string]any{"eventId": e.ID, "data": e})
	if err != nil {
		t.Fatal(err)
	}
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, hooks.url(principal), bytes.NewReader(body))
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(e.ID + ".1."))
	mac.Write(body)
	for name, value := range map[string]string{
		"Webhook-Id": e.ID, "Webhook-Timestamp": "1", "X-Mcp-Subscription-Id": id,
		"Webhook-Signature": "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)),
	} {
		req.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	hooks.ServeHTTP(w, req)
	return w.Code
}
