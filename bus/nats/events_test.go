package natsbus_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/bus/nats"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/event/logtest"
)

func newEvents(t *testing.T, address string, o natsbus.EventsOptions) *natsbus.Events {
	t.Helper()
	js, err := jetstream.New(connect(t, address))
	if err != nil {
		t.Fatal(err)
	}
	l, err := natsbus.NewEvents(js, "events", o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Handles with connections of their own are replicas of one log.
func TestEvents(t *testing.T) {
	b := start(t, "")
	logtest.Run(t, func(t *testing.T) event.Log { return newEvents(t, b.Addr, natsbus.EventsOptions{}) })
}

// What was appended is there after a kill of the server, in the same epoch; what is appended while it is away is an
// error. A stream that takes the place of another one has an epoch of its own.
func TestEventsKill(t *testing.T) {
	const name = "incident.opened"
	b := start(t, "")
	l := newEvents(t, b.Addr, natsbus.EventsOptions{})
	entry := func(id string) *event.Entry {
		return &event.Entry{ID: id, Time: time.Now(), Kept: time.Now(), Data: []byte("{}")}
	}
	keep := event.Retention{For: time.Hour, Most: 100}
	if err := l.Append(limit(t), name, entry("a"), keep); err != nil {
		t.Fatal(err)
	}
	before, err := l.Read(limit(t), name, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	do(t, b.Kill)
	if err := l.Append(limit(t), name, entry("b"), keep); err == nil || errors.Is(err, event.ErrDuplicate) {
		t.Errorf("Append without a server: %v", err)
	}
	do(t, func() error { return b.Start(t.Context()) })
	var after event.Page
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if after, err = l.Read(limit(t), name, 0, 10); err == nil {
			break
		}
	}
	if err != nil || after.Epoch != before.Epoch || len(after.Entries) == 0 || after.Entries[0].ID != "a" {
		t.Fatalf("after the kill: %+v %v, before: %+v", after, err, before)
	}
	if err := l.Append(limit(t), name, entry("a"), keep); !errors.Is(err, event.ErrDuplicate) {
		t.Errorf("again: %v", err)
	}
	js, err := jetstream.New(connect(t, b.Addr))
	if err != nil {
		t.Fatal(err)
	}
	for s := range js.ListStreams(limit(t)).Info() {
		if err := js.DeleteStream(limit(t), s.Config.Name); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = l.Read(limit(t), name, 0, 10) // finds that it is gone
	if p, err := l.Read(limit(t), name, 0, 10); err != nil || p.Epoch == before.Epoch || len(p.Entries) != 0 {
		t.Errorf("another stream: %+v %v", p, err)
	}
}

// What a stream never takes is refused, so that it is a gap and the events behind it are appended.
func TestEventsTooLarge(t *testing.T) {
	b := start(t, "")
	l := newEvents(t, b.Addr, natsbus.EventsOptions{})
	entry := func(id string, size int) *event.Entry {
		data := append(bytes.Repeat([]byte(" "), size), "{}"...)
		return &event.Entry{ID: id, Time: time.Now(), Kept: time.Now(), Data: data}
	}
	if err := l.Append(limit(t), "e", entry("a", 0), event.Retention{}); err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(connect(t, b.Addr))
	if err != nil {
		t.Fatal(err)
	}
	for s := range js.ListStreams(limit(t)).Info() {
		s.Config.MaxMsgSize = 1000
		if _, err := js.UpdateStream(limit(t), s.Config); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Append(limit(t), "e", entry("b", 2000), event.Retention{}); !errors.Is(err, event.ErrRefused) {
		t.Errorf("too large: %v", err)
	}
	if err := l.Append(limit(t), "e", entry("c", 0), event.Retention{}); err != nil {
		t.Error(err)
	}
}
