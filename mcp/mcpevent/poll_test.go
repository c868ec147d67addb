package mcpevent_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

func TestPoll(t *testing.T) {
	t.Attr("requirements", "event-poll event-cursor event-cursor-always event-cursor-absent event-age")
	in := incidents()
	c := mcptest.New(t, serverOf(t, nil, in))
	commit(t, in, "before", "api", 3)
	first := poll(t, c, "", "")
	if first.ids() != "" || first.Truncated || first.HasMore || first.NextPollMs != 5000 {
		t.Fatalf("the first poll begins now: %+v", first)
	}
	if null := poll(t, c, "", `,"cursor":null`); null.ids() != "" || null.Truncated || null.Cursor == "" {
		t.Errorf("with the cursor null: %+v", null)
	}
	for i, service := range []string{"api", "db", "api"} {
		commit(t, in, string(rune('a'+i)), service, i+1)
	}
	commit(t, in, "a", "api", 1) // again: it is there
	all := poll(t, c, first.Cursor, "")
	if all.ids() != "a b c" || all.Truncated || all.HasMore || all.Events[0].Timestamp != "2026-11-28T09:00:00.000Z" ||
		all.Events[0].Name != "incident.opened" || all.Events[0].Data.Contact != "" {
		t.Errorf("%+v", all)
	}
	if again := poll(t, c, first.Cursor, ""); again.ids() != "a b c" {
		t.Errorf("the same cursor again: %+v", again)
	}
	if rest := poll(t, c, all.Cursor, ""); rest.ids() != "" {
		t.Errorf("%+v", rest)
	}
	api := poll(t, c, first.Cursor, `,"arguments":{"service":"api","severity":2}`)
	if api.ids() != "c" {
		t.Errorf("filtered: %+v", api)
	}
	var got []string
	for cursor := first.Cursor; ; {
		p := poll(t, c, cursor, `,"maxEvents":1`)
		got, cursor = append(got, p.ids()), p.Cursor
		if !p.HasMore {
			break
		}
	}
	if strings.Join(got, ",") != "a,b,c" {
		t.Errorf("one by one: %q", got)
	}
	if old := poll(t, c, first.Cursor, `,"maxAgeMs":0`); old.ids() != "" || !old.Truncated {
		t.Errorf("maxAgeMs: %+v", old)
	}
	if young := poll(t, c, first.Cursor, `,"maxAgeMs":60000`); young.ids() != "a b c" || young.Truncated {
		t.Errorf("maxAgeMs: %+v", young)
	}
}

func TestPollFaults(t *testing.T) {
	t.Attr("requirements", "event-poll event-errors")
	in, other := incidents(), incidents()
	other.Name, other.Modes = "incident.closed", 2
	c := mcptest.New(t, serverOf(t, nil, in, other))
	cursor := poll(t, c, "", "").Cursor
	for params, want := range map[string]int{
		`{"name":"nothing"}`:         -32023,
		`{"name":"incident.closed"}`: -32026,
		`{}`:                         wire.CodeInvalidParams,
		`{"name":"incident.opened","arguments":[]}`:                     wire.CodeInvalidParams,
		`{"name":"incident.opened","arguments":{"severity":0}}`:         wire.CodeInvalidParams,
		`{"name":"incident.opened","arguments":{"sevrity":1}}`:          wire.CodeInvalidParams,
		`{"name":"incident.opened","maxEvents":0}`:                      wire.CodeInvalidParams,
		`{"name":"incident.opened","maxAgeMs":-1}`:                      wire.CodeInvalidParams,
		`{"name":"incident.opened","cursor":"x"}`:                       wire.CodeInvalidParams,
		`{"name":"incident.opened","cursor":"` + cursor[:80] + `AAAA"}`: wire.CodeInvalidParams,
	} {
		if _, err := c.Do("events/poll", []byte(params)); mcptest.CodeOf(err) != want {
			t.Errorf("%s: %v, want %d", params, err, want)
		}
	}
	_, err := c.Do("events/poll", []byte(`{"name":"nothing"}`))
	if _, data := faultOf(t, err); data != `{"kind":"event"}` {
		t.Errorf("data %s", data)
	}
}

func TestRevisionsBefore(t *testing.T) {
	t.Attr("requirements", "event-declared")
	for _, sessions := range []bool{false, true} {
		opts := &mcp.Options{Events: &event.Options{Sessions: sessions, Profile: event.Shipped}}
		c := mcptest.New(t, serverOf(t, opts, incidents()), mcptest.WithRevision(protocol.Revision20251125))
		_, err := c.Do("events/list", nil)
		if served := err == nil; served != sessions {
			t.Errorf("Sessions %v: events/list: %v", sessions, err)
		}
		if _, err := c.Do("events/poll", pollParams("", "")); mcptest.CodeOf(err) != wire.CodeMethodNotFound {
			t.Errorf("Sessions %v: events/poll: %v", sessions, err)
		}
		for _, member := range []string{`"events":{}`, `"extensions":{`} {
			if told := strings.Contains(strings.Join(c.Transcript(), "\n"), member); told != sessions {
				t.Errorf("Sessions %v: %s is declared: %v", sessions, member, told)
			}
		}
	}
}

