package mcphttp_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/memory"
)

// start sends a request to one replica, inside of a bubble, and does not wait for its end.
func (f *fleet) start(at int, method, body string, session []string) *httptest.ResponseRecorder {
	w, req := httptest.NewRecorder(), httptest.NewRequest(method, target, strings.NewReader(body))
	setHeaders(req, session)
	go f.all[at].http.ServeHTTP(w, req)
	synctest.Wait()
	return w
}

// watch opens the notification stream of a session on one replica.
func (f *fleet) watch(at int, session []string) *httptest.ResponseRecorder {
	return f.start(at, "GET", "", session)
}

// quiet is after which replicas that have met do nothing more for a session.
func quiet() {
	time.Sleep(20 * time.Second)
	synctest.Wait()
}

// updates counts those of a resource.
func updates(w *httptest.ResponseRecorder, uri string) (n int) {
	synctest.Wait()
	for line := range strings.Lines(w.Body.String()) {
		if strings.Contains(line, "resources/updated") && strings.Contains(line, uri) {
			n++
		}
	}
	return n
}

// After unsubscribe was answered by one replica, the one with the notification stream tells nothing more.
func TestUnsubscribeElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, 2, new(memory.Sessions), nil)
		defer f.close()
		s := f.initialize(0, "2025-11-25")
		want(t, f.all[0].do("POST", subscribeTo("r:///ä"), s...), 200)
		w := f.watch(0, s)
		quiet()
		want(t, f.all[1].do("POST", unsubscribeFrom("r:///ä"), s...), 200)
		before := updates(w, "r:///ä")
		for range 3 {
			f.all[1].srv.ResourceUpdated("r:///ä")
			time.Sleep(time.Second)
		}
		if n := updates(w, "r:///ä"); n != before {
			t.Errorf("%d updates after unsubscribe", n-before)
		}
	})
}

// slowLoads is a store whose records take a while to be read.
type slowLoads struct {
	replica.SessionStore
	takes atomic.Int64 // nanoseconds
}

func (s *slowLoads) Load(ctx context.Context, id string) ([]byte, uint64, error) {
	record, version, err := s.SessionStore.Load(ctx, id)
	time.Sleep(time.Duration(s.takes.Load()))
	return record, version, err
}

// The replica with the notification stream follows what changes while it reads the record.
func TestSubscribeWhileRecordIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &slowLoads{SessionStore: new(memory.Sessions)}
		f := newFleet(t, 2, store, nil)
		defer f.close()
		s := f.initialize(0, "2025-11-25")
		w := f.watch(0, s)
		quiet()
		want(t, f.all[1].do("POST", request("logging/setLevel", `"level":"info"`), s...), 200) // it knows the record
		time.Sleep(100 * time.Millisecond)
		store.takes.Store(int64(time.Second))
		want(t, f.all[1].do("POST", subscribeTo("r:///ä"), s...), 200)
		time.Sleep(100 * time.Millisecond) // the other replica reads
		want(t, f.all[1].do("POST", subscribeTo("r:///b"), s...), 200)
		store.takes.Store(0)
		time.Sleep(5 * time.Second)
		before := updates(w, "r:///b")
		f.all[1].srv.ResourceUpdated("r:///b")
		time.Sleep(time.Second)
		if n := updates(w, "r:///b"); n == before {
			t.Errorf("no update of what was subscribed to while the record was read: %s", w.Body)
		}
	})
}

// A client that opens its stream on another replica is told that lists may have changed: it may have missed that.
func TestStreamThatMovesAnnouncesLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, 3, new(memory.Sessions), nil)
		defer f.close()
		s := f.initialize(0, "2025-11-25")
		f.watch(0, s)
		quiet()
		w := f.watch(2, s) // which has not known the session
		time.Sleep(time.Second)
		synctest.Wait()
		if !strings.Contains(w.Body.String(), "resources/list_changed") {
			t.Errorf("the stream on another replica: %q", w.Body)
		}
	})
}

// A replica that has not known a session sends log messages of its level from the first request on.
func TestLogLevelElsewhere(t *testing.T) {
	f := newFleet(t, 3, new(memory.Sessions), nil)
	s := f.initialize(0, "2025-11-25") // on two of them
	want(t, f.all[0].do("POST", request("logging/setLevel", `"level":"info"`), s...), 200)
	want(t, f.all[2].do("POST", request("tools/call", `"name":"log"`), s...), 200, "first", "second")
}

// interposed is a store in which something happens right before a Save.
type interposed struct {
	replica.SessionStore
	before atomic.Pointer[func()]
}

func (i *interposed) Save(ctx context.Context, id string, version uint64, record []byte, ttl time.Duration,
) (uint64, error) {
	if f := i.before.Swap(nil); f != nil {
		(*f)()
	}
	return i.SessionStore.Save(ctx, id, version, record, ttl)
}

