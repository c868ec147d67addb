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
	// The three methods tell only the clients of this replica that something may have changed. For DeliverUpdate that is
	// the resource with a URI, for DeliverInstances all instances of a declared resource or template, and for DeliverList
	// a list. DeliverUpdate also gets the texts of other topics, such as tasks, and ignores them: SignalAttached gets them
	// too.
	DeliverUpdate(text string)
	DeliverInstances(declared string)
	DeliverList(k feature.Kind)
	// SignalAttached passes a text of another replica to extensions and tasks. The text may be for none of them.
	SignalAttached(text string)
	// EachValue calls f for the live values of the resources at a URI, or of all resources if uri is "". f gets nil for a
	// resource without a live value.
	EachValue(uri string, f func(feature.LiveValue))
	// ResyncWithin tells all clients, extensions and tasks that everything may have changed. The updates to clients are
	// spread over the given time.
	ResyncWithin(spread time.Duration)
	// EndStreams ends the streams of all clients.
	EndStreams()
	// Declared returns the declared features, which do not change. AddedTools returns the tools that were added at run
	// time. If two calls return equal versions, the tools are the same.
	Declared() *feature.Features
	AddedTools() (version any, tools iter.Seq[*feature.Tool])
}

// Config is what a connection to a bus needs, except the bus itself.
type Config struct {
	// Name tells the servers on one bus apart.
	Name   string
	Box    seal.Box
	Log    *slog.Logger
	Server Server
	// Expected is the expected number of replicas, including this one; 0 if it is not known.
	Expected int
}

// Opener connects a server to a bus. Options.Bus of a server holds an Opener.
type Opener interface {
	OpenReplica(c Config) Connection
}

// Connection is a [Replica] as its server sees it. It is an interface, so that programs without a bus do not link the
// type Replica. Its methods are safe for concurrent use, and only Close and Abandon block.
type Connection interface {
	// Note and NoteLists tell the other replicas what this replica has published.
	Note(g relay.Signal)
	NoteLists(l relay.Lists)
	// Send sends payload to the replica with the given name. An error says that payload was not sent; without an error it
	// may still be lost. Send keeps payload, which must not be changed afterwards.
	Send(name string, payload []byte) error
	// Origin returns the name of this replica among the others.
	Origin() string
	// AddPeer makes p receive the signals of the other replicas about sessions.
	AddPeer(p SessionPeer)
	// State says whether requests may be sent to this replica, or why not. Heard returns the number of replicas that this
	// one hears, including itself.
	State() relay.State
	Heard() int
	// Fenced reports whether streams are refused, because changes on other replicas do not reach this one.
	Fenced() bool
	AddTo(out *stats.Replicas)
	// Close tells the other replicas that this one ends, and ends the connection. Abandon ends the connection without a
	// word, for a server whose handlers still run and may publish. The other replicas notice its silence, as if the
	// process had been killed.
	Close()
	Abandon()
}

// Replica connects a server to the other replicas: processes that serve the same features. It implements [Connection]
// and [relay.Receiver].
type Replica struct {
	*relay.Relay
	server Server
	loads  live.Loads

	declared uint64 // digest of what the server declares
	added    atomic.Pointer[addedDigest]

	peers   atomic.Pointer[[]SessionPeer]
	peersMu sync.Mutex // held while peers is replaced
}

// Open connects a server to the other replicas over a bus. It does not wait for the bus. The caller must call Close or
// Abandon.
func Open(bus relay.Bus, c Config) *Replica {
	r := &Replica{server: c.Server, declared: digestOf(c.Server.Declared())}
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

// Send implements [Connection].
func (r *Replica) Send(name string, payload []byte) error { return r.Relay.Direct(name, payload) }

// Deliver implements [relay.Receiver].
func (r *Replica) Deliver(g relay.Signal) {
	switch g.Kind {
	case relay.Updated, relay.Reloaded:
		r.server.DeliverUpdate(g.Text)
		if g.Kind == relay.Updated { // each change comes as Updated once, and perhaps as Reloaded too
			r.load(g.Text)
			r.server.SignalAttached(g.Text)
		}
	case relay.Instances:
		r.server.DeliverInstances(g.Text)
	case relay.Session:
		r.eachPeer(func(p SessionPeer) { p.SessionChanged(g.Text) })
	case relay.Ended:
		r.eachPeer(func(p SessionPeer) { p.SessionEnded(g.Text) })
	default: // of a later release
		r.Resync()
	}
}

// load makes r.loads load the live values at a URI again soon; "" means all values.
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
func (r *Replica) Direct(sender string, payload []byte) {
	r.eachPeer(func(p SessionPeer) { p.Direct(sender, payload) })
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
func (r *Replica) Blind() { r.server.EndStreams() }

// Differ implements [relay.Receiver].
func (r *Replica) Differ(added bool) {
	if added {
		r.DeliverLists(1 << feature.KindTool)
		return
	}
	r.DeliverLists(1<<feature.NumKinds - 1)
}
