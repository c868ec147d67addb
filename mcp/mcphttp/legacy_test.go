package mcphttp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

var legacyRevisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

func TestSessions(t *testing.T) {
	t.Attr("requirements", "http-endpoint http-notification http-notification-refused http-session-missing "+
		"http-session-gone http-session-delete http-version-absent http-version-wrong "+
		"http-older")
	for _, revision := range legacyRevisions {
		r := newRig(t, nil)
		s := r.initialize(t, revision)
		want(t, r.do("POST", ping, s...), 200, `{"jsonrpc":"2.0","id":1,"result":{}}`)
		want(t, r.do("POST", ping, append(s, "Mcp-Protocol-Version", revision)...), 200)
		want(t, r.do("POST", ping, append(s, "Mcp-Protocol-Version", "1999-01-01")...), 400)
		want(t, r.do("POST", ping, append(s, "Mcp-Protocol-Version", modernVersion)...), 400, "-32602")
		want(t, r.do("POST", ping), 400, `"id":1`)
		want(t, r.do("POST", ping, "Mcp-Session-Id", "AAAAAAAAAAAAAAAAAAAAAAAAAA"), 404)
		want(t, r.do("POST", `{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"r:///b"}}`, s...), 200, "-32002")
		want(t, r.do("POST", `{"jsonrpc":"2.0","id":2,"method":"no/such"}`, s...), 200, "-32601")
		want(t, r.do("POST", `{"jsonrpc":"2.0","id":77,"result":{}}`, s...), 202)

		batch := r.do("POST", `[`+ping+`,{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":2,"method":"no/such"}]`, s...)
		quiet := r.do("POST", `[{"jsonrpc":"2.0","method":"notifications/x"}]`, s...)
		if revision == "2025-03-26" {
			want(t, batch, 200, `[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"error":{"code":-32601`)
			want(t, quiet, 202)
		} else {
			want(t, batch, 400)
			want(t, quiet, 400)
		}
		// The other era is served beside it, and takes no notice of the session.
		body, headers := modern("server/discover", "", "")
		want(t, r.do("POST", body, append(headers, s...)...), 200, "supportedVersions")

		want(t, r.do("DELETE", "", s...), 204)
		want(t, r.do("DELETE", "", s...), 404)
		want(t, r.do("POST", ping, s...), 404)
		want(t, r.do("GET", "", s...), 404)
	}
}

func TestSessionIDs(t *testing.T) {
	t.Attr("requirements", "http-session-id http-session-ascii practice-random")
	r := newRig(t, nil)
	seen := map[string]bool{}
	for range 100 {
		id := r.initialize(t, "2025-11-25")[1]
		if seen[id] || strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
			t.Errorf("id %q", id)
		}
		seen[id] = true
	}
}

func TestNewsStream(t *testing.T) {
	t.Attr("requirements", "http-endpoint http-related http-get http-get-response http-get-unrelated http-replay")
	r := newRig(t, nil)
	url := r.listen(t)
	s := r.initialize(t, "2025-11-25")
	want(t, r.do("POST", `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"r:///ä"}}`, s...), 200, `"result":{}`)
	r.srv.ResourceUpdated("r:///ä") // while nobody hears

	l := open(t, url, "GET", "", s...)
	id, data := l.event()
	if !strings.Contains(data, "resources/updated") || id == "" {
		t.Fatalf("%s %s", id, data)
	}
	r.srv.ResourceUpdated("r:///ä")
	if _, data := l.event(); !strings.Contains(data, "resources/updated") {
		t.Errorf("%s", data)
	}
	// A client whose connection broke takes over, and hears of all that may have changed meanwhile.
	again := open(t, url, "GET", "", append(s, "Last-Event-Id", id)...)
	again.both(t)
	if _, data := l.event(); data != "" {
		t.Errorf("the old stream got %s", data)
	}
	for _, bad := range []string{"0--1", "-1", "0-9223372036854775808", "0-18446744073709551616", "9-1", "x", "0-1x", "0", "0-0", " 0-1"} {
		if w := r.do("GET", "", append(s, "Last-Event-Id", bad)...); w.Code != http.StatusBadRequest {
			t.Errorf("Last-Event-ID %q: %d", bad, w.Code)
		}
	}
	// What belongs to a request comes on its own stream.
	want(t, r.do("POST", request("logging/setLevel", `"level":"info"`), s...), 200)
	want(t, r.do("POST", callOf(2, "log"), s...), 200, "first", "second", "done")
	want(t, r.do("DELETE", "", s...), 204)
	if rest := drain(again); strings.Contains(rest, "data: {") {
		t.Errorf("after a request and DELETE: %s", rest)
	}
}

