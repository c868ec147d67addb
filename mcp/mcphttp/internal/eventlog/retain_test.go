package eventlog

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// newAdmission lets one client keep 16 MiB.
func newAdmission() *limits.Admission {
	var s [limits.NumResources]limits.Share
	s[limits.RetainedBytes] = limits.Share{All: 64 << 20, Client: 16 << 20, Subject: 16 << 20}
	return limits.NewAdmission(s, nil, new(counters.Counters))
}

// newRetaining returns the streams of sessions of one client.
func newRetaining(n int) (admit *limits.Admission, all []*Streams) {
	admit = newAdmission()
	for range n {
		u := admit.Client(httptest.NewRequest(http.MethodGet, "/", nil), "ann")
		all = append(all, NewStreams(admit, u, time.Minute, ""))
	}
	return admit, all
}

// What is kept of streams is bounded for a stream, a session and a client, and all of it is given back in the end.
func TestRetainedBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		admit, all := newRetaining(40)
		most := admit.All(limits.RetainedBytes) / 4
		frame := bytes.Repeat([]byte("x"), 1<<20)
		large := bytes.Repeat(frame, 12)
		for _, x := range all {
			for range 20 {
				l := x.NewReply()
				for range 3 {
					l.Add(frame)
					if l.bytes > maxStreamBytes || x.bytes > maxSessionBytes {
						t.Fatalf("a stream keeps %d bytes, a session %d", l.bytes, x.bytes)
					}
				}
				l.End(large, nil, wire.NumberID(1)) // too large: an error stays
				if n := len(l.events); n > 0 && len(l.events[n-1].frame) > 1000 {
					t.Fatalf("the last event has %d bytes", len(l.events[n-1].frame))
				}
			}
		}
		if used := admit.Used(limits.RetainedBytes); used > most || used < most/2 {
			t.Errorf("a client keeps %d bytes, want up to %d", used, most)
		}
		for _, x := range all {
			x.End()
			x.NewReply().End(frame, nil, wire.ID{}) // after the end
		}
		if used := admit.Used(limits.RetainedBytes); used != 0 {
			t.Errorf("%d bytes are left", used)
		}
	})
}

// A response that was written is forgotten after some time, and one that was not is kept; so are events until they are
// acknowledged.
func TestRetainedTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		admit, all := newRetaining(1)
		x := all[0]
		idle := admit.Used(limits.RetainedBytes)
		unsent := x.NewReply()
		unsent.End([]byte("{}"), nil, wire.ID{})
		one := admit.Used(limits.RetainedBytes)
		sent := x.NewReply()
		sent.Add([]byte("{}"))
		x.finish(sent, true)
		time.Sleep(time.Minute + time.Second)
		used := admit.Used(limits.RetainedBytes)
		if used != one || x.find(sent.number) != nil || x.find(unsent.number) == nil {
			t.Errorf("%d bytes, want %d", used, one)
		}
		x.acknowledge(unsent, 1)
		if len(unsent.events) != 0 {
			t.Error("an acknowledged event is kept")
		}
		x.End()
		if used := admit.Used(limits.RetainedBytes); used != 0 || idle == 0 {
			t.Errorf("%d bytes are left", used)
		}
	})
}

// Updates are numbered and not kept.
func TestUpdatesAreNotKept(t *testing.T) {
	_, all := newRetaining(1)
	x := all[0]
	for range 300 {
		x.Notifications.Pass([]byte("{}"))
	}
	if len(x.Notifications.events) != 0 || x.bytes != costOfLog || !x.Notifications.hasBegun() {
		t.Errorf("%d events, %d bytes", len(x.Notifications.events), x.bytes)
	}
	x.End()
}
