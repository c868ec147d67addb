package server

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/memory"
)

// busKey is the key of replicas in these tests.
var busKey = [][]byte{[]byte("0123456789abcdef")}

// newReplica returns one of the replicas on a bus.
func newReplica(t testing.TB, bus replica.Bus) *updateServer {
	return newUpdateServer(t, &Options{UpdateDelay: -1, Bus: replica.Over(bus), Keys: busKey})
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

		a.ResourceUpdated("plain:///a", "")
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

// deafBus is a bus from which nothing comes while it is deaf.
type deafBus struct {
	memory.Bus
	deaf atomic.Bool
}

func (b *deafBus) Subscribe(ctx context.Context, receive func([]byte), gap func()) error {
	return b.Bus.Subscribe(ctx, func(frame []byte) {
		if !b.deaf.Load() {
			receive(frame)
		}
	}, gap)
}

// A replica that does not hear itself ends its listens, refuses new ones, and tells everything once it hears again.
func TestFencedReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := new(deafBus)
		a := newReplica(t, bus)
		settle()
		old, young := newSession(t, a.Server, protocol.Revision20251125), newHarness(t, a.Server)
		old.ask(subscribeTo("1", "plain:///a"))
		young.ask(listenTo("1", `"resourceSubscriptions":["plain:///a"]`))
		bus.deaf.Store(true)
		time.Sleep(40 * time.Second)
		if got := young.recv(); !strings.Contains(got, `"result"`) {
			t.Errorf("a listen ends with %s", got)
		}
		young.recv() // the cancellation
		for _, c := range []*harness{old, young} {
			question := listenTo("2", `"resourceSubscriptions":["plain:///a"]`)
			if c == old {
				question = subscribeTo("2", "plain:///b")
			}
			if got := c.ask(question); !strings.Contains(got, "cut off") {
				t.Error(got)
			}
		}
		fenced, ends := Fenced(a.Server)
		if !fenced || Ready(a.Server) {
			t.Error("not fenced, or ready")
		}
		bus.deaf.Store(false)
		settle()
		settle()
		if fenced, _ := Fenced(a.Server); fenced || !Ready(a.Server) {
			t.Error("fenced, or not ready")
		}
		wantMatch(t, old.recv(), updated("", "plain:///a"))
		select {
		case <-ends:
			t.Error("the channel of streams that begin now is closed")
		default:
		}
		old.end()
		young.end()
		_ = a.Close()
	})
}

// told counts the updates that a client has got, and the notifications of lists that have changed.
func told(c *harness) (updates, lists int) {
	for len(c.in) > 0 {
		if strings.Contains(c.recv(), "list_changed") {
			lists++
		} else {
			updates++
		}
	}
	return updates, lists
}

// What a part, a joined server and its replica tell reaches all joined servers on the other replica. An update comes
// once. A switch is told by the server that is switched and by those that are joined with it, so it may come twice.
func TestJoinedReplicas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := new(memory.Bus)
		var parts, roots []*Server
		for range 2 {
			part := newUpdateServer(t, nil).Server
			root, err := Join(&feature.Features{Info: protocol.Implementation{Name: "root"}},
				&Options{UpdateDelay: -1, Logger: silent(), Bus: replica.Over(bus), Keys: busKey}, part)
			if err != nil {
				t.Fatal(err)
			}
			parts, roots = append(parts, part), append(roots, root)
		}
		settle()
		var clients []*harness
		for _, s := range append(parts, roots...) {
			c := newHarness(t, s)
			c.ask(listenTo("1", `"resourcesListChanged":true,"resourceSubscriptions":["plain:///a"]`))
			clients = append(clients, c)
		}
		settle()
		for _, s := range append(parts, roots...) {
			s.ResourceUpdated("plain:///a", "")
			settle()
			for i, c := range clients {
				if updates, lists := told(c); updates != 1 || lists != 0 {
					t.Errorf("client %d: %d updates, %d of the list", i, updates, lists)
				}
			}
			s.EnableResource("plain:///{x}", false)
			s.EnableResource("plain:///{x}", true)
			settle()
			for i, c := range clients {
				if updates, lists := told(c); updates == 0 || updates > 4 || lists == 0 || lists > 3 {
					t.Errorf("client %d: %d updates, %d of the list", i, updates, lists)
				}
			}
		}
		for _, c := range clients {
			c.end()
		}
		for i := range roots {
			_, _ = roots[i].Close(), parts[i].Close()
			parts[i].ResourceUpdated("plain:///a", "") // reaches no closed bus
			if !parts[i].linked.Empty() {
				t.Error("a part still knows the bus of a server that is closed")
			}
		}
	})
}

// Only the joined server has the bus.
func TestMemberWithBus(t *testing.T) {
	part := newReplica(t, new(memory.Bus))
	_, err := Join(&feature.Features{Info: protocol.Implementation{Name: "root"}}, &Options{Logger: silent()}, part.Server)
	if err == nil || !strings.Contains(err.Error(), "only the joined server") {
		t.Error(err)
	}
}

