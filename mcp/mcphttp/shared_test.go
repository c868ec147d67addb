package mcphttp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/memory"
)

// fleet is several replicas of one server.
type fleet struct {
	t     testing.TB
	bus   replica.Bus
	store replica.SessionStore
	all   []*rig
	webs  map[int]*httptest.Server
}

// newFleet returns n replicas; a nil store means that they have none. Inside of a synctest bubble the caller closes it.
func newFleet(t testing.TB, n int, store replica.SessionStore, opts *mcphttp.Options) *fleet {
	t.Helper()
	f := &fleet{t: t, bus: new(memory.Bus), store: store, webs: map[int]*httptest.Server{}}
	for range n {
		f.add(opts)
	}
	t.Cleanup(f.close)
	return f
}

func (f *fleet) close() {
	for _, r := range f.all {
		_ = r.srv.Close()
	}
	for _, web := range f.webs {
		web.Close()
	}
	clear(f.webs)
	http.DefaultClient.CloseIdleConnections()
}

// add starts one more replica.
func (f *fleet) add(opts *mcphttp.Options) *rig {
	f.t.Helper()
	o := mcphttp.Options{}
	if opts != nil {
		o = *opts
	}
	o.SessionStore = f.store
	r := newRigWith(f.t, &o, &mcp.Options{Keys: [][]byte{[]byte(sharedKey)}, Bus: replica.Over(f.bus)}, withQuestions)
	f.all = append(f.all, r)
	return r
}

// url is that of one replica.
func (f *fleet) url(i int) string {
	if f.webs[i] == nil {
		f.webs[i] = httptest.NewServer(f.all[i].http)
	}
	return f.webs[i].URL
}

// withQuestions adds a tool that asks the client for its folders, and resources of any number.
func withQuestions(f *mcprt.Features) {
	f.Tools = append(slices.Clone(f.Tools), mcprt.Tool{
		Entry: &protocol.Tool{Name: "ask", InputSchema: []byte(`{"type":"object"}`)},
		Call: func(c *mcprt.Call, _ []byte) (mcprt.ToolResult, error) {
			roots, err := (*mcp.Call)(c).Peer().AskRoots(c)
			return mcprt.ToolResultOf(mcp.ToolText(fmt.Sprint(len(roots), " roots")), err)
		}})
	f.Resources = append(slices.Clone(f.Resources), mcprt.Resource{
		Entry: &protocol.Resource{URI: "r:///b", Name: "b"}, Subscribe: true,
		Read: func(*mcprt.Call) (mcprt.Contents, error) { return mcprt.Text("text"), nil },
	})
	resources := f.Resources
	f.Route = func(uri string, _ *mcprt.Vars) int {
		return slices.IndexFunc(resources, func(r mcprt.Resource) bool { return r.Entry.URI == uri })
	}
}

