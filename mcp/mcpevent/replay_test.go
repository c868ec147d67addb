package mcpevent_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// books are a history of the program. Its cursors are numbers of entries.
type books struct {
	mu    sync.Mutex
	all   []opened
	first int                                // those before are gone
	most  int                                // of a page
	wrong func(*mcp.EventPage[opened]) error // changes what is returned
	asked int
}

// add adds entries, without a word to the server.
func (b *books) add(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for range n {
		i := len(b.all)
		at := day.Add(time.Duration(i) * time.Minute)
		b.all = append(b.all, opened{ID: strconv.Itoa(i), Opened: at, Severity: 1, Service: "api"})
	}
}

func (b *books) replay(_ context.Context, _ wanted, cursor string, limit int) (p mcp.EventPage[opened], err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked++
	at := len(b.all)
	if cursor != "" {
		if at, err = strconv.Atoi(cursor); err != nil {
			return p, err
		}
		if at < b.first {
			return mcp.EventPage[opened]{Next: strconv.Itoa(b.first), Lost: true}, nil
		}
		p.Events = b.all[at:min(len(b.all), at+min(limit, b.most))]
		at += len(p.Events)
	}
	p.Next, p.More = strconv.Itoa(at), at < len(b.all)
	if b.wrong != nil {
		err = b.wrong(&p)
	}
	return p, err
}

// fail makes the program do something wrong; nil for nothing.
func (b *books) fail(wrong func(*mcp.EventPage[opened]) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wrong = wrong
}

// replayed returns incident.opened with a history of the program.
func replayed() (*incident, *books) {
	b := &books{most: 7}
	in := incidents()
	in.Replay = b.replay
	return in, b
}

// Polls page through the history of the program, wherever its pages end, and go on in another process.
func TestReplayPoll(t *testing.T) {
	in, b := replayed()
	keys := [][]byte{[]byte(strings.Repeat("k", 32))}
	s := serverOf(t, &mcp.Options{Keys: keys}, in)
	c := mcptest.New(t, s)
	b.add(3)
	p := poll(t, c, "", "")
	if p.ids() != "" || p.HasMore || p.Truncated {
		t.Fatalf("the first poll has %+v", p)
	}
	start := p.Cursor
	b.add(20)
	var got []string
	for i := 0; i == 0 || p.HasMore; i++ {
		if i == 2 { // another process
			other, _ := replayed()
			other.Replay = b.replay
			c = mcptest.New(t, serverOf(t, &mcp.Options{Keys: keys}, other))
		}
		p = poll(t, c, p.Cursor, `,"maxEvents":`+strconv.Itoa(i+3))
		got = append(got, strings.Fields(p.ids())...)
		if p.Truncated || i > 20 {
			t.Fatalf("truncated or endless: %+v", p)
		}
	}
	if text := strings.Join(got, " "); text != "3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22" {
		t.Error(text)
	}
	if p = poll(t, c, start, `,"arguments":{"severity":2}`); p.ids() != "" || p.HasMore {
		t.Errorf("for others: %+v", p)
	}
	age := time.Since(day.Add(20 * time.Minute)).Milliseconds()
	p = poll(t, c, start, `,"maxAgeMs":`+strconv.FormatInt(age+30_000, 10))
	if p.ids() != "20 21 22" || !p.Truncated || p.Events[0].Timestamp != "2026-11-28T09:20:00.000Z" {
		t.Errorf("not older than the 20th: %+v", p)
	}
	b.first = 10
	if p = poll(t, c, start, `,"maxEvents":2`); p.ids() != "10 11" || !p.Truncated {
		t.Errorf("after a loss: %+v", p)
	}
	if p = poll(t, c, p.Cursor, `,"maxEvents":2`); p.ids() != "12 13" || p.Truncated {
		t.Errorf("after that: %+v", p)
	}
}

// A stream gets what is announced, what is not announced a little later, and after a reconnect what it has missed.
func TestReplayStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, b := replayed()
		s := serverOf(t, nil, in)
		c := mcptest.New(t, s)
		x := open(t, c, "1", "", "")
		x.want("active", `"truncated":false`)
		b.add(1)
		in.Announce()
		cursor := cursorIn(t, x.want("event", `"eventId":"0"`))
		begun := time.Now()
		b.add(1)
		x.want("event", `"eventId":"1"`)
		if d := time.Since(begun); d > 6*time.Second {
			t.Errorf("what is not announced comes after %v", d)
		}
		b.add(9)
		y := open(t, c, "2", cursor, "")
		y.want("active", `"truncated":false`)
		for i := 1; i < 11; i++ {
			y.want("event", `"eventId":"`+strconv.Itoa(i)+`"`)
		}
		b.fail(func(*mcp.EventPage[opened]) error { panic("of the history") })
		in.Announce()
		y.want("error", `"events cannot be read at the moment"`)
		b.fail(nil)
		b.add(1)
		for {
			if kind, text := y.next(); kind == "event" && strings.Contains(text, `"eventId":"11"`) {
				break
			}
		}
	})
}

