package deliver

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/seal/aead"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/desk"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/egress"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/sign"
)

// world is a log, a store and callbacks, which replicas share. Its time is that of a synctest bubble.
type world struct {
	*testing.T

	store event.MemoryStore
	box   *aead.Box

	mu           sync.Mutex
	entries      []event.Occurrence
	first        uint64 // the oldest that is held
	epoch        string
	revoked      map[string]bool
	slow         map[string]time.Duration // how long the policies take that do not decide about a subject
	logs         slog.Handler
	needs        string // the scope that is needed; "" for none
	engines      []*replica
	callbacks    map[string]*callback
	watched      map[any]string // arguments by tag
	hosts        map[string]*flying
	lookTime     time.Duration // what a look takes
	reads, looks int           // calls of the host
	deaf         bool          // nobody is woken
	blind        int           // how many of the next reads for a retry see nothing
}

// callback is what is at a URL.
type callback struct {
	secrets []sign.Secret
	// answer is what it answers to a message that is signed well; nil accepts all.
	answer func(m received) (status int, wait time.Duration)
	flying *flying
	mute   bool // does not answer challenges
	echoes bool // sends back what comes
	got    []received
}

// flying counts the messages that are on their way to a host.
type flying struct{ now, most int }

// received is a message.
type received struct {
	at      time.Time
	id, sub string
	body    map[string]json.RawMessage
	status  int
	signed  []bool // by which of the secrets
	kind    string // type of the body; "" for an event
}

func inBubble(t *testing.T, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t, first: 1, epoch: "e1", revoked: map[string]bool{}, callbacks: map[string]*callback{},
			watched: map[any]string{},
			hosts:   map[string]*flying{}, slow: map[string]time.Duration{}, logs: slog.DiscardHandler}
		w.box, _ = aead.New([][]byte{bytes.Repeat([]byte{7}, 32)})
		t.Cleanup(func() {
			for _, e := range w.engines {
				w.close(e)
			}
		})
		test(w)
	})
}

// replica is one of a server.
type replica struct {
	*Engine
	*desk.Desk
}

// replica starts a replica with a log, a store and a network that die with it.
func (w *world) replica(o Options, d ...desk.Options) (e *replica, kill func()) {
	w.Helper()
	dead := &atomic.Bool{}
	if o.Store == nil {
		o.Store = &w.store
	}
	o.Store = mortal{o.Store, dead}
	o.Post = func(ctx context.Context, to string, h http.Header, body []byte) (*egress.Answer, error) {
		if dead.Load() {
			return nil, &egress.Error{Reason: egress.Unreachable, Err: errDead}
		}
		return w.post(ctx, to, h, body)
	}
	takes := append(d, desk.Options{})[0]
	engine := New(o)
	takes.Store, takes.Post, takes.Check = o.Store, o.Post, egress.New(egress.Options{}).Check
	takes.Keys, takes.Changed, takes.Record = host{w}, engine.Apply, host{w}.Record
	e = &replica{engine, desk.New(takes)}
	e.Start(host{w})
	w.engines = append(w.engines, e)
	time.Sleep(time.Second)
	return e, func() { dead.Store(true); e.run.stop() }
}

func (w *world) close(e *replica) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_ = e.Close(ctx) // one that was killed cannot
}

var errDead = errors.New("the process is dead")

// mortal is a store that a killed process does not reach.
type mortal struct {
	event.Store

	dead *atomic.Bool
}

func (m mortal) Save(ctx context.Context, p []*event.Progress) ([]string, error) {
	if m.dead.Load() {
		return nil, errDead
	}
	return m.Store.Save(ctx, p)
}

func (m mortal) Take(ctx context.Context, l []event.Lease) ([]event.Lease, error) {
	if m.dead.Load() {
		return nil, errDead
	}
	return m.Store.Take(ctx, l)
}

func (m mortal) Put(ctx context.Context, s *event.Subscription, p *event.Progress, l event.SubscriptionLimits) error {
	if m.dead.Load() {
		return errDead
	}
	return m.Store.Put(ctx, s, p, l)
}

