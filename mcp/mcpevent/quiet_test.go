package mcpevent_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// Nothing said how long a stream may be silent: it is less than 30 seconds.
func TestStreamHeartbeatByDefault(t *testing.T) {
	t.Attr("requirements", "event-heartbeat")
	synctest.Test(t, func(t *testing.T) {
		s := open(t, mcptest.New(t, serverOf(t, nil, incidents())), `"x1"`, "", "")
		s.want("active", "")
		for range 3 {
			begun := time.Now()
			time.Sleep(29 * time.Second)
			s.want("heartbeat", `"cursor"`)
			if d := time.Since(begun); d > 29*time.Second {
				t.Errorf("a heartbeat after %v", d)
			}
		}
	})
}

// A stream that was cancelled has left, and gets nothing more.
func TestStreamCancelled(t *testing.T) {
	t.Attr("requirements", "event-stream-cancel")
	synctest.Test(t, func(t *testing.T) {
		in := incidents()
		srv := serverOf(t, &mcp.Options{Events: &event.Options{MaxStreamsPerPrincipal: 1}}, in)
		c := mcptest.New(t, srv)
		open(t, c, `"x1"`, "", "").want("active", "")
		c.Notify("notifications/cancelled", []byte(`{"requestId":"x1"}`))
		synctest.Wait()
		if n := srv.Stats().Events.Streams; n != 0 {
			t.Errorf("%d streams", n)
		}
		commit(t, in, "late", "api", 1)
		time.Sleep(time.Minute)
		if said := strings.Join(c.Transcript(), "\n"); strings.Contains(said, `"late"`) {
			t.Errorf("an event after the end: %s", said)
		}
		open(t, c, `"x2"`, "", "").want("active", "")
	})
}