const initializeWithRoots = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"%s",` +
	`"capabilities":{"roots":{}},"clientInfo":{"name":"t","version":"1"}}}`

// initialize opens a session on one replica.
func (f *fleet) initialize(at int, revision string) []string {
	f.t.Helper()
	w := f.all[at].do("POST", fmt.Sprintf(initializeWithRoots, revision))
	want(f.t, w, 200, revision)
	s := []string{"Mcp-Session-Id", w.Header().Get("Mcp-Session-Id")}
	last := (at + 1) % len(f.all)
	want(f.t, f.all[last].do("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, s...), 202)
	return s
}

// until reads events up to an update of a resource, and returns the id of that.
func (l *live) until(t testing.TB, uri string) (id string) {
	t.Helper()
	for {
		id, data := l.event()
		if data == "" {
			t.Fatalf("the stream has ended before an update of %s", uri)
		}
		if strings.Contains(data, "resources/updated") && strings.Contains(data, uri) {
			return id
		}
	}
}

func subscribeTo(uri string) string { return request("resources/subscribe", `"uri":"`+uri+`"`) }

func unsubscribeFrom(uri string) string { return request("resources/unsubscribe", `"uri":"`+uri+`"`) }

// POST, GET and DELETE of one session go to three replicas.
func TestSharedSession(t *testing.T) {
	for _, revision := range legacyRevisions {
		f := newFleet(t, 3, new(memory.Sessions), nil)
		s := f.initialize(0, revision)
		for _, r := range f.all {
			want(t, r.do("POST", ping, s...), 200)
			want(t, r.do("POST", request("tools/call", `"name":"who"`), s...), 200)
		}
		l := open(t, f.url(1), "GET", "", s...)
		if l.StatusCode != http.StatusOK {
			t.Fatalf("GET: %d %s", l.StatusCode, drain(l))
		}
		want(t, f.all[2].do("POST", subscribeTo("r:///ä"), s...), 200, `"result":{}`)
		l.until(t, "r:///ä") // it may have changed before the replica of the stream knew
		f.all[0].srv.ResourceUpdated("r:///ä")
		l.until(t, "r:///ä")
		want(t, f.all[0].do("POST", unsubscribeFrom("r:///ä"), s...), 200)
		want(t, f.all[0].do("POST", request("logging/setLevel", `"level":"info"`), s...), 200)
		want(t, f.all[0].do("POST", subscribeTo("r:///b"), s...), 200)
		l.until(t, "r:///b") // the replica of the stream knows all of this
		want(t, f.all[1].do("POST", request("tools/call", `"name":"log"`), s...), 200, "first", "second")
		f.all[2].srv.ResourceUpdated("r:///ä")
		f.all[2].srv.ResourceUpdated("r:///b")
		_, data := l.event()
		for strings.Contains(data, "list_changed") { // which may come while replicas get to know each other
			_, data = l.event()
		}
		if !strings.Contains(data, "r:///b") {
			t.Errorf("after unsubscribe: %s", data)
		}
		want(t, f.all[2].do("DELETE", "", s...), 204)
		for _, data := l.event(); data != ""; _, data = l.event() {
			if !strings.Contains(data, "r:///b") && !strings.Contains(data, "list_changed") { // for the same reason
				t.Errorf("after DELETE: %s", data)
			}
		}
		for _, r := range f.all {
			deadline := time.Now().Add(time.Minute)
			for r.do("POST", ping, s...).Code != 404 && time.Now().Before(deadline) {
				time.Sleep(10 * time.Millisecond)
			}
			want(t, r.do("POST", ping, s...), 404)
			want(t, r.do("GET", "", s...), 404)
			want(t, r.do("DELETE", "", s...), 404)
			want(t, r.do("POST", subscribeTo("r:///ä"), s...), 404)
		}
	}
}

// The only server starts again: sessions and subscriptions are as they were.
func TestSharedSessionAfterRestart(t *testing.T) {
	f := newFleet(t, 1, new(memory.Sessions), nil)
	s := f.initialize(0, "2025-11-25")
	want(t, f.all[0].do("POST", subscribeTo("r:///ä"), s...), 200)
	l := open(t, f.url(0), "GET", "", s...)
	f.all[0].srv.ResourceUpdated("r:///ä")
	id := l.until(t, "r:///ä")
	_ = f.all[0].srv.Close()
	drain(l)
	r := f.add(nil)
	want(t, r.do("POST", ping, s...), 200)
	for _, last := range []string{"", id, l.Header.Get("X")} { // that of the dead process says nothing
		again := open(t, f.url(1), "GET", "", append(s, "Last-Event-Id", last)...)
		if again.StatusCode != http.StatusOK {
			t.Fatalf("%q: %d %s", last, again.StatusCode, drain(again))
		}
		again.until(t, "r:///ä")
		again.close()
	}
	want(t, r.do("POST", unsubscribeFrom("r:///ä"), s...), 200)
	want(t, r.do("DELETE", "", s...), 204)
}

// The newest notification stream takes the place of the older one, which another replica has.
func TestSharedStreamMoves(t *testing.T) {
	t.Attr("requirements", "http-no-broadcast")
	f := newFleet(t, 2, new(memory.Sessions), nil)
	s := f.initialize(0, "2025-11-25")
	want(t, f.all[0].do("POST", subscribeTo("r:///ä"), s...), 200)
	old := open(t, f.url(0), "GET", "", s...)
	old.until(t, "r:///ä")
	for i := range 6 {
		at := (i + 1) % 2
		l := open(t, f.url(at), "GET", "", s...)
		l.until(t, "r:///ä")
		drain(old) // it ends
		f.all[i/2%2].srv.ResourceUpdated("r:///ä")
		l.until(t, "r:///ä")
		old = l
	}
}

// A response of the client reaches the request that waits for it on another replica, of a session in a store and of one
// that was adopted.
func TestAnswerElsewhere(t *testing.T) {
	for _, store := range []replica.SessionStore{nil, new(memory.Sessions)} {
		for _, revision := range legacyRevisions {
			f := newFleet(t, 3, store, nil)
			s := f.initialize(0, revision)
			seen := map[string]bool{}
			for i := range 4 {
				l := open(t, f.url(i%3), "POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ask"}}`,
					100+i), s...)
				_, question := l.event()
				_, id, _ := strings.Cut(question, `"id":"`)
				id, _, _ = strings.Cut(id, `"`)
				if !strings.Contains(question, "roots/list") || seen[id] {
					t.Fatalf("%q: %s", id, question)
				}
				seen[id] = true
				answer := `{"jsonrpc":"2.0","id":"` + id + `","result":{"roots":[{"uri":"file:///a"}]}}`
				if revision == "2025-03-26" && i == 3 {
					answer = "[" + answer + "]"
				}
				want(t, f.all[(i+1)%3].do("POST", answer, s...), 202)
				if _, data := l.event(); !strings.Contains(data, "1 roots") {
					t.Errorf("%s: %s", revision, data)
				}
				want(t, f.all[(i+2)%3].do("POST", answer, s...), 202) // a copy has no effect
			}
		}
	}
}

