package verdict

import (
	"slices"
	"testing"
	"time"
)

// clock is a clock that moves by hand.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time          { return c.now }
func (c *clock) advance(d time.Duration) { c.now = c.now.Add(d) }

// world is a checker with one client, and the values that are true.
type world struct {
	*clock
	*Checker
	client *Client
	truth  map[string]string
}

func newWorld() *world {
	k := &clock{time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC)}
	c := New(k.Now)
	k.advance(time.Hour)
	return &world{clock: k, Checker: c, client: c.Client("c"), truth: map[string]string{"a": "1", "b": "1"}}
}

// listen opens a stream and reads what it names.
func (w *world) listen(id int, uris ...string) {
	w.client.Open(id, "t", uris)
	w.client.Acknowledged(id)
	for _, uri := range uris {
		w.client.Read(uri, w.truth[uri])
	}
}

// session is a session with a stream that subscribes to a.
func (w *world) session() {
	w.client.Restart([]string{"a"})
	w.client.Open(1, "", nil)
	w.client.Subscribe("a")
	w.client.Read("a", "1")
}

// histories are what a client sees, each with the kinds of violations that are in it.
var histories = []struct {
	name   string
	happen func(w *world)
	want   []Kind
}{
	{"a good stream", func(w *world) {
		w.listen(1, "a", "b")
		w.truth["a"] = "2"
		w.client.Updated(1, "t", "a")
		w.client.Read("a", "2")
		w.client.Updated(1, "t", "a") // a hint too many is no fault
	}, nil},
	{"an update that nobody told", func(w *world) {
		w.listen(1, "a", "b")
		w.truth["a"] = "2"
	}, []Kind{Stale}},
	{"an update that was told and read from a replica that had the old value", func(w *world) {
		w.listen(1, "a")
		w.truth["a"] = "2"
		w.client.Updated(1, "t", "a")
		w.client.Read("a", "1")
	}, []Kind{Stale}},
	{"a stream that ended, with one that never came", func(w *world) {
		w.listen(1, "a")
		w.client.Ended(1, "EOF")
		w.truth["a"] = "2"
		w.client.Open(2, "t", []string{"a"})
	}, []Kind{Stale}},
	{"a stream that ended, and the next one has read", func(w *world) {
		w.listen(1, "a")
		w.client.Ended(1, "EOF")
		w.truth["a"] = "2"
		w.listen(2, "a")
	}, nil},
	{"a resource of which the client has let go", func(w *world) {
		w.listen(1, "a", "b")
		w.client.Ended(1, "closed")
		w.listen(2, "b")
		w.truth["a"] = "2"
	}, nil},
	{"a resource that the client comes back to, and has not read", func(w *world) {
		w.listen(1, "a")
		w.client.Ended(1, "closed")
		w.listen(2, "b")
		w.client.Ended(2, "closed")
		w.client.Open(3, "t", []string{"a"})
		w.client.Acknowledged(3)
	}, []Kind{Stale}},
	{"an update before the acknowledgement", func(w *world) {
		w.client.Open(1, "t", []string{"a"})
		w.client.Updated(1, "t", "a")
		w.client.Acknowledged(1)
		w.client.Read("a", "1")
	}, []Kind{Early}},
	{"an update of what somebody else subscribes to", func(w *world) {
		w.listen(1, "a")
		w.client.Updated(1, "t", "b")
	}, []Kind{Foreign}},
	{"an update with the tag of another stream", func(w *world) {
		w.listen(1, "a")
		w.client.Updated(1, "u", "a")
	}, []Kind{Foreign}},
	{"an update on a stream that has ended", func(w *world) {
		w.listen(1, "a")
		w.client.Ended(1, "closed")
		w.client.Updated(1, "t", "a")
	}, []Kind{After}},
	{"an acknowledgement on a stream that has ended", func(w *world) {
		w.listen(1, "a")
		w.client.Ended(1, "closed")
		w.client.Acknowledged(1)
	}, []Kind{After}},
	{"a good session", func(w *world) {
		w.session()
		w.client.Updated(1, "", "a")
		w.client.Unsubscribe("a")
		w.client.Updated(1, "", "a")
		w.client.Unsubscribed("a")
		w.advance(time.Second) // on its way through another connection
		w.client.Updated(1, "", "a")
		w.truth["a"] = "2"
	}, nil},
	{"an update long after unsubscribe", func(w *world) {
		w.session()
		w.client.Unsubscribe("a")
		w.client.Unsubscribed("a")
		w.advance(6 * time.Second)
		w.client.Updated(1, "", "a")
	}, []Kind{Late}},
	{"an update after unsubscribe, during a fault", func(w *world) {
		w.session()
		over := w.Fault()
		w.client.Unsubscribe("a")
		w.client.Unsubscribed("a")
		w.advance(10 * time.Second)
		over()
		w.advance(9 * time.Second)
		w.client.Updated(1, "", "a")
	}, nil},
	{"an update after unsubscribe, when a replica that was stopped for long goes on", func(w *world) {
		w.session()
		over := w.Fault()
		w.client.Unsubscribe("a")
		w.client.Unsubscribed("a")
		w.advance(Settle + 10*time.Second)
		w.client.Updated(1, "", "a")
		over()
		w.client.Updated(1, "", "a")
	}, nil},
	{"an update after unsubscribe, long after a fault", func(w *world) {
		w.session()
		over := w.Fault()
		w.client.Unsubscribe("a")
		w.client.Unsubscribed("a")
		over()
		w.advance(Settle + time.Second)
		w.client.Updated(1, "", "a")
	}, []Kind{Late}},
	{"an update in a session of what it never subscribed to", func(w *world) {
		w.session()
		w.client.Updated(1, "", "b")
	}, []Kind{Foreign}},
	{"a session that ended, and the next one has not subscribed", func(w *world) {
		w.session()
		w.client.Ended(1, "404")
		w.client.Restart([]string{"a"})
	}, []Kind{Stale}},
	{"a request without answer and error", func(w *world) {
		w.client.Lost("resources/read", time.Minute)
	}, []Kind{Lost}},
	{"a good list", func(w *world) { w.client.Listed([]string{"a", "b", "new"}, []string{"a", "b"}) }, nil},
	{"a page that repeats an entry", func(w *world) {
		w.client.Listed([]string{"a", "b", "b"}, []string{"a", "b"})
	}, []Kind{Twice}},
	{"a page that leaves an entry out", func(w *world) { w.client.Listed([]string{"a"}, []string{"a", "b"}) }, []Kind{Missing}},
}