// What the history of the program must not return is an error of the poll, and nothing else.
func TestReplayFaults(t *testing.T) {
	in, b := replayed()
	s := serverOf(t, nil, in)
	c := mcptest.New(t, s)
	b.add(1)
	start := poll(t, c, "", "").Cursor
	b.add(3)
	for name, wrong := range map[string]func(*mcp.EventPage[opened]) error{
		"no cursor":   func(p *mcp.EventPage[opened]) error { p.Next = ""; return nil },
		"long cursor": func(p *mcp.EventPage[opened]) error { p.Next = strings.Repeat("x", 257); return nil },
		"too many":    func(p *mcp.EventPage[opened]) error { p.Events = make([]opened, 5000); return nil },
		"lost":        func(p *mcp.EventPage[opened]) error { p.Lost = true; return nil },
		"an error":    func(*mcp.EventPage[opened]) error { return errors.New("no such table") },
		"a panic":     func(*mcp.EventPage[opened]) error { panic("of the history") },
	} {
		b.fail(wrong)
		if _, err := c.Do("events/poll", pollParams(start, "")); err == nil || strings.Contains(err.Error(), "table") {
			t.Errorf("%s: %v", name, err)
		}
	}
	b.fail(func(p *mcp.EventPage[opened]) error {
		p.Events = append([]opened{}, p.Events...)
		p.Events[1].ID = "a.b"
		return nil
	})
	if p := poll(t, c, start, ""); p.ids() != "1 3" {
		t.Errorf("an event that cannot be sent: %+v", p)
	}
	b.fail(func(p *mcp.EventPage[opened]) error { // more without end
		*p = mcp.EventPage[opened]{Next: "1", More: true}
		return nil
	})
	b.asked = 0
	if p := poll(t, c, start, ""); p.HasMore || b.asked > 40 {
		t.Errorf("asked %d times: %+v", b.asked, p)
	}
	if err := in.Commit(t.Context(), &opened{ID: "x"}); err == nil {
		t.Error("what the program has itself was committed")
	}
	in.At = nil
	if _, err := newServer(nil, in); err == nil || !strings.Contains(err.Error(), "no ID or no At") {
		t.Errorf("without a time: %v", err)
	}
}

// While calls that do not look at their context hang, others get an error in time.
func TestReplayThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := incidents()
		back := make(chan struct{})
		in.Replay = func(context.Context, wanted, string, int) (mcp.EventPage[opened], error) {
			<-back
			return mcp.EventPage[opened]{Next: "0"}, nil
		}
		s := serverOf(t, nil, in)
		var all []*mcptest.Client
		for range 20 {
			c := mcptest.New(t, s)
			c.Send(`{"jsonrpc":"2.0","id":7,"method":"events/poll","params":{"name":"` + in.Name + `",` + meta + `}}`)
			all = append(all, c)
		}
		answers := func(member string) (n int) {
			for _, c := range all {
				n += strings.Count(strings.Join(c.Transcript(), ""), `"id":7,"`+member)
			}
			return n
		}
		time.Sleep(11 * time.Second)
		if n := answers("error"); n != 4 {
			t.Errorf("%d polls have an error, want 4", n)
		}
		close(back)
		synctest.Wait()
		if n := answers("result"); n != 16 {
			t.Errorf("%d polls are answered, want 16", n)
		}
	})
}

// A change from a log to a history, and back, is a gap.
func TestReplayChanges(t *testing.T) {
	keys := [][]byte{[]byte(strings.Repeat("k", 32))}
	opts := func() *mcp.Options { return &mcp.Options{Keys: keys, Events: &event.Options{}} }
	before := poll(t, mcptest.New(t, serverOf(t, opts(), incidents())), "", "").Cursor
	in, b := replayed()
	b.add(2)
	p := poll(t, mcptest.New(t, serverOf(t, opts(), in)), before, "")
	if p.ids() != "" || !p.Truncated {
		t.Errorf("from a log: %+v", p)
	}
	if p = poll(t, mcptest.New(t, serverOf(t, opts(), incidents())), p.Cursor, ""); p.ids() != "" || !p.Truncated {
		t.Errorf("to a log: %+v", p)
	}
}
