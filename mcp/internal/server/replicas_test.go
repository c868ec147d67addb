package server

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/memory"
)

// busKey is the key of replicas in these tests.
var busKey = [][]byte{[]byte("0123456789abcdef")}

// newReplica returns one of the replicas on a bus.
func newReplica(t testing.TB, bus replica.Bus) *updateServer {
	return newUpdateServer(t, &Options{NoUpdateDelay: true, Bus: bus, Keys: busKey})
}

// settle lets replicas hear each other, and clients hear what happens at the start.
func settle() {
	time.Sleep(5 * time.Second)
	synctest.Wait()
}

// end ends a conversation.
func (c *harness) end() {
	c.cancel()
	_, _ = c.wait()
}

// What one replica publishes reaches the clients of another, by the way of either generation.
func TestUpdateReachesOtherReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := new(memory.Bus)
		a, b := newReplica(t, bus), newReplica(t, bus)
		settle()
		if !Ready(a.Server) || !Ready(b.Server) {
			t.Fatal("not ready")
		}
		old, young := newSession(t, b.Server, protocol.Revision20251125), newHarness(t, b.Server)
		old.ask(subscribeTo("1", "plain:///a"))
		young.ask(listenTo("1", `"resourcesListChanged":true,"resourceSubscriptions":["plain:///a","live:///ok"]`))
		settle()

		a.ResourceUpdated("plain:///a")
		wantMatch(t, old.recv(), updated("", "plain:///a"))
		wantMatch(t, young.recv(), updated(forListen("1"), "plain:///a"))

		a.ResourceListChanged()
		for _, c := range []*harness{old, young} {
			if got := c.recv(); !strings.Contains(got, "resources/list_changed") {
				t.Error(got)
			}
		}

		watcher := newHarness(t, a.Server) // whose watcher says that the resource has changed
		watcher.ask(listenTo("1", `"resourceSubscriptions":["live:///ok"]`))
		settle()
		a.changed <- struct{}{}
		wantMatch(t, watcher.recv(), updated(forListen("1"), "live:///ok"))
		wantMatch(t, young.recv(), updated(forListen("1"), "live:///ok"))

		for _, c := range []*harness{old, young, watcher} {
			c.end()
		}
		_, _ = a.Close(), b.Close()
	})
}