// A broken connection does not end a request of these revisions; its answer can be fetched.
func TestResume(t *testing.T) {
	t.Attr("requirements", "http-not-before http-close-goes-on http-get-response http-event-ids http-replay "+
		"http-priming http-retry")
	for _, revision := range legacyRevisions {
		r := newRig(t, nil)
		url := r.listen(t)
		s := r.initialize(t, revision)
		want(t, r.do("POST", `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}`, s...), 200)
		l := open(t, url, "POST", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait"}}`, s...)
		id, data := l.event()
		if !strings.Contains(data, "waiting") || id == "" {
			t.Fatalf("%q %s", id, data)
		}
		if revision == "2025-11-25" && id == "1-1" {
			t.Error("the stream does not begin with an event that has only an id")
		}
		<-r.started
		beside := open(t, url, "POST", `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"wait"}}`, s...)
		besideID, _ := beside.event()
		<-r.started
		l.close()
		beside.close()
		close(r.proceed)
		// Each stream goes on with what belongs to it.
		other := open(t, url, "GET", "", append(s, "Last-Event-Id", besideID)...)
		if _, data := other.event(); !strings.Contains(data, `"id":3,"result"`) {
			t.Errorf("%s: the other stream is resumed with %s", revision, data)
		}
		again := open(t, url, "GET", "", append(s, "Last-Event-Id", id)...)
		if _, data := again.event(); !strings.Contains(data, `"id":2,"result"`) {
			t.Errorf("%s: resumed with %s", revision, data)
		}
		if rest := drain(again); strings.Contains(rest, "data") {
			t.Errorf("after the answer: %s", rest)
		}
		// The stream belongs to one session.
		s = r.initialize(t, revision)
		want(t, r.do("GET", "", append(s, "Last-Event-Id", id)...), 400)
	}
}

func TestCancelled(t *testing.T) {
	t.Attr("requirements", "cancel-stop")
	r := newRig(t, nil)
	url := r.listen(t)
	s := r.initialize(t, "2025-06-18")
	want(t, r.do("POST", `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}`, s...), 200)
	l := open(t, url, "POST", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait"}}`, s...)
	<-r.started
	want(t, r.do("POST", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"who"}}`, s...), 200, "-32600")
	want(t, r.do("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, s...), 202)
	<-r.ended
	if rest := drain(l); strings.Contains(rest, "result") || strings.Contains(rest, "error") {
		t.Errorf("a cancelled request was answered: %s", rest)
	}
}

func TestSessionsExpire(t *testing.T) {
	t.Attr("requirements", "http-session-gone")
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &mcphttp.Options{SessionTimeout: time.Hour})
		idle, used, heard := r.initialize(t, "2025-11-25"), r.initialize(t, "2025-11-25"), r.initialize(t, "2025-11-25")
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			req := httptest.NewRequestWithContext(ctx, "GET", target, nil)
			setHeaders(req, heard)
			r.http.ServeHTTP(httptest.NewRecorder(), req)
		}()
		for range 4 {
			time.Sleep(30 * time.Minute)
			want(t, r.do("POST", ping, used...), 200)
		}
		want(t, r.do("POST", ping, idle...), 404)
		want(t, r.do("POST", ping, heard...), 200)
		cancel()
		<-ended
		time.Sleep(2 * time.Hour)
		want(t, r.do("POST", ping, used...), 404)
		want(t, r.do("POST", ping, heard...), 404)
		_ = r.srv.Close()
	})
}

func TestLimits(t *testing.T) {
	r := newRig(t, &mcphttp.Options{MaxSessions: 2, MaxStreams: 1, MaxRequests: 1})
	url := r.listen(t)
	open1 := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	first, _ := r.initialize(t, "2025-11-25"), r.initialize(t, "2025-11-25")
	busy := func(w *httptest.ResponseRecorder) {
		t.Helper()
		want(t, w, 503)
		if w.Header().Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	busy(r.do("POST", open1))
	want(t, r.do("DELETE", "", first...), 204)
	second := r.initialize(t, "2025-11-25")

	body, headers := modern("subscriptions/listen", "", `"notifications":{}`)
	l := open(t, url, "POST", body, headers...)
	l.event()
	busy(r.do("POST", body, headers...))
	busy(r.do("GET", "", second...))
	// An open listen does not use up the requests.
	body, headers = modern("tools/call", "wait", `"name":"wait"`)
	done := make(chan *httptest.ResponseRecorder)
	go func() { done <- r.do("POST", body, headers...) }()
	<-r.started
	busy(r.do("POST", ping, second...))
	close(r.proceed)
	want(t, <-done, 200, "waited")
	want(t, r.do("POST", ping, second...), 200)
}

// Requests that come at the same time in one session are answered each on its own response.
func TestConcurrentPosts(t *testing.T) {
	t.Attr("requirements", "http-final http-eventually http-event-ids")
	r := newRig(t, nil)
	s := r.initialize(t, "2025-06-18")
	want(t, r.do("POST", `{"jsonrpc":"2.0","id":"l","method":"logging/setLevel","params":{"level":"info"}}`, s...), 200)
	var wg sync.WaitGroup
	var ids sync.Map // lines of events
	for i := range 200 {
		wg.Go(func() {
			text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"routed","arguments":{"who":"n%d"}}}`, i, i)
			want(t, r.do("POST", text, s...), 200, fmt.Sprintf(`"id":%d,"result"`, i), fmt.Sprintf(`n%d\"`, i))
			body, headers := modern("tools/call", "routed", fmt.Sprintf(`"name":"routed","arguments":{"who":"m%d"}`, i))
			want(t, r.do("POST", body, headers...), 200, `"id":1,"result"`, fmt.Sprintf(`m%d\"`, i))
			text = fmt.Sprintf(`{"jsonrpc":"2.0","id":"s%d","method":"tools/call","params":{"name":"log"}}`, i)
			w := r.do("POST", text, s...)
			want(t, w, 200, "first", "second", fmt.Sprintf(`"id":"s%d","result"`, i))
			for line := range strings.Lines(w.Body.String()) {
				if _, twice := ids.LoadOrStore(line, i); twice && strings.HasPrefix(line, "id: ") {
					t.Errorf("two events of the session have the %s", line)
				}
			}
		})
	}
	wg.Wait()
}