func (w *world) post(ctx context.Context, to string, h http.Header, body []byte) (*egress.Answer, error) {
	w.mu.Lock()
	c := w.callbacks[to]
	w.mu.Unlock()
	if c == nil {
		return nil, &egress.Error{Reason: egress.Unreachable, Err: errors.New("no such host")}
	}
	w.fly(c, 1)
	defer w.fly(c, -1)
	m := received{at: time.Now(), id: h.Get(sign.HeaderID), sub: h.Get(sign.HeaderSubscription)}
	_ = json.Unmarshal(body, &m.body)
	_ = json.Unmarshal(m.body["type"], &m.kind)
	for _, s := range c.secrets {
		m.signed = append(m.signed, sign.Check(h, time.Now(), body, s) == nil)
	}
	if m.kind == "verification" && m.sub != "" && slices.Contains(m.signed, true) && !c.mute {
		if c.echoes {
			return &egress.Answer{Status: http.StatusOK, Body: body}, nil
		}
		echo, _ := json.Marshal(map[string]json.RawMessage{"challenge": m.body["challenge"]})
		return &egress.Answer{Status: http.StatusOK, Body: echo}, nil
	}
	wait := time.Duration(0)
	m.status = http.StatusNoContent
	switch {
	case !slices.Contains(m.signed, true):
		m.status = http.StatusUnauthorized
	case c.answer != nil:
		m.status, wait = c.answer(m)
	}
	if wait > 5*time.Second {
		time.Sleep(5 * time.Second)
		w.record(c, m)
		return nil, &egress.Error{Reason: egress.Timeout, Err: ctx.Err()}
	}
	time.Sleep(wait)
	w.record(c, m)
	return &egress.Answer{Status: m.status}, nil
}

func (w *world) fly(c *callback, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c.flying.now += n
	c.flying.most = max(c.flying.most, c.flying.now)
}

func (w *world) record(c *callback, m received) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c.got = append(c.got, m)
}

// messages returns what has come to a callback, but for challenges.
func (w *world) messages(c *callback) []received {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(c.got)
}

func secretOf(n byte) string {
	return "whsec_" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{n}, 32))
}

// callback puts a callback at a URL.
func (w *world) callback(url string, answer func(received) (int, time.Duration)) *callback {
	w.mu.Lock()
	defer w.mu.Unlock()
	one, _ := sign.ParseSecret(secretOf(1))
	host := egress.Host(url)
	if w.hosts[host] == nil {
		w.hosts[host] = new(flying)
	}
	c := &callback{secrets: []sign.Secret{one}, answer: answer, flying: w.hosts[host]}
	w.callbacks[url] = c
	return c
}

// request returns one of alice for incidents of a service; "" for all.
func (w *world) request(url, service string) *event.Request {
	return &event.Request{
		Caller: event.Caller{Subject: "alice"}, Name: "incident", URL: url, Secret: secretOf(1),
		Arguments: json.RawMessage(fmt.Sprintf(`{"service":%q}`, service)), Start: w.end(),
	}
}

func (w *world) subscribe(e *replica, url, service string) *event.Granted {
	w.Helper()
	g, err := e.Subscribe(w.Context(), w.request(url, service))
	if err != nil {
		w.Fatal(err)
	}
	time.Sleep(time.Second) // the replica that has the shard looks at the store
	return g
}

func (w *world) end() event.Position {
	w.mu.Lock()
	defer w.mu.Unlock()
	return event.Position{Epoch: w.epoch, Seq: uint64(len(w.entries))}
}

// append adds events of a service, whose ids are numbers, and wakes all replicas.
func (w *world) append(service string, n int) {
	w.mu.Lock()
	for range n {
		seq := uint64(len(w.entries) + 1)
		w.entries = append(w.entries, event.Occurrence{
			At: event.Position{Epoch: w.epoch, Seq: seq}, ID: fmt.Sprint("evt", seq),
			Body: fmt.Appendf(nil, `{"eventId":"evt%d","service":%q`, seq, service),
		})
	}
	w.mu.Unlock()
	for _, e := range w.engines {
		if !w.deaf {
			e.Wake("incident")
		}
	}
}

