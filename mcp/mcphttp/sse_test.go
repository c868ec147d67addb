package mcphttp_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// sseClient is a client that knows HTTP+SSE only.
type sseClient struct {
	*live
	t   testing.TB
	url string // of the messages
	// headers of every request
	headers []string
}

var endpointForm = regexp.MustCompile(`^/sse\?sessionId=[A-Z2-7]{26}$`)

// openSSE opens a stream, and reads its first event.
func openSSE(t testing.TB, url string, headers ...string) *sseClient {
	t.Helper()
	c := &sseClient{live: openAt(t, url+"/sse", "GET", "", headers...), t: t, headers: headers}
	if c.StatusCode != http.StatusOK || c.Header.Get("Content-Type") != "text/event-stream" ||
		c.Header.Get("X-Accel-Buffering") != "no" {
		t.Fatalf("GET: %d %v", c.StatusCode, c.Header)
	}
	if !c.lines.Scan() || c.lines.Text() != "event: endpoint" {
		t.Fatalf("the first event begins with %q", c.lines.Text())
	}
	_, data := c.event()
	if !endpointForm.MatchString(data) {
		t.Fatalf("endpoint %q", data)
	}
	c.url = url + data
	return c
}

// initialized opens a session of a revision.
func (c *sseClient) initialize(revision string) {
	c.t.Helper()
	c.post(202, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+revision+
		`","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	c.next(`"protocolVersion":"` + revision + `"`)
	c.post(202, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// post sends a message.
func (c *sseClient) post(status int, body string, headers ...string) string {
	c.t.Helper()
	got, text := postTo(c.t, c.url, body, append(headers, c.headers...)...)
	if got != status {
		c.t.Errorf("POST %.100s: %d, want %d: %s", body, got, status, text)
	}
	return text
}

// next reads one message, which has a text.
func (c *sseClient) next(text string) string {
	c.t.Helper()
	_, data := c.event()
	if !strings.Contains(data, text) {
		c.t.Fatalf("got %q, want %s", data, text)
	}
	return data
}

// postTo sends a message as clients of HTTP+SSE do: they say nothing about what they accept.
func postTo(t testing.TB, url, body string, headers ...string) (status int, text string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	setHeaders(req, append([]string{"Accept", ""}, headers...))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var b bytes.Buffer
	_, _ = b.ReadFrom(resp.Body)
	return resp.StatusCode, b.String()
}

func TestSSE(t *testing.T) {
	t.Attr("requirements", "http-sse-endpoints")
	for _, revision := range legacyRevisions {
		r := newRig(t, &mcphttp.Options{SSE: true})
		c := openSSE(t, r.listen(t))
		c.initialize(revision)
		c.post(202, ping)
		c.next(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		c.post(202, ping, "Mcp-Protocol-Version", revision)
		c.next(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		c.post(202, request("no/such", ""))
		c.next("-32601")
		c.post(202, request("resources/subscribe", `"uri":"r:///ä"`))
		c.next(`"result":{}`)
		r.srv.ResourceUpdated("r:///ä")
		c.next("notifications/resources/updated")
		c.post(202, request("logging/setLevel", `"level":"info"`))
		c.next(`"result":{}`)
		c.post(202, request("tools/call", `"name":"log"`))
		for _, text := range []string{"first", "second", "done"} {
			c.next(text)
		}
		c.post(202, request("tools/call", `"name":"exit"`)) // whose code ends the goroutine
		c.next(`"id":1,"error"`)
		batch := `[` + ping + `,{"jsonrpc":"2.0","id":2,"method":"no/such"}]`
		if revision == "2025-03-26" {
			c.post(202, batch)
			c.next(`[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"error":{"code":-32601`)
		} else {
			c.post(400, batch)
		}
		// Streamable HTTP is served beside it, and does not know the session.
		r.initialize(t, revision)
		_, id, _ := strings.Cut(c.url, "=")
		want(t, r.do("POST", ping, "Mcp-Session-Id", id), 404)
	}
}

// A session ends with its stream, and so do its requests.
func TestSSEStreamIsSession(t *testing.T) {
	r := newRig(t, &mcphttp.Options{SSE: true})
	url := r.listen(t)
	c := openSSE(t, url)
	c.initialize("2024-11-05")
	c.post(202, request("tools/call", `"name":"wait"`))
	<-r.started
	c.close()
	<-r.ended
	for len(r.srv.Stats().Streams) > 0 { // the test has a time limit
		time.Sleep(time.Millisecond)
	}
	if code, text := postTo(t, c.url, ping); code != 404 || !strings.Contains(text, "does not exist") {
		t.Errorf("after the end: %d %s", code, text)
	}
	if s := r.srv.Stats(); len(s.PendingBytes) > 0 {
		t.Errorf("%v bytes are pending", s.PendingBytes)
	}
	c = openSSE(t, url)
	c.post(202, request("tools/list", "")) // a new session, which begins with initialize like every other
	c.next(`"error"`)
	c.initialize("2025-11-25")
}

// What has begun is answered before the stream ends, and what comes later is refused.
func TestSSEClose(t *testing.T) {
	r := newRig(t, &mcphttp.Options{SSE: true})
	url := r.listen(t)
	idle, c := openSSE(t, url), openSSE(t, url)
	c.initialize("2025-06-18")
	c.post(202, request("tools/call", `"name":"wait"`))
	<-r.started
	var wg sync.WaitGroup
	wg.Go(func() { _ = r.srv.Close() })
	if _, data := idle.event(); data != "" {
		t.Errorf("an idle session got %s", data)
	}
	c.post(503, ping)
	close(r.proceed)
	c.next("waited")
	if _, data := c.event(); data != "" {
		t.Errorf("after the end: %s", data)
	}
	wg.Wait()
}

// declinesNewer sends requests of a revision without sessions, which are declined on the stream: the session goes on.
func declinesNewer(c *sseClient) {
	discover, modernHeaders := modern("server/discover", "", "")
	for _, m := range []struct {
		body    string
		headers []string
	}{{discover, modernHeaders}, {discover, nil}, {ping, []string{"Mcp-Protocol-Version", modernVersion}}} {
		c.post(202, m.body, m.headers...)
		c.next(`"error":{"code":-32601,"message":"method not found: HTTP+SSE has only revisions before `)
	}
	c.post(202, strings.Replace(discover, `"id":1,`, "", 1))
}

func TestSSERefusals(t *testing.T) {
	t.Attr("requirements", "http-origin")
	who := func(r *http.Request) (mcp.Caller, error) {
		return mcp.Caller{Subject: r.Header.Get("Who")}, nil
	}
	var log logText
	r := newRig(t, &mcphttp.Options{SSE: true, Authenticate: who, MaxBody: 1 << 10,
		Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	url := r.listen(t)
	c := openSSE(t, url, "Who", "ann")
	c.post(202, request("tools/list", ""))
	c.next("not initialized: each stream is a new session, which begins with initialize")
	c.initialize("2025-11-25")
	for _, row := range []struct {
		name, url, body string
		status          int
		headers         []string
	}{
		{"no id", url + "/sse", ping, 400, []string{"Who", "ann"}},
		{"two ids", c.url + "&sessionId=x", ping, 400, []string{"Who", "ann"}},
		{"empty id", url + "/sse?sessionId=", ping, 400, []string{"Who", "ann"}},
		{"unknown id", url + "/sse?sessionId=AAAAAAAAAAAAAAAAAAAAAAAAAA", ping, 404, []string{"Who", "ann"}},
		{"another subject", c.url, ping, 404, []string{"Who", "bob"}},
		{"nobody", c.url, ping, 404, nil},
		{"another host", c.url, ping, 403, []string{"Who", "ann", "Host", "evil.example"}},
		{"another origin", c.url, ping, 403, []string{"Who", "ann", "Origin", "https://evil.example"}},
		{"no JSON", c.url, `{"jsonrpc":`, 400, []string{"Who", "ann"}},
		{"a large body", c.url, `"` + strings.Repeat("x", 2<<10) + `"`, 413, []string{"Who", "ann"}},
	} {
		code, text := postTo(t, row.url, row.body, row.headers...)
		if code != row.status || !strings.Contains(text, "-32") {
			t.Errorf("%s: %d, want %d: %s", row.name, code, row.status, text)
		}
	}
	for _, row := range []struct {
		name, method string
		status       int
		headers      []string
	}{
		{"another host", "GET", 403, []string{"Host", "evil.example"}},
		{"another origin", "GET", 403, []string{"Origin", "https://evil.example"}},
		{"another revision", "GET", 400, []string{"Mcp-Protocol-Version", modernVersion}},
		{"a stream that broke", "GET", 400, []string{"Last-Event-Id", "0-1"}},
		{"another media type", "GET", 406, []string{"Accept", "", "Accept", "application/json"}},
		{"DELETE", "DELETE", 405, nil},
	} {
		l := openAt(t, url+"/sse", row.method, "", row.headers...)
		if l.StatusCode != row.status {
			t.Errorf("%s: %d, want %d", row.name, l.StatusCode, row.status)
		}
		l.close()
	}
	declinesNewer(c)
	c.post(202, ping)
	c.next(`"result":{}`)
	_, id, _ := strings.Cut(c.url, "=")
	if strings.Contains(log.String(), id) {
		t.Errorf("the log has the id of a session: %s", log.String())
	}
}

// Nothing of it is there unless it is wanted.
func TestSSEIsOff(t *testing.T) {
	t.Attr("requirements", "http-sse-deprecated deprecated-features")
	r := newRig(t, nil)
	if l := openAt(t, r.listen(t)+"/sse", "GET", ""); l.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", l.StatusCode)
	}
}

// Sessions and streams count like all others.
func TestSSELimits(t *testing.T) {
	for _, o := range []mcphttp.Options{{MaxSessions: 2}, {MaxStreams: 2}, {MaxPerClient: 2}} {
		o.SSE = true
		r := newRig(t, &o)
		url := r.listen(t)
		first := openSSE(t, url)
		openSSE(t, url)
		l := openAt(t, url+"/sse", "GET", "")
		if l.StatusCode != http.StatusServiceUnavailable || l.Header.Get("Retry-After") == "" {
			t.Errorf("%+v: %d", o, l.StatusCode)
		}
		first.close()
		for l.close(); l.StatusCode != http.StatusOK; l.close() {
			l = openAt(t, url+"/sse", "GET", "")
		}
	}
}

// A notification of an extension runs code of the program, and counts like a request meanwhile.
func TestSSENotificationOfExtension(t *testing.T) {
	began, goOn := make(chan bool), make(chan bool)
	r := newRigWith(t, &mcphttp.Options{SSE: true, MaxRequests: 1}, nil, func(f *mcprt.Features) {
		f.Extensions = mcprt.Extensions(mcprt.Extension{ID: "com.example/x", Methods: []mcprt.Method{{
			Name: "x/told", Notification: true, Undeclared: true,
			Call: func(*mcprt.Call, []byte) (json.RawMessage, error) {
				began <- true
				<-goOn
				return json.RawMessage("{}"), nil
			},
		}}})
	})
	c := openSSE(t, r.listen(t))
	c.initialize("2025-11-25")
	told := `{"jsonrpc":"2.0","method":"x/told"}`
	for { // the request before may not have given its place back yet
		if code, _ := postTo(t, c.url, told); code == 202 {
			break
		}
	}
	<-began
	c.post(503, ping)
	c.post(503, told)
	c.post(202, `{"jsonrpc":"2.0","method":"notifications/x"}`)
	close(goOn)
}

// A session ends when its last caller expires, and when initialize does not come.
func TestSSEExpires(t *testing.T) {
	for _, row := range []struct {
		name    string
		get     string   // how long the caller of the stream counts
		renewed []string // how long the callers of messages count, which come every 5s
		after   time.Duration
	}{
		{"the caller of the stream", "20s", nil, 20 * time.Second},
		{"a later caller", "20s", []string{"20s"}, 25 * time.Second},
		{"callers who expire before another", "20s", []string{"25s", "1s"}, 30 * time.Second},
		{"no initialize", "1h", nil, time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, &mcphttp.Options{SSE: true, Authenticate: tokens})
			defer func() { _ = r.srv.Close() }()
			request := func(w http.ResponseWriter, method, path, body, lasts string) {
				q := httptest.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
				setHeaders(q, []string{"Authorization", "Bearer ann read " + lasts})
				r.http.ServeHTTP(w, q)
			}
			begin := time.Now()
			stream := newRecorder()
			over := make(chan bool)
			go func() {
				request(stream, "GET", "/sse", "", row.get)
				close(over)
			}()
			synctest.Wait()
			_, path, _ := strings.Cut(strings.TrimSpace(stream.all()), "data: ")
			for _, lasts := range row.renewed {
				time.Sleep(5 * time.Second)
				w := httptest.NewRecorder()
				request(w, "POST", path, `{"jsonrpc":"2.0","method":"notifications/x"}`, lasts)
				want(t, w, 202)
			}
			<-over
			text := stream.all()
			if took := time.Since(begin); took != row.after || !strings.Contains(text, "event: endpoint") {
				t.Errorf("%s: it ends after %v with %q", row.name, took, text)
			}
		})
	}
}

// A panic of the program is an error for its client, as everywhere: no goroutine of the transport ends the process.
func TestSSEPanic(t *testing.T) {
	r := newRigWith(t, &mcphttp.Options{SSE: true}, nil, func(f *mcprt.Features) {
		f.Resources[0].Read = func(*mcprt.Call) (mcprt.Contents, error) { panic("in a handler") }
	})
	c := openSSE(t, r.listen(t))
	c.initialize("2025-11-25")
	c.post(202, request("resources/read", `"uri":"r:///ä"`))
	c.next(`"id":1,"error"`)
	c.post(202, ping)
	c.next(`"result":{}`)
}