// The deadline of a stream must not outlive it: the connection carries other requests. On a busy machine a short
// deadline may end the first answer too; then a longer one is tried.
func TestDeadlineOfStreamEnds(t *testing.T) {
	for timeout := 300 * time.Millisecond; !deadlineOfStreamEnds(t, timeout); timeout *= 2 {
	}
}

// deadlineOfStreamEnds reports whether the deadline was long enough to see anything.
func deadlineOfStreamEnds(t *testing.T, timeout time.Duration) bool {
	t.Helper()
	r := newRig(t, &mcphttp.Options{WriteTimeout: timeout})
	url := r.listen(t)
	s := r.initialize(t, "2025-06-18")
	want(t, r.do("POST", `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}`, s...), 200)
	c := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
	defer c.CloseIdleConnections()
	post := func(text string) string {
		t.Helper()
		req, err := http.NewRequest(http.MethodPost, url+"/mcp", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		setHeaders(req, s)
		resp, err := c.Do(req)
		if err != nil {
			return err.Error()
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		return fmt.Sprint(string(b), err)
	}
	if got := post(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"log"}}`); !strings.Contains(got, "done") {
		if timeout > 5*time.Second {
			t.Fatalf("a call within a deadline of %v: %s", timeout, got)
		}
		return false
	}
	go func() { <-r.started; time.Sleep(timeout + 100*time.Millisecond); close(r.proceed) }()
	want(t, r.do("POST", `{"jsonrpc":"2.0","id":3,"method":"logging/setLevel","params":{"level":"error"}}`, s...), 200)
	if got := post(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"wait"}}`); !strings.Contains(got, "waited") {
		t.Errorf("the next answer on the connection: %s", got)
	}
	return true
}