func TestRetention(t *testing.T) {
	t.Attr("requirements", "event-truncated")
	in := incidents()
	in.RetainMost = 3
	c := mcptest.New(t, serverOf(t, nil, in))
	cursor := poll(t, c, "", "").Cursor
	for i := range 5000 { // more than what is kept decoded
		commit(t, in, "e"+strconv.Itoa(i), "api", 1)
	}
	p := poll(t, c, cursor, "")
	if !p.Truncated || len(p.Events) == 0 {
		t.Errorf("%d events, truncated %v", len(p.Events), p.Truncated)
	}
}

// A poll has 100 events unless the client says another number, and 1,000 at most.
func TestMaxEvents(t *testing.T) {
	in := incidents()
	c := mcptest.New(t, serverOf(t, nil, in))
	cursor := poll(t, c, "", "").Cursor
	for i := range 1100 {
		commit(t, in, "e"+strconv.Itoa(i), "api", 1)
	}
	for params, want := range map[string]int{"": 100, `,"maxEvents":7`: 7, `,"maxEvents":100000`: 1000} {
		if p := poll(t, c, cursor, params); len(p.Events) != want || !p.HasMore || p.Truncated {
			t.Errorf("%s: %d events, more %v, truncated %v", params, len(p.Events), p.HasMore, p.Truncated)
		}
	}
}

// racing is a log that gets another entry right after it has taken those that a Read returns.
type racing struct {
	*event.Memory
	meanwhile func()
}

func (r *racing) Read(ctx context.Context, name string, after uint64, limit int) (event.Page, error) {
	p, err := r.Memory.Read(ctx, name, after, limit)
	if f := r.meanwhile; err == nil && limit > 0 && f != nil {
		r.meanwhile = nil
		f()
		state, _ := r.Memory.Read(ctx, name, 0, 0)
		p.First, p.Last = state.First, state.Last
	}
	return p, err
}

// An entry that is appended while a log is read comes next, also if the log tells of it too early.
func TestAppendedMeanwhile(t *testing.T) {
	log := &racing{Memory: event.NewMemory()}
	in := incidents()
	c := mcptest.New(t, serverOf(t, &mcp.Options{Events: &event.Options{Log: log}}, in))
	cursor := poll(t, c, "", "").Cursor
	commit(t, in, "a", "api", 1)
	p := poll(t, c, cursor, "")
	if p.ids() != "a" {
		t.Fatalf("%+v", p)
	}
	log.meanwhile = func() {
		e := &event.Entry{ID: "c", Time: day, Kept: time.Now(), Data: []byte(`{"id":"c"}`)}
		if err := log.Append(t.Context(), in.Name, e, event.Retention{}); err != nil {
			t.Error(err)
		}
	}
	if p = poll(t, c, p.Cursor, ""); p.ids() != "" || p.HasMore {
		t.Errorf("while c is appended: %+v", p)
	}
	if p = poll(t, c, p.Cursor, ""); p.ids() != "c" || p.Truncated {
		t.Errorf("after it was: %+v", p)
	}
}

func TestSchemaChanged(t *testing.T) {
	t.Attr("requirements", "event-controls event-removed")
	keys := [][]byte{[]byte("a key of at least 16 bytes")}
	log := event.NewMemory()
	in := incidents()
	opts := &mcp.Options{Keys: keys, Events: &event.Options{Log: log}}
	in.Schema = 1
	cursor := poll(t, mcptest.New(t, serverOf(t, opts, in)), "", "").Cursor
	for _, x := range []struct {
		schema, only int
		want         string
	}{{2, 0, "payloadSchema"}, {2, 1, "inputSchema"}, {3, 1, "payloadSchema"}, {3, 2, "inputSchema"}} {
		in = incidents()
		in.Schema, in.InputOnly = x.schema, x.only
		_, err := mcptest.New(t, serverOf(t, opts, in)).Do("events/poll", pollParams(cursor, ""))
		if code, data := faultOf(t, err); code != -32026 || data != `{"reason":"schema_changed","feature":"`+x.want+`"}` {
			t.Errorf("%+v: %d %s", x, code, data)
		}
	}
}

