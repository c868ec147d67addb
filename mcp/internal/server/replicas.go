package server

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/internal/live"
	"github.com/mcpgen/mcpgen/mcp/internal/paging"
	"github.com/mcpgen/mcpgen/mcp/internal/ratelimit"
	"github.com/mcpgen/mcpgen/mcp/internal/relay"
)

// resyncSpread is the time within which the clients of a replica get what a resync has marked.
const resyncSpread = 750 * time.Millisecond

// replicas are the connection of a server with [Options.Bus] to the other replicas of it. It implements
// [relay.Receiver] for the whole family of the server: all that are joined with it.
type replicas struct {
	s *Server
	relay.Connection
	loads live.Loads
	blind atomic.Pointer[chan struct{}] // closed when streams end; then replaced

	peers   atomic.Pointer[[]SessionPeer]
	peersMu sync.Mutex // held while peers is replaced

	added    atomic.Pointer[addedDigest]
	declared lazyDigest
}

// addedDigest is the digest of the tools that were added to a server.
type addedDigest struct {
	of     *addedTools
	digest uint64
}

// checkBus reports what Options.Bus needs and s does not have.
func checkBus(s *Server) error {
	if s.opts.Bus == nil {
		return nil
	}
	var errs []error
	if _, ok := s.opts.Bus.(relay.Opener); !ok {
		errs = append(errs, errors.New("mcp: Options.Bus is not what replica.Over returned"))
	}
	if s.RandomKeys() {
		errs = append(errs,
			errors.New("mcp: Options.Bus needs Options.Keys: the replicas of a server seal with the same keys"))
	}
	return errors.Join(append(errs, live.CheckLoads(&s.features))...)
}

// connectReplicas connects s to its other replicas, if it has a bus.
func connectReplicas(s *Server) {
	if s.opts.Bus == nil {
		return
	}
	r := &replicas{s: s}
	r.blind.Store(new(make(chan struct{})))
	r.loads.Init(s.host.Log)
	name := s.opts.BusName
	if name == "" {
		name = s.features.Info.Name
	}
	r.Connection = s.opts.Bus.(relay.Opener).OpenRelay(relay.Config{ // see checkBus
		Name: name, Box: s.host.Seal, Log: s.host.Log, Receiver: r, Expected: s.opts.Replicas,
	})
	s.replicas = r
	linkReplicas(s)
}

// disconnectReplicas ends what connectReplicas began.
func disconnectReplicas(s *Server) {
	if s.replicas == nil {
		return
	}
	end := s.replicas.Close
	if slices.ContainsFunc(family(s), func(o *Server) bool { return o.host.Counts.Left.Load() > 0 }) &&
		!failpoint.On("bye-with-handlers") {
		end = s.replicas.Abandon // a handler that goes on may change what nobody is told of
	}
	end()
	s.replicas.loads.Close()
}

