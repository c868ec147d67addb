package mcpevent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// streaming is an events/stream of a client.
type streaming struct {
	t    *testing.T
	c    *mcptest.Client
	id   string // as JSON
	seen int    // lines of the transcript
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// open sends events/stream; params are members besides the name and the cursor.
func open(t *testing.T, c *mcptest.Client, id, cursor, params string) *streaming {
	t.Helper()
	p := string(pollParams(cursor, params))
	c.Send(`{"jsonrpc":"2.0","id":` + id + `,"method":"events/stream","params":{` + meta + `,` + p[1:] + `}`)
	return &streaming{t: t, c: c, id: id}
}

// next returns what comes next on the stream: the last part of the method, or "result" or "error", and the message.
func (s *streaming) next() (kind, text string) {
	s.t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		lines := s.c.Transcript()
		for ; s.seen < len(lines); s.seen++ {
			line, ok := strings.CutPrefix(lines[s.seen], "<- ")
			if !ok {
				continue
			}
			m, bad := wire.ParseMessage([]byte(line), wire.Limits{})
			if bad != nil {
				s.t.Fatal(line)
			}
			tag, _ := wire.Lookup(m.Params, "_meta", "io.modelcontextprotocol/subscriptionId")
			switch {
			case m.IsNotification() && string(tag) == s.id:
				s.seen++
				return strings.TrimPrefix(string(m.Method), "notifications/events/"), string(m.Params)
			case m.IsResponse() && m.ID.Raw() == s.id:
				s.seen++
				if m.Error != nil {
					return "error", string(m.Error)
				}
				return "result", string(m.Result)
			}
		}
	}
	s.t.Fatalf("nothing more on the stream: %s", strings.Join(s.c.Transcript(), "\n"))
	return "", ""
}

// want reads the next message, which must be of a kind and have a text.
func (s *streaming) want(kind, part string) string {
	s.t.Helper()
	got, text := s.next()
	if got != kind || !strings.Contains(text, part) {
		s.t.Fatalf("got %s %s, want %s with %s", got, text, kind, part)
	}
	return text
}

// cursorIn is the cursor of a message.
func cursorIn(t *testing.T, text string) string {
	t.Helper()
	raw, _ := wire.Lookup([]byte(text), "cursor")
	d := wire.NewDecoder(raw)
	cursor := d.String()
	if cursor == "" {
		t.Fatalf("no cursor in %s", text)
	}
	return cursor
}

func TestStream(t *testing.T) {
	t.Attr("requirements", "event-stream")
	in := incidents()
	c := mcptest.New(t, serverOf(t, nil, in))
	s := open(t, c, `"s1"`, "", `,"arguments":{"service":"api"}`)
	s.want("active", `"truncated":false`)
	other := open(t, c, `777`, "", "")
	other.want("active", "")
	commit(t, in, "a", "api", 1)
	commit(t, in, "b", "db", 1)
	commit(t, in, "c", "api", 1)
	text := s.want("event",
		`"eventId":"a","name":"incident.opened","timestamp":"2026-11-28T09:00:00.000Z","data":{"id":"a"`)
	s.want("event", `"eventId":"c"`)
	other.want("event", `"eventId":"a"`)
	other.want("event", `"eventId":"b"`)
	c.Notify("notifications/cancelled", []byte(`{"requestId":"s1"}`))
	// The stream again, from where it was.
	again := open(t, c, `"s2"`, cursorIn(t, text), "")
	again.want("active", `"truncated":false`)
	again.want("event", `"eventId":"b"`)
	again.want("event", `"eventId":"c"`)
	if p := poll(t, c, cursorIn(t, text), ""); p.ids() != "b c" {
		t.Errorf("a poll goes on where a stream was: %+v", p)
	}
}