// Each kind of violation is found, and what is none is not.
func TestHistories(t *testing.T) {
	found := map[Kind]bool{}
	for _, h := range histories {
		w := newWorld()
		h.happen(w)
		w.Judge(w.truth)
		list, counts := w.Violations()
		var got []Kind
		for _, v := range list {
			got = append(got, v.Kind)
			found[v.Kind] = true
		}
		if !slices.Equal(got, h.want) {
			t.Errorf("%s: %v, want %v", h.name, list, h.want)
		}
		for _, k := range h.want {
			if counts[k] == 0 {
				t.Errorf("%s: %s is not counted", h.name, k)
			}
		}
	}
	for _, k := range []Kind{Stale, Early, Foreign, Late, After, Lost, Twice, Missing} {
		if !found[k] {
			t.Errorf("no history has: %s", k)
		}
	}
}

// A client that has been removed is not judged any more, and what came before a violation is kept.
func TestEvents(t *testing.T) {
	w := newWorld()
	w.listen(1, "a")
	for range 2 * remember {
		w.client.Updated(1, "t", "a")
	}
	w.client.Updated(1, "t", "b")
	list, _ := w.Violations()
	if len(list) != 1 || len(list[0].Before) != remember || list[0].Before[remember-1] != "13:00:00.000 updated 1 b" {
		t.Errorf("%v", list)
	}
	w.truth["a"] = "2"
	w.Remove(w.client)
	if behind := w.Behind(w.truth); len(behind) != 0 {
		t.Errorf("a removed client: %v", behind)
	}
	for range 2 * maxKept {
		w.client.Updated(1, "t", "b")
	}
	if list, counts := w.Violations(); len(list) != maxKept || counts[Foreign] != 2*maxKept+1 {
		t.Errorf("%d kept, %v", len(list), counts)
	}
}
