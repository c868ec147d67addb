package server

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// A listen is cancelled by any spelling of its id, and hears by that which it was opened with.
func TestCancelListenByOtherSpelling(t *testing.T) {
	t.Attr("requirements", "meta-subscription")
	n := newUpdateServer(t, nil)
	c := newHarness(t, n.Server)
	wantMatch(t, c.ask(listenTo(`"\u0061"`, `"resourceSubscriptions":["plain:///a"]`)),
		acknowledged(`"a"`, `"resourceSubscriptions":["plain:///a"]`))
	n.ResourceUpdated("plain:///a", "")
	if got := c.recv(); !strings.Contains(got, `"\u0061"`) {
		t.Error(got)
	}
	c.send(cancelled(`"a"`))
	c.quiet()
	if got := n.subscriptions(); got != 0 {
		t.Errorf("%d subscriptions are left", got)
	}
}

// A second listen with the id of an open one is refused by that name.
func TestListenWithIDOfOpenListen(t *testing.T) {
	c := newHarness(t, newUpdateServer(t, nil).Server)
	c.ask(listenTo("1", `"resourceSubscriptions":["plain:///a"]`))
	if got := c.ask(listenTo("1", `"resourceSubscriptions":["plain:///a"]`)); !strings.Contains(got, `"error"`) {
		t.Error(got)
	}
}

// UpdateDelay is how long a change waits; zero is the default, and less is none.
func TestUpdateDelay(t *testing.T) {
	for want, option := range map[time.Duration]*Options{
		defaultUpdateDelay: {}, 0: {UpdateDelay: -1}, time.Second: {UpdateDelay: time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := newUpdateServer(t, option)
			c := newSession(t, n.Server, protocol.Revision20251125)
			c.ask(subscribeTo("1", "plain:///a"))
			start := time.Now()
			n.ResourceUpdated("plain:///a", "")
			<-c.in
			if got := time.Since(start); got != want {
				t.Errorf("told after %v, want %v", got, want)
			}
			c.cancel()
			_, _ = c.wait()
			_ = n.Close()
		})
	}
}