func TestStreamHeartbeat(t *testing.T) {
	t.Attr("requirements", "event-cursor event-stream")
	in := incidents()
	opts := &mcp.Options{Events: &event.Options{Heartbeat: 20 * time.Millisecond}}
	c := mcptest.New(t, serverOf(t, opts, in))
	s := open(t, c, `"x1"`, "", `,"arguments":{"service":"api"}`)
	first := cursorIn(t, s.want("active", ""))
	s.want("heartbeat", `"cursor"`)
	commit(t, in, "a", "db", 1) // for others: the cursor goes on all the same
	p := poll(t, c, first, "")
	for end := time.Now().Add(10 * time.Second); p.ids() != "" && time.Now().Before(end); {
		p = poll(t, c, cursorIn(t, s.want("heartbeat", "")), "") // the first ones may be older than the event
	}
	if p.ids() != "" {
		t.Errorf("the cursor of a heartbeat stands still: %+v", p)
	}
	if p := poll(t, c, first, ""); p.ids() != "a" {
		t.Errorf("%+v", p)
	}
}

// revocable guards an event by a policy that refuses everybody once the result is true.
// Rights that are taken away while an event is read for a subscriber count for this event.
// A policy that fails has not refused: the stream goes on as soon as it decides.
// inBubble is a test in a bubble of package synctest.
func inBubble(f func(t *testing.T)) func(*testing.T) {
	return func(t *testing.T) { synctest.Test(t, f) }
}

// A policy that takes too long has not refused either.
func TestStreamRefused(t *testing.T) {
	t.Attr("requirements", "event-stream-error")
	in, polled := incidents(), incidents()
	polled.Name, polled.Modes = "incident.polled", 1
	opts := &mcp.Options{Events: &event.Options{MaxStreamsPerPrincipal: 2}}
	srv := serverOf(t, opts, in, polled)
	c := mcptest.New(t, srv)
	for i := range 2 {
		open(t, c, fmt.Sprint(i+100), "", "").want("active", "")
	}
	open(t, c, `"x1"`, "", "").want("error",
		`"code":-32025,"message":"too many streams are open","data":{"limit":"streams","max":2}`)
	if n := srv.Stats().Events; n.Streams != 2 || n.StreamsRefused != 1 {
		t.Errorf("%+v", n)
	}
	c.Send(`{"jsonrpc":"2.0","id":2222,"method":"events/stream","params":{` + meta + `,"name":"incident.polled"}}`)
	(&streaming{t: t, c: c, id: "2222"}).want("error", `"code":-32026`)
	open(t, c, `"x3"`, "", `,"arguments":{"severity":0}`).want("error", `"code":-32602`)
}

// A subject may not have more than four times what is left, so that newcomers find room.
func TestStreamsAreShared(t *testing.T) {
	srv := serverOf(t, &mcp.Options{Events: &event.Options{MaxStreams: 64, MaxStreamsPerPrincipal: 64}}, incidents())
	greedy := mcptest.New(t, srv, mcptest.WithCaller(mcp.Caller{Subject: "ann"}))
	for i := range 48 { // 4 of 64 are for newcomers, and 48 is four times 12 that are left of the others
		open(t, greedy, fmt.Sprint(i+100), "", "").want("active", "")
	}
	open(t, greedy, `"x"`, "", "").want("error", `"code":-32025,"message":"too many streams are open"`)
	for i := range 10 {
		c := mcptest.New(t, srv, mcptest.WithCaller(mcp.Caller{Subject: fmt.Sprint("bob", i)}))
		open(t, c, "7", "", "").want("active", "")
	}
}

// A slow log is told of, and the stream goes on.
func TestStreamTrouble(t *testing.T) {
	log := &failing{Memory: event.NewMemory()}
	in := incidents()
	c := mcptest.New(t, serverOf(t, &mcp.Options{Events: &event.Options{Log: log}}, in))
	s := open(t, c, `"x1"`, "", "")
	s.want("active", "")
	log.fails.Store(true)
	commit(t, in, "a", "api", 1)
	s.want("error", `"code":-32603`)
	log.fails.Store(false)
	for kind := ""; kind != "event"; {
		kind, _ = s.next()
	}
}

