package eventlog

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// FuzzEventID gives Last-Event-ID any text: it is refused, or names an event that the session has sent. A number of the
// notifications that was never reached is as good as no id.
func FuzzEventID(f *testing.F) {
	for _, id := range []string{"0-1", "0-3", "0-4", "1-1", "2-2", "2-02", "2-3", "3-1", "", "-", "-1", "0-", "0-0",
		"0--1", "0-+1", "0-1 ", " 0-1", "0-1-1", "0-9223372036854775808", "0-18446744073709551617", "0-٣", "0-1\x00"} {
		f.Add(id)
	}
	admit := newAdmission()
	x := NewStreams(admit, admit.Client(httptest.NewRequest(http.MethodGet, "/", nil), "ann"), time.Minute, "")
	sent := map[string]bool{}
	for range 3 {
		x.Notifications.Add([]byte("{}"))
		sent[string(x.Notifications.appendID(nil, x.Notifications.last.Load()))] = true
	}
	for range 2 {
		reply := x.NewReply()
		for range 2 {
			reply.Add([]byte("{}"))
			sent[string(reply.appendID(nil, reply.last.Load()))] = true
		}
	}
	f.Fuzz(func(t *testing.T, id string) {
		from, why := x.Resume([]string{id})
		if (why == nil) != (from.Log != nil) || sent[id] && (why != nil || !from.known) {
			t.Fatalf("%q: %v, refusal %v", id, from, why)
		}
		if why != nil {
			return
		}
		if !from.known {
			if from.Log != &x.Notifications || from.after != 0 {
				t.Fatalf("%q: %v", id, from)
			}
			return
		}
		if name := string(from.Log.appendID(nil, from.after)); !sent[name] ||
			name != strings.Replace(id, "-"+zeros(id), "-", 1) {
			t.Fatalf("%q is taken for %s", id, name)
		}
	})
}

// zeros are the zeros before the number of an event id.
func zeros(id string) string {
	_, number, _ := strings.Cut(id, "-")
	return number[:len(number)-len(strings.TrimLeft(number, "0"))]
}