// Tools that were added to one replica only are a warning and a change of the list, and so is the end of that.
func TestToolsOfOneReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus, logs := new(memory.Bus), new(logBook)
		var all []*Server
		for range 2 {
			s, err := NewServer(newToolServer(t, nil).declared(), &Options{
				DynamicTools: true, Bus: replica.Over(bus), Keys: busKey, Logger: slog.New(slog.NewTextHandler(logs, nil)),
			})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
		settle()
		c := newHarness(t, all[1])
		c.ask(listenTo("1", `"toolsListChanged":true`))
		if err := all[0].AddTool(echoTool("x")); err != nil {
			t.Fatal(err)
		}
		settle()
		if got := c.recv(); !strings.Contains(got, "tools/list_changed") {
			t.Error(got)
		}
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if got := c.recv(); !strings.Contains(got, "tools/list_changed") || len(c.in) > 0 {
			t.Errorf("%s, and %d more", got, len(c.in))
		}
		if n := strings.Count(logs.String(), "differ in the tools"); n != 2 { // one of each replica
			t.Errorf("%d warnings", n)
		}
		if n := Stats(all[1]).Replicas.Different; n != 1 {
			t.Errorf("%d replicas differ", n)
		}
		_ = all[1].AddTool(echoTool("x"))
		time.Sleep(30 * time.Second)
		synctest.Wait()
		for range 2 { // its own change, and that they do not differ any more
			if got := c.recv(); !strings.Contains(got, "tools/list_changed") {
				t.Error(got)
			}
		}
		c.end()
		_, _ = all[0].Close(), all[1].Close()
	})
}

// Replicas allow their share of a rate, rounded up, if that is wanted.
func TestShareOfRates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := new(memory.Bus)
		var all []*Server
		for _, share := range []bool{true, true, false} {
			s, err := NewServer(&feature.Features{
				Info:         protocol.Implementation{Name: "t"},
				Capabilities: protocol.ServerCapabilities{Tools: &protocol.ServerCapabilitiesTools{}},
				Tools: []feature.Tool{{
					Entry: &protocol.Tool{Name: "x", InputSchema: json.RawMessage(`{"type":"object"}`)},
					Call:  func(*call.Call, []byte) (content.ToolResult, error) { return content.ToolText("done"), nil },
					Guard: &access.Guard{Limit: access.Limit{Rate: 10, Per: time.Hour}},
				}},
			}, &Options{ShareRates: share, Bus: replica.Over(bus), Keys: busKey, Logger: silent()})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
		settle()
		for i, want := range []int{4, 4, 10} { // of 10 by three
			c, done := newSession(t, all[i], protocol.Revision20251125), 0
			for range 20 {
				if strings.Contains(c.ask(toolCall("1", "x", "{}")), "done") {
					done++
				}
			}
			if done != want {
				t.Errorf("replica %d allows %d calls, want %d", i, done, want)
			}
			c.end()
		}
		for _, s := range all {
			_ = s.Close()
		}
	})
}

// A replica that ends while a handler of it goes on may still change something: the others find out, as they do about
// one that was killed. One whose handlers have ended makes nobody resync.
func TestReplicaThatLeavesHandlers(t *testing.T) {
	for _, stuck := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			bus := new(memory.Bus)
			stay := make(chan struct{})
			leaves, err := NewServer(&feature.Features{
				Capabilities: protocol.ServerCapabilities{Resources: new(protocol.ServerCapabilitiesResources)},
				Resources: []feature.Resource{{
					Entry: &protocol.Resource{URI: "a:///x", Name: "x"},
					Read: func(*call.Call) (content.Contents, error) {
						if stuck {
							<-stay
						}
						return content.Text("x"), nil
					},
				}},
				Route: func(string, *uri.Vars) int { return 0 },
			}, &Options{Grace: time.Second, Logger: noLog, Bus: replica.Over(bus), BusName: "updates", Keys: busKey})
			if err != nil {
				t.Fatal(err)
			}
			b := newReplica(t, bus)
			settle()
			go func() {
				e := session.OpenEnvelope([]byte(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:///x",` +
					exchangeMeta + `}}`))
				leaves.host.Exchange(context.Background(), &e, call.Caller{}, new(lastWriter))
			}()
			synctest.Wait()
			before := Stats(b.Server).Replicas.Resyncs["silent"]
			_ = leaves.Close()
			time.Sleep(20 * time.Second)
			if n := Stats(b.Server).Replicas.Resyncs["silent"] - before; n > 0 != stuck {
				t.Errorf("a handler is left: %v, and there are %d resyncs", stuck, n)
			}
			close(stay)
			_ = b.Close()
		})
	}
}
