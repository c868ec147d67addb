package replicas_test

import (
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/ratelimit"
	"github.com/mcpgen/mcpgen/mcp/internal/relay"
	"github.com/mcpgen/mcpgen/mcp/internal/replicas"
	"github.com/mcpgen/mcpgen/mcp/internal/seal/aead"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/memory"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// told is a server, and a peer with sessions, that notes what it is told.
type told struct {
	mu    sync.Mutex
	all   []string
	tools []*feature.Tool // replaced, never changed
}

func (s *told) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, fmt.Sprintf(format, args...))
}

// take returns what was told since the last time.
func (s *told) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := strings.Join(s.all, ", ")
	s.all = nil
	return all
}

func (s *told) DeliverUpdate(uri string)                        { s.note("update %s", uri) }
func (s *told) DeliverInstances(uri string)                     { s.note("instances %s", uri) }
func (s *told) DeliverList(k feature.Kind)                      { s.note("list %d", k) }
func (s *told) SignalAttached(text string)                      { s.note("attached %s", text) }
func (s *told) ResyncWithin(time.Duration)                      { s.note("resync") }
func (s *told) EndStreams()                                     { s.note("blind") }
func (s *told) SessionChanged(key string)                       { s.note("changed %s", key) }
func (s *told) SessionEnded(key string)                         { s.note("ended %s", key) }
func (s *told) Direct(from string, payload []byte)              { s.note("direct %d %s", len(from), payload) }
func (s *told) Resync()                                         { s.note("sessions") }
func (s *told) Declared() *feature.Features                     { return new(feature.Features) }
func (s *told) EachValue(uri string, _ func(feature.LiveValue)) { s.note("load %q", uri) }

func (s *told) AddedTools() (version any, tools iter.Seq[*feature.Tool]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.tools), slices.Values(s.tools)
}

// open connects replicas over one bus and lets them hear each other.
func open(t *testing.T, n int) (all []*told, links []replicas.Connection) {
	t.Helper()
	box, err := aead.New([][]byte{[]byte("0123456789abcdef")})
	if err != nil {
		t.Fatal(err)
	}
	bus := replica.Over(new(memory.Bus)).(replicas.Opener)
	for range n {
		s := new(told)
		c := bus.OpenReplica(replicas.Config{Name: "t", Box: box, Log: slog.New(slog.DiscardHandler), Server: s})
		c.AddPeer(s)
		all, links = append(all, s), append(links, c)
	}
	time.Sleep(5 * time.Second)
	synctest.Wait()
	for _, s := range all {
		s.take()
	}
	return all, links
}

// What one replica notes the other one is told, once, and nothing comes back.
func TestSignals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, conns := open(t, 2)
		var links replicas.Links
		links.Set(conns[:1])
		for _, c := range []struct {
			do   func()
			want string
		}{
			{func() { links.Note(relay.Updated, "a:x") }, `update a:x, load "a:x", attached a:x`},
			{func() { links.Note(relay.Reloaded, "a:x") }, `update a:x`},
			{func() { links.Note(relay.Instances, "a:{x}") }, `instances a:{x}`},
			{func() { links.NoteList(feature.KindTool) }, fmt.Sprintf("list %d", feature.KindTool)},
			{func() { links.Note(relay.Session, "k") }, `changed k`},
			{func() { links.Note(relay.Ended, "k") }, `ended k`},
			{func() { _ = conns[0].Send(conns[1].Origin(), []byte("hello")) },
				fmt.Sprintf("direct %d hello", len(conns[0].Origin()))},
			{func() { conns[1].(*replicas.Replica).Resync() }, `resync, load "", sessions`},
			{func() { links.Note(99, "of a later release") }, `resync, load "", sessions`},
		} {
			c.do()
			time.Sleep(time.Second)
			synctest.Wait()
			if got := all[1].take(); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if got := all[0].take(); got != "" {
				t.Errorf("the sender is told %s", got)
			}
		}
		for _, c := range conns {
			c.Close()
		}
	})
}

// Tools that were added to one replica only change the list of tools of both.
func TestDigests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, conns := open(t, 2)
		all[0].mu.Lock()
		all[0].tools = []*feature.Tool{{Entry: &protocol.Tool{Name: "x"}}}
		all[0].mu.Unlock()
		time.Sleep(30 * time.Second)
		synctest.Wait()
		for i, s := range all {
			var counted stats.Replicas
			conns[i].AddTo(&counted)
			if got := s.take(); got != fmt.Sprintf("list %d", feature.KindTool) || counted.Different != 1 {
				t.Errorf("replica %d is told %s, and counts %d others that differ", i, got, counted.Different)
			}
			conns[i].Close()
		}
	})
}

// cutOff is a connection that does not hear the others.
type cutOff struct{ replicas.Connection }

func (cutOff) Fenced() bool { return true }

// A server without a bus is never fenced and always ready, and has the whole of a rate; each of three has its share.
func TestLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var links replicas.Links
		rate := ratelimit.Rate{Calls: 10, Per: time.Hour}
		fenced, ends := links.FencedUntil()
		if !links.Empty() || fenced || ends != nil || links.Unready() != "" || links.Share(rate) != rate {
			t.Error("a server without a bus is not alone")
		}
		links.Note(relay.Updated, "a:x") // reaches nobody
		_, conns := open(t, 3)
		links.Set(conns[:1])
		fenced, ends = links.FencedUntil()
		if links.Empty() || fenced || ends == nil || links.Unready() != "" {
			t.Errorf("fenced: %v, unready: %s", fenced, links.Unready())
		}
		if got := links.Share(rate); got.Calls != 4 || got.Burst != 4 {
			t.Errorf("%+v of %+v for one of three", got, rate)
		}
		links.Set(append(conns[:1:1], cutOff{conns[1]}))
		if fenced, _ = links.FencedUntil(); !fenced {
			t.Error("not fenced, although one of two connections is")
		}
		links.EndStreams()
		select {
		case <-ends:
		default:
			t.Error("streams do not end")
		}
		for _, c := range conns {
			c.Abandon()
		}
	})
}

// A server that two joined servers share tells the replicas of both, and is ready if both are.
func TestTwoLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, first := open(t, 2)
		two, second := open(t, 2)
		var links replicas.Links
		links.Set([]replicas.Connection{first[0], second[0]})
		links.Note(relay.Updated, "a:x")
		links.NoteList(feature.KindTool)
		time.Sleep(time.Second)
		synctest.Wait()
		for i, s := range []*told{one[1], two[1]} {
			got := s.take()
			if !strings.Contains(got, "update a:x") || !strings.Contains(got, fmt.Sprintf("list %d", feature.KindTool)) {
				t.Errorf("the replica on bus %d is told %q", i, got)
			}
		}
		box, err := aead.New([][]byte{[]byte("0123456789abcdef")})
		if err != nil {
			t.Fatal(err)
		}
		starts := replica.Over(new(memory.Bus)).(replicas.Opener).OpenReplica(replicas.Config{
			Name: "t", Box: box, Log: slog.New(slog.DiscardHandler), Server: new(told),
		})
		if got := links.Unready(); got != "" {
			t.Errorf("not ready: %s", got)
		}
		links.Set([]replicas.Connection{first[0], starts})
		if links.Unready() == "" {
			t.Error("ready, though one connection is not")
		}
		for _, c := range append(append(first, second...), starts) {
			c.Close()
		}
	})
}