// failing is a log that cannot be read now and then.
type failing struct {
	*event.Memory
	fails  atomic.Bool
	closed atomic.Bool // for appends
	tried  atomic.Bool // an append while it was closed
}

func (f *failing) Read(ctx context.Context, name string, after uint64, limit int) (event.Page, error) {
	if f.fails.Load() {
		return event.Page{}, errors.New("the log is away")
	}
	return f.Memory.Read(ctx, name, after, limit)
}

func (f *failing) Append(ctx context.Context, name string, e *event.Entry, keep event.Retention) error {
	if f.closed.Load() {
		f.tried.Store(true)
		return errors.New("the log is away")
	}
	return f.Memory.Append(ctx, name, e, keep)
}

// What is published while the log is away comes later, in order; what is too much is a gap at its place.
func TestPublish(t *testing.T) {
	log := &failing{Memory: event.NewMemory()}
	in := incidents()
	opts := &mcp.Options{Events: &event.Options{Log: log, MaxPending: 3}}
	srv := serverOf(t, opts, in)
	c := mcptest.New(t, srv)
	cursor := poll(t, c, "", "").Cursor
	s := open(t, c, `"x1"`, "", "")
	s.want("active", "")
	log.closed.Store(true)
	for i := range 9 {
		e := &opened{ID: fmt.Sprint("e", i), Opened: day, Service: "api"}
		if err := in.Publish(context.Background(), e); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(10 * time.Second); i == 0 && !log.tried.Load() && time.Now().Before(end); {
			time.Sleep(time.Millisecond) // until it is being appended
		}
	}
	if err := in.Commit(context.Background(), &opened{ID: "c", Opened: day}); err == nil {
		t.Error("Commit succeeded without a log")
	}
	log.closed.Store(false)
	for i := range 4 {
		s.want("event", fmt.Sprintf(`"e%d"`, i))
	}
	s.want("active", `"truncated":true`)
	commit(t, in, "after", "api", 1)
	s.want("event", `"after"`)
	p := poll(t, c, cursor, "")
	if p.ids() != "e0 e1 e2 e3" || p.Truncated || !p.HasMore {
		t.Errorf("up to the gap: %+v", p)
	}
	if p = poll(t, c, p.Cursor, ""); p.ids() != "after" || !p.Truncated {
		t.Errorf("from the gap on: %+v", p)
	}
	if err := in.Publish(context.Background(), &opened{ID: "a.b", Opened: day}); err == nil {
		t.Error("an event with a wrong id was published")
	}
	commit(t, in, "after", "api", 1) // the log has it
	n := srv.Stats().Events
	if n.Duplicates != 1 || n.Committed != 6 || n.Overflows != 5 || n.Delivered != 10 || n.Gaps != 2 ||
		n.Streams != 1 || n.LogErrors == 0 {
		t.Errorf("%+v", n)
	}
}

// The end of the connection ends its streams at once.
func TestStreamConnectionEnds(t *testing.T) {
	// A stream that goes on keeps the connection for the grace, for longer than mcptest waits.
	srv := serverOf(t, &mcp.Options{Grace: 2 * time.Minute}, incidents())
	begun := time.Now()
	t.Run("client", func(t *testing.T) {
		open(t, mcptest.New(t, srv), `"x1"`, "", "").want("active", "")
	})
	if d := time.Since(begun); d > 30*time.Second {
		t.Errorf("the connection has ended after %v", d)
	}
}

// Many streams do not use up the requests of a connection.
func TestStreamsAreNotInFlight(t *testing.T) {
	t.Attr("requirements", "event-stream-places")
	in := incidents()
	c := mcptest.New(t, serverOf(t, &mcp.Options{MaxInFlight: 2}, in))
	var all []*streaming
	for i := range 20 {
		s := open(t, c, fmt.Sprint(i+1000), "", "")
		s.want("active", "")
		all = append(all, s)
	}
	commit(t, in, "a", "api", 1)
	for _, s := range all {
		s.want("event", `"a"`)
	}
}
