package pubsub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"
)

// The lists besides that of resources in these tests.
const (
	toolList   = ResourceList + 1
	promptList = ResourceList + 2
)

// listNames are the methods of updates in these tests, by kind.
var listNames = [...]string{
	Resource: "resources/updated", ResourceList: "resources/list_changed", toolList: "tools/list_changed",
	promptList: "prompts/list_changed",
}

// noLog is a logger that says nothing.
var noLog = slog.New(slog.DiscardHandler)

var errBoom = errors.New("boom")

// always says that a request is live which nobody can cancel.
func always() bool { return true }

// fakeKeyer takes %7e for ~ and counts schemes of one letter from a on.
type fakeKeyer struct{ b []byte }

func (k *fakeKeyer) Key(uri string) (resource int, text []byte) {
	k.b = k.b[:0]
	for rest := uri; ; {
		before, after, found := strings.Cut(rest, "%7e")
		k.b = append(k.b, before...)
		if !found {
			return int(uri[0] - 'a'), k.b
		}
		k.b, rest = append(k.b, '~'), after
	}
}

// newTestHub returns a hub for one test.
func newTestHub(t testing.TB) *Hub {
	h := newHubWith(time.Second)
	t.Cleanup(h.Close)
	return h
}

// newHubWith returns a hub with a grace, which the caller closes.
func newHubWith(grace time.Duration) *Hub {
	return NewHub(Config{
		Log:      noLog,
		NewKeyer: func() Keyer { return new(fakeKeyer) },
		Context:  context.Background(),
		Grace:    grace,
	})
}

// numberID and stringID are ids of listens, as they stand in a message.
func numberID(n int64) string { return fmt.Sprint(n) }

func stringID(s string) string { return fmt.Sprintf("%q", s) }

// fakeEncoder writes messages in a short form: a method, the id of a listen, a URI.
type fakeEncoder struct{ id string }

func (e fakeEncoder) AppendUpdate(b []byte, t Topic) []byte {
	b = append(b, listNames[t.Kind]...)
	for _, word := range [...]string{e.id, t.URI} {
		if word != "" {
			b = append(append(b, ' '), word...)
		}
	}
	return append(b, '\n')
}

func (e fakeEncoder) End() [][]byte {
	return [][]byte{[]byte("result " + e.id + "\n"), []byte("cancelled " + e.id + "\n")}
}

// ackOf is the acknowledgement of a listen.
func ackOf(id string) []byte { return []byte("ack " + id + "\n") }

// answerTo is the answer to a request.
func answerTo(id int64) []byte { return fmt.Appendf(nil, "result %d\n", id) }

// frame is a message that was written.
type frame struct {
	At              time.Time
	Text            string
	Method, ID, URI string
}

func newFrame(msg []byte) frame {
	text, found := strings.CutSuffix(string(msg), "\n")
	if !found {
		panic("frame without newline")
	}
	f := frame{At: time.Now(), Text: text}
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			f.Method = word
		case strings.Contains(word, ":///"):
			f.URI = word
		default:
			f.ID = word
		}
	}
	return f
}

// recorder is a Writer that remembers what is written. Its hooks may be nil.
type recorder struct {
	during func(frame) // before the write returns
	fail   func() error

	mu     sync.Mutex
	frames []frame
}

func (r *recorder) WriteMessage(msg []byte) error {
	if r.fail != nil {
		if err := r.fail(); err != nil {
			return err
		}
	}
	f := newFrame(msg)
	r.mu.Lock()
	r.frames = append(r.frames, f)
	r.mu.Unlock()
	if r.during != nil {
		r.during(f)
	}
	return nil
}

// take returns the frames written since the last take.
func (r *recorder) take() []frame {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.frames
	r.frames = nil
	return f
}

// lines is take as text, joined with "; ".
func (r *recorder) lines() string {
	var s []string
	for _, f := range r.take() {
		s = append(s, f.Text)
	}
	return strings.Join(s, "; ")
}

// options of a peer.
type options struct {
	delay  time.Duration
	limits Limits
}

// peer is one connection of a hub with its subscriptions.
type peer struct {
	*Streams
	conn *recorder
}

// newPeer returns a peer whose session is open. Nil options are a delay of 10 ms and wide limits.
func newPeer(t testing.TB, h *Hub, opts *options, lists ...Kind) *peer {
	p := newFreshPeer(t, h, opts)
	p.OpenSession(fakeEncoder{}, lists, p.hub.ListChanges())
	return p
}

// newFreshPeer returns a peer without a session.
func newFreshPeer(t testing.TB, h *Hub, opts *options) *peer {
	r := new(recorder)
	return &peer{newTestStreams(t, h, r, opts), r}
}

func newTestStreams(t testing.TB, h *Hub, w Writer, opts *options) *Streams {
	if opts == nil {
		opts = &options{delay: 10 * time.Millisecond}
	}
	if opts.limits == (Limits{}) {
		opts.limits = Limits{URIs: 10_000, Listens: 100}
	}
	var s *Streams
	s = h.NewStreams(h.NewOutbox(w, opts.delay, func(error) { s.Close(false) }), opts.limits)
	t.Cleanup(func() {
		s.Close(false)
		s.out.Close(errBoom)
	})
	return s
}

// open opens a listen on URIs and lists, up to its acknowledgement.
func (p *peer) open(t testing.TB, id string, what ...any) *Stream {
	t.Helper()
	s, err := p.begin(id, requests(what...), always)
	if err != nil {
		t.Fatal(err)
	}
	p.Acknowledge(s, ackOf(id))
	return s
}

// begin gives a listen its place.
func (p *peer) begin(id string, topics []Request, settle func() bool) (*Stream, error) {
	return p.Listen(Listen{ID: id, Encoder: fakeEncoder{id}, Settle: settle, Topics: topics})
}

// requests are those for URIs and lists.
func requests(what ...any) []Request {
	var topics []Request
	for _, x := range what {
		switch x := x.(type) {
		case string:
			topics = append(topics, Request{Topic: Topic{URI: x}})
		case Kind:
			topics = append(topics, Request{Topic: Topic{Kind: x}})
		}
	}
	return topics
}

// subscribe gives the session a subscription.
func (p *peer) subscribe(uri string, open Opener) (*Subscription, error) {
	return p.Subscribe(Request{Topic: Topic{URI: uri}, Source: &Source{Open: open}})
}

// subscribeNow subscribes the session to uri with request id.
func (p *peer) subscribeNow(t testing.TB, id int64, uri string) {
	t.Helper()
	u, err := p.subscribe(uri, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Accept(u, answerTo(id), always)
}

// subs is how many subscriptions the hub has.
func (h *Hub) subs() int { return h.Stats().Subscriptions }

// scheduled is how many subscriptions wait for their update.
func (o *Outbox) scheduled() (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, q := range []*dueQueue{&o.updates, &o.lists, &o.resyncs} {
		for u := q.head; u != nil; u = u.next {
			n++
		}
	}
	return n
}

// wantText fails the test unless got is want.
func wantText(t testing.TB, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

// eventually waits for f to find nothing wrong.
func eventually(t *testing.T, f func() error) {
	t.Helper()
	var err error
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if err = f(); err == nil {
			return
		}
	}
	t.Fatal(err)
}
