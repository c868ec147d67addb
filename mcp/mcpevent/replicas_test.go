package mcpevent_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/memory"
)

// shared is a log that replicas in this process share.
type shared struct{ *event.Memory }

func (shared) Lasting() bool { return true }

// replicas makes two servers that share a log and, if it is not nil, a bus.
func replicas(t *testing.T, bus replica.Bus) (one, two *mcptest.Client, in *incident) {
	t.Helper()
	log := shared{event.NewMemory()}
	opts := &mcp.Options{
		Keys: [][]byte{[]byte("a key of at least 16 bytes")}, Bus: replica.Over(bus), Events: &event.Options{Log: log},
	}
	in = incidents()
	one, two = mcptest.New(t, serverOf(t, opts, in)), mcptest.New(t, serverOf(t, opts, incidents()))
	return one, two, in
}

// What one replica commits reaches the streams of another: the bus wakes it, and the log has the event.
func TestReplicas(t *testing.T) {
	for name, bus := range map[string]replica.Bus{"bus": &memory.Bus{}, "no bus": nil} {
		t.Run(name, func(t *testing.T) {
			one, two, in := replicas(t, bus)
			s := open(t, two, `"s"`, "", "")
			s.want("active", "")
			commit(t, in, "a", "api", 1)
			cursor := cursorIn(t, s.want("event", `"eventId":"a"`))
			commit(t, in, "b", "api", 1)
			if p := poll(t, one, cursor, ""); p.ids() != "b" || p.Truncated {
				t.Errorf("the cursor of another replica: %+v", p)
			}
			if p := poll(t, two, cursor, ""); p.ids() != "b" {
				t.Errorf("a poll of another replica right after the commit: %+v", p)
			}
		})
	}
}

// With a bus a stream does not wait for the next look at the log.
func TestReplicasAreWoken(t *testing.T) {
	_, two, in := replicas(t, &memory.Bus{})
	s := open(t, two, `"s"`, "", "")
	s.want("active", "")
	fast := 0
	for i := range 20 {
		begun := time.Now()
		commit(t, in, strings.Repeat("x", i+1), "api", 1)
		s.want("event", "")
		if time.Since(begun) < 200*time.Millisecond {
			fast++
		}
	}
	if fast < 10 {
		t.Errorf("%d of 20 events came at once", fast)
	}
}

// Servers of one process that share a log in memory see what others append, a second later at most, as replicas do.
func TestSharedMemory(t *testing.T) {
	opts := &mcp.Options{Events: &event.Options{Log: event.NewMemory()}}
	in := incidents()
	serverOf(t, opts, in)
	s := open(t, mcptest.New(t, serverOf(t, opts, incidents())), `"s"`, "", "")
	s.want("active", "")
	begun := time.Now()
	if err := in.Publish(t.Context(), &opened{ID: "a", Opened: day}); err != nil {
		t.Fatal(err)
	}
	s.want("event", `"eventId":"a"`)
	if d := time.Since(begun); d > 5*time.Second {
		t.Errorf("the event came after %v", d)
	}
}

// Memory that others do not see is refused where that would lose events, unless it is meant.
func TestLocal(t *testing.T) {
	keys := [][]byte{[]byte("a key of at least 16 bytes")}
	_, err := newServer(&mcp.Options{Keys: keys, Bus: replica.Over(&memory.Bus{})}, incidents())
	if err == nil || !strings.Contains(err.Error(), "mcp: Options.Events: replicas do not see each other's events") {
		t.Errorf("a bus without a log: %v", err)
	}
	o := hooked(event.Specification)
	o.Events.(*event.Options).Local = false
	if _, err := newServer(o, incidents()); err == nil ||
		!strings.Contains(err.Error(), "mcp: Options.Events: webhooks are for those who are away, and the Log is in the memory") {
		t.Errorf("webhooks without a log: %v", err)
	}
	meant := &event.Options{Local: true}
	serverOf(t, &mcp.Options{Keys: keys, Bus: replica.Over(&memory.Bus{}), Events: meant}, incidents())
}