// Of two replicas that change one session at the same time, each keeps what the other one has changed.
func TestSubscribeOnTwoReplicas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &interposed{SessionStore: new(memory.Sessions)}
		f := newFleet(t, 2, store, nil)
		defer f.close()
		s := f.initialize(0, "2025-11-25")
		quiet()
		other := func() { want(t, f.all[0].do("POST", subscribeTo("r:///ä"), s...), 200) }
		store.before.Store(&other)
		want(t, f.all[1].do("POST", subscribeTo("r:///b"), s...), 200)
		w := f.watch(0, s)
		time.Sleep(time.Second)
		for _, uri := range []string{"r:///ä", "r:///b"} {
			if updates(w, uri) == 0 {
				t.Errorf("the session is not subscribed to %s: %q", uri, w.Body)
			}
		}
	})
}

// A session with a sealed id that was ended on one replica is ended on those that have never seen it.
func TestDeleteIsRemembered(t *testing.T) {
	t.Attr("requirements", "http-session-gone")
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, 3, nil, nil)
		defer f.close()
		s := f.initialize(0, "2025-11-25")
		quiet()
		want(t, f.all[0].do("DELETE", "", s...), 204)
		time.Sleep(time.Second)
		for _, r := range f.all {
			want(t, r.do("POST", ping, s...), 404)
		}
	})
}

// The id of an event of one replica does not resume a stream of another one, which may be that of another request.
func TestEventIDOfAnotherReplica(t *testing.T) {
	t.Attr("requirements", "http-event-ids http-event-streams http-replay")
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, 2, new(memory.Sessions), nil)
		defer f.close()
		s := f.initialize(0, "2025-11-25")
		quiet()
		var asked [2]*httptest.ResponseRecorder
		for i := range asked {
			asked[i] = f.start(i, "POST", request("tools/call", `"name":"ask"`), s)
		}
		_, id, _ := strings.Cut(asked[0].Body.String(), "id: ")
		id, _, _ = strings.Cut(id, "\n")
		if id == "" {
			t.Fatalf("no event: %q", asked[0].Body)
		}
		want(t, f.all[1].do("GET", "", append(s, "Last-Event-Id", id)...), 503, "another replica")
	})
}

// newCutFleet returns replicas whose bus can be cut, inside of a bubble.
func newCutFleet(t *testing.T, n int) (*fleet, *cutBus) {
	t.Helper()
	bus := new(cutBus)
	f := newFleet(t, 0, new(memory.Sessions), nil)
	f.bus = bus
	for range n {
		f.add(nil)
	}
	return f, bus
}

// A subscription whose signal was lost is found by the replica with the stream, once it knows that something was.
func TestSubscribeWhoseSignalIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, bus := newCutFleet(t, 2)
		defer f.close()
		s := f.initialize(0, "2025-11-25")
		w := f.watch(0, s)
		quiet()
		bus.cut.Store(true)
		want(t, f.all[1].do("POST", subscribeTo("r:///b"), s...), 200)
		time.Sleep(time.Second)
		bus.cut.Store(false)
		time.Sleep(20 * time.Second)
		before := updates(w, "r:///b")
		f.all[1].srv.ResourceUpdated("r:///b")
		time.Sleep(time.Second)
		if updates(w, "r:///b") == before {
			t.Error("no update of a subscription whose signal was lost")
		}
	})
}

// A response of the client that does not reach the replica that waits for it is not accepted.
func TestAnswerThatIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, bus := newCutFleet(t, 2)
		defer f.close()
		s := f.initialize(0, "2025-11-25")
		quiet()
		call := f.start(0, "POST", request("tools/call", `"name":"ask"`), s)
		_, id, _ := strings.Cut(call.Body.String(), `"id":"`)
		id, _, _ = strings.Cut(id, `"`)
		answer := `{"jsonrpc":"2.0","id":"` + id + `","result":{"roots":[{"uri":"file:///a"}]}}`
		bus.cut.Store(true)
		want(t, f.all[1].do("POST", answer, s...), 503)
		bus.cut.Store(false)
		want(t, f.all[1].do("POST", answer, s...), 202)
		time.Sleep(time.Second)
		synctest.Wait()
		if !strings.Contains(call.Body.String(), "1 roots") {
			t.Errorf("the answer did not arrive: %q", call.Body)
		}
	})
}

// A session whose client only has its stream open does not expire, for other replicas neither.
func TestOpenStreamKeepsSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, 2, new(memory.Sessions), &mcphttp.Options{SessionTimeout: time.Minute})
		defer f.close()
		s := f.initialize(0, "2025-11-25")
		f.watch(0, s)
		time.Sleep(10 * time.Minute)
		want(t, f.all[1].do("POST", ping, s...), 200)
	})
}