func TestAccess(t *testing.T) {
	t.Attr("requirements", "event-authorize")
	in, shown := incidents(), incidents()
	in.Guard = &mcprt.Guard{Access: mcprt.Access{Scopes: []string{"incidents.read"}}}
	shown.Name = "incident.shown"
	shown.Guard = &mcprt.Guard{Access: mcprt.Access{Scopes: []string{"incidents.read"}, Shown: true}}
	s := serverOf(t, nil, in, shown)
	anybody := mcptest.New(t, s, mcptest.WithCaller(mcp.Caller{Subject: "eve"}))
	reader := mcptest.New(t, s, mcptest.WithCaller(mcp.Caller{Subject: "ops", Scopes: []string{"incidents.read"}}))
	if text, _ := anybody.Do("events/list", nil); strings.Contains(string(text), "incident.opened") ||
		!strings.Contains(string(text), "incident.shown") {
		t.Errorf("anybody: %s", text)
	}
	_, err := anybody.Do("events/poll", pollParams("", ""))
	_, absent := anybody.Do("events/poll", []byte(`{"name":"nothing"}`))
	code, data := faultOf(t, err)
	if c2, d2 := faultOf(t, absent); code != c2 || data != d2 {
		t.Errorf("a hidden event is told from none: %d %s and %d %s", code, data, c2, d2)
	}
	if _, err := anybody.Do("events/poll", []byte(`{"name":"incident.shown"}`)); mcptest.CodeOf(err) != -32024 {
		t.Errorf("a shown event: %v", err)
	}
	cursor := poll(t, reader, "", "").Cursor
	commit(t, in, "a", "api", 1)
	if p := poll(t, reader, cursor, ""); p.ids() != "a" || p.Events[0].Data.Contact != "+49" {
		t.Errorf("%+v", p)
	}
}

func TestLimit(t *testing.T) {
	in := incidents()
	in.Guard = &mcprt.Guard{Limit: mcprt.Limit{Rate: 2, Per: time.Hour}}
	c := mcptest.New(t, serverOf(t, nil, in))
	poll(t, c, "", "")
	poll(t, c, "", "")
	if _, err := c.Do("events/poll", pollParams("", "")); err == nil || !strings.Contains(err.Error(), "too often") {
		t.Errorf("the third poll: %v", err)
	}
}

// A subscriber learns which events are its own doing.
func TestOwn(t *testing.T) {
	in := incidents()
	s := serverOf(t, nil, in)
	ann := mcptest.New(t, s, mcptest.WithCaller(mcp.Caller{Subject: "ann"}))
	bob := mcptest.New(t, s, mcptest.WithCaller(mcp.Caller{Subject: "bob"}))
	cursor := poll(t, ann, "", "").Cursor
	ann.Call("open_incident_opened", "{}")
	for who, own := range map[*mcptest.Client]bool{ann: true, bob: false} {
		p := poll(t, who, cursor, "")
		if p.ids() != "own" || p.Events[0].Meta["io.github.mcpgen/own"] != own {
			t.Errorf("own %v: %+v", own, p)
		}
	}
}

func TestTags(t *testing.T) {
	in, beta := incidents(), incidents()
	beta.Name, beta.Tags = "incident.beta", []string{"beta"}
	c := mcptest.New(t, serverOf(t, &mcp.Options{ExceptTags: []string{"beta"}}, in, beta))
	if text, err := c.Do("events/list", nil); err != nil || strings.Contains(string(text), "beta") {
		t.Errorf("%s %v", text, err)
	}
	if _, err := c.Do("events/poll", []byte(`{"name":"incident.beta"}`)); mcptest.CodeOf(err) != -32023 {
		t.Errorf("%v", err)
	}
}

// What cannot be judged is for nobody.
func TestPanics(t *testing.T) {
	in := incidents()
	in.Match = func(_ wanted, e *opened) bool {
		if e.Severity == 2 {
			panic("match")
		}
		return true
	}
	in.Shape = func(_ mcp.Caller, _ wanted, e *opened) opened {
		if e.Severity == 3 {
			panic("shape")
		}
		return *e
	}
	srv := serverOf(t, nil, in)
	c := mcptest.New(t, srv)
	cursor := poll(t, c, "", "").Cursor
	for i, id := range []string{"a", "b", "c", "d"} {
		commit(t, in, id, "api", i+1)
	}
	if p := poll(t, c, cursor, ""); p.ids() != "a d" || p.Truncated {
		t.Errorf("%+v", p)
	}
	if n := srv.Stats().Events.Withheld; n != 2 {
		t.Errorf("%d were withheld", n)
	}
}

func TestErrorsOfEvents(t *testing.T) {
	t.Attr("requirements", "event-errors")
	in := incidents()
	e := &opened{ID: "a", Opened: day}
	if err := in.Commit(context.Background(), e); err == nil {
		t.Error("Commit without a server succeeded")
	}
	s, err := newServer(nil, in)
	if err != nil {
		t.Fatal(err)
	}
	for id, service := range map[string]string{"a.b": "", "": "", "ü": "", "big": strings.Repeat("x", event.MaxData)} {
		if err := in.Commit(context.Background(), &opened{ID: id, Opened: day, Service: service}); err == nil {
			t.Errorf("an event with the id %q succeeded", id)
		}
	}
	if err := in.Commit(context.Background(), nil); err == nil {
		t.Error("no event succeeded")
	}
	_ = s.Close()
	if err := in.Commit(context.Background(), e); err == nil {
		t.Error("Commit after Close succeeded")
	}
	twice := incidents()
	if _, err := newServer(nil, twice, incidents()); err == nil || !strings.Contains(err.Error(), "two events") {
		t.Errorf("a name twice: %v", err)
	}
	alone := incidents()
	alone.Modes = 4
	if _, err := newServer(nil, alone); err == nil || !strings.Contains(err.Error(), "set Webhooks") {
		t.Errorf("webhooks only: %v", err)
	}
}