// family returns s and the servers that it is joined from, at any distance.
func family(s *Server) []*Server {
	all := []*Server{s}
	for i := 0; i < len(all); i++ { // which grows
		for _, m := range all[i].members {
			if !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	return all
}

// eachOfFamily calls f for s and all that are joined with it, at any distance.
func eachOfFamily(s *Server, f func(*Server)) {
	f(s)
	s.eachJoined(func(*Server) bool { return true }, f)
}

// linkedReplicas are what connects a server, and all that are joined with it, to other replicas; nil if none has a bus.
type linkedReplicas struct{ atomic.Pointer[[]*replicas] }

// linking is held while servers learn who of their family has a bus.
var linking sync.Mutex

// linkReplicas tells each server of the family of s which of them have a bus.
func linkReplicas(s *Server) {
	linking.Lock()
	defer linking.Unlock()
	var all []*replicas
	eachOfFamily(s, func(o *Server) {
		if o.replicas != nil {
			all = append(all, o.replicas)
		}
	})
	link := &all
	if len(all) == 0 {
		link = nil
	}
	eachOfFamily(s, func(o *Server) { o.linked.Store(link) })
}

// note signals to the other replicas what was published here.
func (l *linkedReplicas) note(kind relay.Kind, text string) {
	if all := l.Load(); all != nil {
		for _, r := range *all {
			r.Note(relay.Signal{Kind: kind, Text: text})
		}
	}
}

// noteList signals to the other replicas that a list was published here.
func (l *linkedReplicas) noteList(k feature.Kind) {
	if all := l.Load(); all != nil {
		for _, r := range *all {
			r.NoteLists(1 << k)
		}
	}
}

// Deliver implements [relay.Receiver].
func (r *replicas) Deliver(g relay.Signal) {
	switch g.Kind {
	case relay.Updated, relay.Reloaded:
		deliver(r.s, g.Text)
		if g.Kind == relay.Updated {
			eachOfFamily(r.s, func(o *Server) {
				r.loads.Add(valueAt(o, g.Text), g.Text)
				signalAttached(o, g.Text)
			})
		}
	case relay.Instances:
		eachOfFamily(r.s, func(o *Server) { deliverInstances(o, g.Text) })
	case relay.Session:
		r.eachPeer(func(p SessionPeer) { p.SessionChanged(g.Text) })
	case relay.Ended:
		r.eachPeer(func(p SessionPeer) { p.SessionEnded(g.Text) })
	}
}

// deliver publishes uri on this replica only.
func deliver(s *Server, uri string) {
	s.host.Hub.Publish(uri)
	s.eachJoined(func(o *Server) bool { return o.routes(uri) }, func(o *Server) { o.host.Hub.Publish(uri) })
}

// deliverInstances publishes all instances of a declared resource on this replica only.
func deliverInstances(s *Server, declared string) {
	for i := range s.features.Resources {
		if s.features.Resources[i].URI() == declared {
			s.host.Hub.PublishAll(s.mains[i])
		}
	}
}

// DeliverLists implements [relay.Receiver].
func (r *replicas) DeliverLists(l relay.Lists) {
	for k := range feature.NumKinds {
		if l&(1<<k) != 0 {
			eachOfFamily(r.s, func(o *Server) { o.host.Hub.PublishList(listTopic(k)) })
		}
	}
}

// Direct implements [relay.Receiver].
func (r *replicas) Direct(from string, payload []byte) {
	r.eachPeer(func(p SessionPeer) { p.Direct(from, payload) })
}

// Resync implements [relay.Receiver].
func (r *replicas) Resync() {
	eachOfFamily(r.s, func(o *Server) {
		o.host.Hub.Resync(resyncSpread)
		if !failpoint.On("resync-without-load") {
			r.loads.AddAll(&o.features)
		}
		signalAttached(o, "")
	})
	r.eachPeer(SessionPeer.Resync)
}

// Blind implements [relay.Receiver].
func (r *replicas) Blind() {
	if !failpoint.On("blind-keeps-session-streams") {
		close(*r.blind.Swap(new(make(chan struct{}))))
	}
	eachOfFamily(r.s, func(o *Server) { o.host.Hub.EndListens() })
}

// Differ implements [relay.Receiver].
func (r *replicas) Differ(added bool) {
	if added {
		r.DeliverLists(1 << feature.KindTool)
		return
	}
	r.DeliverLists(1<<feature.NumKinds - 1)
}

// Digests implements [relay.Receiver].
func (r *replicas) Digests() relay.Digests {
	now := r.s.tools.Load()
	d := r.added.Load()
	if d == nil || d.of != now {
		d = &addedDigest{now, digestAdded(now)}
		r.added.Store(d)
	}
	return relay.Digests{Declared: r.declared.of(r.s), Added: d.digest}
}

// unready says why a replica is not ready, to a person and as the label of a metric.
var unready = [...]struct {
	text  string
	label labels.Unready
}{
	relay.Starting: {"it does not hear itself and the other replicas yet", labels.UnreadyStarting},
	relay.Blind:    {"it does not hear itself on the bus", labels.UnreadyCutOff},
	relay.Apart: {"the other replicas do not hear it, or it cannot open what they say: compare Options.Keys",
		labels.UnreadyApart},
	relay.ClockOff: {"its clock is more than 30 seconds off that of the other replicas", labels.UnreadyClock},
	relay.Few:      {"it hears fewer than half of Options.Replicas", labels.UnreadyFew},
}

// Ready reports whether requests may be sent to this process: s is not closing, and where it is one of several
// replicas, the others will find out about what it changes.
func Ready(s *Server) bool { return Unready(s) == "" }

// Unready says why [Ready] is false; "" if it is true.
func Unready(s *Server) string {
	select {
	case <-s.host.Stopping():
		return "it is closing"
	default:
	}
	if all := s.linked.Load(); all != nil {
		for _, r := range *all {
			if state := r.State(); state != relay.IsReady {
				return unready[state].text
			}
		}
	}
	return ""
}

// errCutOff refuses a subscription while this replica does not hear the others.
var errCutOff = content.Errorf("this replica of the server is cut off from the others: try again")

// fenced is [Fenced] for those who wait for no end.
func (l *linkedReplicas) fenced() bool {
	fenced, _ := l.fencedUntil()
	return fenced
}

// Fenced reports whether streams are refused, because what happens on the other replicas does not reach this one. If
// they are not, streams end when the channel is closed, which is nil for a server without replicas.
func Fenced(s *Server) (fenced bool, ends <-chan struct{}) { return s.linked.fencedUntil() }

func (l *linkedReplicas) fencedUntil() (fenced bool, ends <-chan struct{}) {
	all := l.Load()
	if all == nil {
		return false, nil
	}
	r := (*all)[0] // the only one, but for servers that share a member
	ends = *r.blind.Load()
	return r.Fenced(), ends
}

// lazyDigest is the digest of what a server declares.
type lazyDigest struct{ p atomic.Pointer[uint64] }

func (l *lazyDigest) of(s *Server) uint64 {
	if d := l.p.Load(); d != nil {
		return *d
	}
	d := digestDeclared(s)
	l.p.Store(&d)
	return d
}

// digestDeclared is a digest of all that s declares, as clients of the newest revision see it.
func digestDeclared(s *Server) uint64 {
	var b []byte
	for i := range s.features.Resources {
		if r := &s.features.Resources[i]; r.Template != nil {
			b = r.Template.AppendJSON(b, protocol.Latest)
		} else {
			b = r.Entry.AppendJSON(b, protocol.Latest)
		}
	}
	for i := range s.features.Tools {
		b = s.features.Tools[i].Entry.AppendJSON(b, protocol.Latest)
	}
	for i := range s.features.Prompts {
		b = s.features.Prompts[i].Entry.AppendJSON(b, protocol.Latest)
	}
	return paging.Hash(b)
}

// digestAdded is a digest of tools, whatever their order.
func digestAdded(t *addedTools) (sum uint64) {
	for i := range t.list {
		if t.list[i].ResourceTool == feature.NotResourceTool {
			sum += paging.Hash(t.list[i].Entry.AppendJSON(nil, protocol.Latest))
		}
	}
	return sum
}

// shareOfRate is what this replica allows of a rate that holds for all replicas together.
func shareOfRate(s *Server, r ratelimit.Rate) ratelimit.Rate {
	all := s.linked.Load()
	if !s.opts.ShareRates || all == nil {
		return r
	}
	n := 1
	for _, x := range *all {
		n = max(n, x.Heard())
	}
	if r.Burst <= 0 {
		r.Burst = r.Calls
	}
	r.Calls, r.Burst = (r.Calls+n-1)/n, (r.Burst+n-1)/n
	return r
}

// valueAt returns the live value that s has at uri, or nil.
func valueAt(s *Server, uri string) feature.LiveValue {
	k := s.takeKey()
	defer s.keys.Put(k)
	if i := s.route(uri, &k.vars); i >= 0 {
		return s.features.Resources[i].Value
	}
	return nil
}