// Who waits for a response may have gone: the client is told.
func TestAnswerToNobody(t *testing.T) { synctest.Test(t, answerToNobody) }

func answerToNobody(t *testing.T) {
	f := newFleet(t, 2, new(memory.Sessions), nil)
	s := f.initialize(0, "2025-11-25")
	defer f.close()
	time.Sleep(6 * time.Second) // until the replicas know each other
	begun := time.Now()
	w := f.all[0].do("POST", `{"jsonrpc":"2.0","id":"AAAAAAAAAAAAAAAAAAAAAA.1","result":{"roots":[]}}`, s...)
	want(t, w, http.StatusServiceUnavailable)
	if w.Header().Get("Retry-After") == "" || time.Since(begun) > time.Second {
		t.Errorf("after %v: %v", time.Since(begun), w.Header())
	}
	large := `{"jsonrpc":"2.0","id":"AAAAAAAAAAAAAAAAAAAAAA.1","result":{"roots":["` + strings.Repeat("x", 600<<10) + `"]}}`
	want(t, f.all[0].do("POST", large, s...), http.StatusRequestEntityTooLarge)
}

func TestSharedSessionOfAnotherUser(t *testing.T) {
	f := newFleet(t, 2, new(memory.Sessions), &mcphttp.Options{Authenticate: tokens})
	ann, bob := []string{"Authorization", "Bearer ann s 1h"}, []string{"Authorization", "Bearer bob s 1h"}
	s := f.all[0].initialize(t, "2025-11-25", ann...)
	stolen := append([]string{s[0], s[1]}, bob...)
	for range 2 {
		for _, r := range f.all {
			want(t, r.do("POST", ping, stolen...), 404)
			want(t, r.do("GET", "", stolen...), 404)
			want(t, r.do("DELETE", "", stolen...), 404)
			want(t, r.do("POST", request("tools/call", `"name":"who"`), s...), 200, "caller=ann")
		}
	}
}
