package replicas

import (
	"iter"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/live"
	"github.com/mcpgen/mcpgen/mcp/internal/relay"
	"github.com/mcpgen/mcpgen/mcp/internal/seal"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// resyncSpread is the time over which the updates of a resync are spread.
const resyncSpread = 750 * time.Millisecond

// Server lets other replicas act on a server and on all servers that are joined with it. Its methods are called on
// several goroutines, without a lock. They must not block.
type Server interface {
	// DeliverUpdate tells the clients of this replica only that the resource with a URI may have changed. DeliverInstances
	// does so for all instances of a declared resource, and DeliverList for a list. DeliverUpdate also gets the texts of
	// other topics, such as tasks, and ignores them: they are for SignalAttached.
	DeliverUpdate(text string)
	DeliverInstances(declared string)
	DeliverList(k feature.Kind)
	// SignalAttached tells extensions and tasks what may have been noted for them on another replica.
	SignalAttached(text string)
	// EachValue calls f for the live values at a URI, or for all of them if it is "". f may get nil, for resources that
	// have no such value.
	EachValue(uri string, f func(feature.LiveValue))
	// ResyncWithin tells all clients, extensions and tasks that everything may have changed, the clients within a time.
	ResyncWithin(spread time.Duration)
	// EndListens ends the streams of all clients.
	EndListens()
	// Declared is what the server declares, which does not change. AddedTools are the tools that were added at run time;
	// equal versions mean the same tools.
	Declared() *feature.Features
	AddedTools() (version any, tools iter.Seq[*feature.Tool])
}

// Config is what a connection needs, except the bus.
type Config struct {
	// Name tells the servers on one bus apart.
	Name   string
	Box    seal.Box
	Log    *slog.Logger
	Server Server
	// Expected is how many replicas there should be, this one included; 0 if that is not known.
	Expected int
}

// Opener is what Options.Bus of a server holds: it connects the server to a bus.
type Opener interface {
	OpenReplica(c Config) Connection
}

// Connection is a [Replica] as its server sees it. It is an interface, so that programs without a bus do not link this
// package. Its methods are safe for concurrent use, and only the last two block.
type Connection interface {
	// Note and NoteLists tell the other replicas what was published here.
	Note(g relay.Signal)
	NoteLists(l relay.Lists)
	// Send sends payload to one other replica, and keeps payload. The payload may be lost without an error; an error says
	// that it was not sent.
	Send(to string, payload []byte) error
	// Origin is the name of this replica among the others.
	Origin() string
	// AddPeer makes p one that is told what the others say of sessions.
	AddPeer(p SessionPeer)
	// State says whether requests may be sent to this replica, or why not, and Heard how many it hears.
	State() relay.State
	Heard() int
	// FencedUntil reports whether streams are refused, because changes on other replicas do not reach this one. If fenced
	// is false, streams must end when the channel is closed.
	FencedUntil() (fenced bool, ends <-chan struct{})
	AddTo(out *stats.Replicas)
	// Close tells the others that this replica ends, and ends the connection. Abandon is Close for a server of which
	// handlers go on: they may publish after it, so the others learn of the end as if the process had been killed.
	Close()
	Abandon()
}

// Replica is one process of several that serve the same. It implements [Connection] and [relay.Receiver].
type Replica struct {
	*relay.Relay
	server Server
	loads  live.Loads
	blind  atomic.Pointer[chan struct{}] // closed when streams end; then replaced

	declared uint64 // digest of what the server declares
	added    atomic.Pointer[addedDigest]

	peers   atomic.Pointer[[]SessionPeer]
	peersMu sync.Mutex // held while peers is replaced
}

// Open connects a server to the other replicas over a bus, and returns without waiting for the bus.
func Open(bus relay.Bus, c Config) *Replica {
	r := &Replica{server: c.Server, declared: digestOf(c.Server.Declared())}
	r.blind.Store(new(make(chan struct{})))
	r.loads.Init(c.Log)
	r.Relay = relay.New(relay.Config{
		Bus: bus, Name: c.Name, Box: c.Box, Log: c.Log, Receiver: r, Expected: c.Expected,
	})
	return r
}

// Close implements [Connection].
func (r *Replica) Close() {
	r.Relay.Close()
	r.loads.Close()
}

// Abandon implements [Connection].
func (r *Replica) Abandon() {
	r.Relay.Abandon()
	r.loads.Close()
}

// FencedUntil implements [Connection].
func (r *Replica) FencedUntil() (fenced bool, ends <-chan struct{}) {
	ends = *r.blind.Load()
	return r.Fenced(), ends
}

// Send implements [Connection].
func (r *Replica) Send(to string, payload []byte) error { return r.Relay.Direct(to, payload) }

// Deliver implements [relay.Receiver].
func (r *Replica) Deliver(g relay.Signal) {
	switch g.Kind {
	case relay.Updated, relay.Reloaded:
		r.server.DeliverUpdate(g.Text)
		if g.Kind == relay.Updated { // a change that others report as Reloaded comes as Updated too
			r.load(g.Text)
			r.server.SignalAttached(g.Text)
		}
	case relay.Instances:
		r.server.DeliverInstances(g.Text)
	case relay.Session:
		r.eachPeer(func(p SessionPeer) { p.SessionChanged(g.Text) })
	case relay.Ended:
		r.eachPeer(func(p SessionPeer) { p.SessionEnded(g.Text) })
	}
}

// load has the live values at a URI loaded again soon; "" means all values.
func (r *Replica) load(uri string) {
	r.server.EachValue(uri, func(v feature.LiveValue) { r.loads.Add(v, uri) })
}

// DeliverLists implements [relay.Receiver].
func (r *Replica) DeliverLists(l relay.Lists) {
	for k := range feature.NumKinds {
		if l&(1<<k) != 0 {
			r.server.DeliverList(k)
		}
	}
}

// Direct implements [relay.Receiver].
func (r *Replica) Direct(from string, payload []byte) {
	r.eachPeer(func(p SessionPeer) { p.Direct(from, payload) })
}

// Resync implements [relay.Receiver].
func (r *Replica) Resync() {
	r.server.ResyncWithin(resyncSpread)
	if !failpoint.On("resync-without-load") {
		r.load("")
	}
	r.eachPeer(SessionPeer.Resync)
}

// Blind implements [relay.Receiver].
func (r *Replica) Blind() {
	if !failpoint.On("blind-keeps-session-streams") {
		close(*r.blind.Swap(new(make(chan struct{}))))
	}
	r.server.EndListens()
}

// Differ implements [relay.Receiver].
func (r *Replica) Differ(added bool) {
	if added {
		r.DeliverLists(1 << feature.KindTool)
		return
	}
	r.DeliverLists(1<<feature.NumKinds - 1)
}
