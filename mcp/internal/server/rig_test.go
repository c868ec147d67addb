package server

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/transport"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// noLog is a logger that says nothing.
var noLog = slog.New(slog.DiscardHandler)

// newTestHub returns a hub that belongs to no real server.
func newTestHub(t testing.TB) *hub {
	h := newHub(&Server{log: noLog, grace: time.Second})
	t.Cleanup(h.close)
	return h
}

// frame is a message that a server has sent.
type frame struct {
	At     time.Time
	ID     json.RawMessage
	Method string
	Params struct {
		URI       string
		RequestID json.RawMessage
		Meta      struct {
			Subscription json.RawMessage `json:"io.modelcontextprotocol/subscriptionId"`
		} `json:"_meta"`
	}
	Result json.RawMessage
}

// String is a short form for comparisons: "updated 1 a:///x", "ack 1", "result 1".
func (f frame) String() string {
	sub := string(f.Params.Meta.Subscription)
	switch {
	case f.Method == "":
		return "result " + string(f.ID)
	case f.Params.RequestID != nil:
		return "cancelled " + string(f.Params.RequestID)
	case f.Method == "ack":
		return "ack " + sub
	}
	name := strings.TrimPrefix(f.Method, "notifications/")
	return strings.Join(strings.Fields(name+" "+sub+" "+f.Params.URI), " ")
}

// memo is the server's end of a conn that remembers what is written. Its hooks may be nil.
type memo struct {
	during func(frame) // before the write returns
	fail   func() error

	mu     sync.Mutex
	frames []frame
	closed bool
}

func (m *memo) ReadMessage(buf []byte) ([]byte, error) { return buf[:0], io.EOF }

func (m *memo) WriteMessage(msg []byte) error {
	if m.fail != nil {
		if err := m.fail(); err != nil {
			return err
		}
	}
	var f frame
	if err := json.Unmarshal(msg, &f); err != nil {
		panic("not a message: " + string(msg))
	}
	if msg[len(msg)-1] != '\n' {
		panic("frame without newline")
	}
	f.At = time.Now()
	m.mu.Lock()
	m.frames = append(m.frames, f)
	m.mu.Unlock()
	if m.during != nil {
		m.during(f)
	}
	return nil
}

func (m *memo) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}

// take returns the frames written since the last take.
func (m *memo) take() []frame {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.frames
	m.frames = nil
	return f
}

// lines is take in the short form, joined with "; ".
func (m *memo) lines() string {
	var s []string
	for _, f := range m.take() {
		s = append(s, f.String())
	}
	return strings.Join(s, "; ")
}

// peer is one conn of a hub with its subscriptions.
type peer struct {
	*streams
	conn *memo
}

// newPeer returns a peer whose legacy session is initialized.
func newPeer(t testing.TB, h *hub, opts *Options, kinds ...signalKind) *peer {
	p := newFreshPeer(t, h, opts)
	p.initialized(protocol.Revision20251125, kinds)
	return p
}

// newFreshPeer returns a peer without a legacy session.
func newFreshPeer(t testing.TB, h *hub, opts *Options) *peer {
	m := new(memo)
	return &peer{newTestStreams(t, h, m, opts), m}
}

func newTestStreams(t testing.TB, h *hub, c transport.Conn, opts *Options) *streams {
	if opts == nil {
		opts = new(Options)
	}
	s := newStreams(h, newOutbox(c, noLog), opts)
	s.endFrames = func(s *stream) [][]byte {
		id := s.id.Raw()
		return [][]byte{
			[]byte(`{"id":` + id + `,"result":{}}` + "\n"),
			[]byte(`{"method":"notifications/cancelled","params":{"requestId":` + id + `}}` + "\n"),
		}
	}
	s.out.died = func(error) { s.close(false) }
	t.Cleanup(func() {
		s.close(false)
		s.out.close()
	})
	return s
}

// open opens a listen on URIs and kinds of lists, up to its acknowledgement.
func (p *peer) open(t testing.TB, id wire.ID, what ...any) *stream {
	t.Helper()
	s, err := p.listen(id, protocol.Revision20260728, requests(what...), always)
	if err != nil {
		t.Fatal(err)
	}
	p.acknowledge(s, ackOf(id))
	return s
}

// requests makes topics of URIs and kinds of lists.
func requests(what ...any) []topicRequest {
	var topics []topicRequest
	for _, x := range what {
		switch x := x.(type) {
		case string:
			topics = append(topics, topicRequest{signal: signal{oneResource, x}})
		case signalKind:
			topics = append(topics, topicRequest{signal: signal{kind: x}})
		}
	}
	return topics
}

// ackOf is a stand-in for the acknowledgement of a listen.
func ackOf(id wire.ID) []byte {
	return []byte(`{"method":"ack","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id.Raw() + `}}}` + "\n")
}

// answerTo is a stand-in for an empty result.
func answerTo(id int64) []byte {
	return append(wire.AppendResult(nil, wire.NumberID(id)), "{}}\n"...)
}

// subscribeNow subscribes the legacy session to uri with request id.
func (p *peer) subscribeNow(t testing.TB, id int64, uri string) {
	t.Helper()
	u, err := p.subscribe(uri, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.accept(u, answerTo(id), always)
}

// subs is how many subs the hub holds in all topics.
func (h *hub) subs() int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	n := 0
	for _, t := range h.topics {
		n += len(t.subs)
	}
	for i := range h.lists {
		n += len(h.lists[i].subs)
	}
	return n
}

// pending is how many subs wait to be told.
func (o *outbox) pending() (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, a := range []*agenda{&o.updates, &o.lists} {
		for u := a.head; u != nil; u = u.next {
			n++
		}
	}
	return n
}

var errBoom = errors.New("boom")

// wantText fails the test unless got is want.
func wantText(t testing.TB, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}