// got returns the ids of events that a callback has accepted, and the kinds of accepted messages.
func (w *world) got(c *callback) (ids, kinds []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range c.got {
		switch {
		case m.status >= 300:
		case m.kind != "":
			kinds = append(kinds, m.kind)
		default:
			ids = append(ids, m.id)
		}
	}
	return ids, kinds
}

// all fails the test unless a callback has accepted n different events, with some repeats at most.
func (w *world) all(c *callback, n, repeats int) {
	w.Helper()
	ids, _ := w.got(c)
	count := len(ids)
	slices.Sort(ids)
	if different := len(slices.Compact(ids)); different != n || count > n+repeats {
		w.Fatalf("%d messages with %d events, want %d", count, different, n)
	}
}

// host is the server of a world.
type host struct{ w *world }

func (h host) Logger() *slog.Logger           { return slog.New(h.w.logs) }
func (h host) Seal(plain, for_ []byte) []byte { return h.w.box.Seal(plain, for_) }
func (h host) LastingKeys() bool              { return true }
func (h host) Forget(string)                  {}
func (h host) Record(event.Record)            {}
func (h host) Open(sealed, for_ []byte) ([]byte, error) {
	return h.w.box.Open(sealed, for_)
}

func (h host) Cursor(_ string, _ int, at event.Position) string {
	return fmt.Sprint(at.Epoch, ":", at.Seq)
}

func (h host) FaultJSON(f *event.Error) []byte {
	return fmt.Appendf(nil, `{"code":1,"message":%q}`, f.Message)
}

// Watch and Match are those of a server.
func (h host) Watch(r *event.Reader, tag any) bool {
	time.Sleep(h.w.lookTime / 3)
	h.w.mu.Lock()
	defer h.w.mu.Unlock()
	h.w.watched[tag] = string(r.Arguments)
	return true
}

func (h host) Unwatch(tag any) {
	h.w.mu.Lock()
	defer h.w.mu.Unlock()
	delete(h.w.watched, tag)
}

func (h host) Match(_ context.Context, _ string, after event.Position) (event.Match, error) {
	w := h.w
	defer time.Sleep(w.lookTime)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looks++
	m := event.Match{After: after}
	if after.Epoch != w.epoch || after.Seq+1 < w.first {
		return event.Match{After: event.Position{Epoch: w.epoch, Seq: uint64(len(w.entries))}, All: true}, nil
	}
	for m.After.Seq < uint64(len(w.entries)) {
		m.After.Seq++
		for tag, args := range w.watched {
			if _, service, _ := strings.Cut(args, `:`); strings.HasPrefix(service, `""`) ||
				strings.Contains(string(w.entries[m.After.Seq-1].Body), `"service":`+strings.TrimSuffix(service, "}")) {
				m.Tags = append(m.Tags, tag)
			}
		}
	}
	return m, nil
}

func (h host) Read(_ context.Context, r *event.Reader, after event.Position, limit int) (b event.Batch, err error) {
	w := h.w
	w.mu.Lock()
	slow := w.slow[r.Caller.Subject]
	w.mu.Unlock()
	if slow > 0 {
		time.Sleep(slow)
		return event.Batch{After: after}, &event.Error{Kind: event.Internal, Message: "not decided"}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reads++
	if w.blind > 0 && limit == 1 {
		w.blind--
		return event.Batch{After: after, More: true}, nil
	}
	if w.revoked[r.Caller.Subject] || w.needs != "" && !slices.Contains(r.Caller.Scopes, w.needs) {
		b.Ended = &event.Error{Kind: event.Forbidden, Message: "revoked"}
		return b, nil
	}
	var args struct{ Service string }
	if err := json.Unmarshal(r.Arguments, &args); err != nil {
		return b, err
	}
	if after.Epoch != w.epoch || after.Seq+1 < w.first {
		b.Truncated = true
		after = event.Position{Epoch: w.epoch, Seq: w.first - 1}
	}
	for after.Seq < uint64(len(w.entries)) && len(b.Events) < limit {
		o := w.entries[after.Seq]
		after.Seq++
		if args.Service == "" || strings.Contains(string(o.Body), fmt.Sprintf(`"service":%q`, args.Service)) {
			b.Events = append(b.Events, o)
		}
	}
	b.After, b.More = after, after.Seq < uint64(len(w.entries))
	return b, nil
}
