package server

import (
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/live"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/relay"
	"github.com/mcpgen/mcpgen/mcp/internal/replicas"
	"github.com/mcpgen/mcpgen/mcp/internal/subscribe"
)

// checkBus returns an error if Options.Bus is set and s lacks something that it needs.
func checkBus(s *Server) error {
	if s.opts.Bus == nil {
		return nil
	}
	var errs []error
	if _, ok := s.opts.Bus.(replicas.Opener); !ok {
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
	name := s.opts.BusName
	if name == "" {
		name = s.features.Info.Name
	}
	s.replicas = s.opts.Bus.(replicas.Opener).OpenReplica(replicas.Config{ // see checkBus
		Name: name, Box: s.host.Seal, Log: s.host.Log, Server: replicated{s}, Expected: s.opts.Replicas,
	})
	linkReplicas(s)
}

// disconnectReplicas undoes connectReplicas.
func disconnectReplicas(s *Server) {
	if s.replicas == nil {
		return
	}
	end := s.replicas.Close
	if slices.ContainsFunc(s.joins.withMembers(), func(j *joins) bool { return j.of.host.Counts.Left.Load() > 0 }) &&
		!failpoint.On("bye-with-handlers") {
		end = s.replicas.Abandon // a handler still runs, and may publish once the connection is closed
	}
	end()
}

// linking is held by linkReplicas, because it sets the links of several servers.
var linking sync.Mutex

// linkReplicas gives s and all servers joined with it the connections of all of them that have a bus.
func linkReplicas(s *Server) {
	linking.Lock()
	defer linking.Unlock()
	var all []replicas.Connection
	s.joins.each(func(o *Server) {
		if o.replicas != nil {
			all = append(all, o.replicas)
		}
	})
	s.joins.each(func(o *Server) { o.linked.Set(all) })
}

// replicated implements [replicas.Server] for a server and all servers that are joined with it.
type replicated struct{ s *Server }

// DeliverUpdate implements [replicas.Server].
func (r replicated) DeliverUpdate(text string) {
	if pubsub.TopicOf(text).Kind == pubsub.Resource {
		deliver(r.s, text)
	}
}

// DeliverInstances implements [replicas.Server].
func (r replicated) DeliverInstances(declared string) {
	r.s.joins.each(func(o *Server) {
		for i := range o.features.Resources {
			if o.features.Resources[i].URI() == declared {
				o.host.Hub.PublishAll(o.registry.Canonical(i))
			}
		}
	})
}

// DeliverList implements [replicas.Server].
func (r replicated) DeliverList(k feature.Kind) {
	r.s.joins.each(func(o *Server) { o.host.Hub.PublishList(subscribe.ListTopic(k)) })
}

// SignalAttached implements [replicas.Server].
func (r replicated) SignalAttached(text string) {
	r.s.joins.each(func(o *Server) { signalAttached(o, text) })
}

// EachValue implements [replicas.Server].
func (r replicated) EachValue(uri string, f func(feature.LiveValue)) {
	r.s.joins.each(func(o *Server) {
		if uri != "" {
			if i := o.registry.IndexOf(uri); i >= 0 {
				f(o.features.Resources[i].Value)
			}
			return
		}
		for i := range o.features.Resources {
			f(o.features.Resources[i].Value)
		}
	})
}

// ResyncWithin implements [replicas.Server].
func (r replicated) ResyncWithin(spread time.Duration) {
	r.s.joins.each(func(o *Server) {
		o.host.Hub.Resync(spread)
		signalAttached(o, "")
	})
}

// EndStreams implements [replicas.Server].
func (r replicated) EndStreams() {
	r.s.joins.each(func(o *Server) {
		o.linked.EndStreams()
		o.host.Hub.EndListens()
	})
}

// Declared implements [replicas.Server].
func (r replicated) Declared() *feature.Features { return &r.s.features }

// AddedTools implements [replicas.Server].
func (r replicated) AddedTools() (version any, tools iter.Seq[*feature.Tool]) {
	t := r.s.added.set.Load()
	return t, func(yield func(*feature.Tool) bool) {
		for i := range t.list {
			if !yield(t.list[i].Tool) {
				return
			}
		}
	}
}

// Ready reports whether requests may be sent to this process: s is not closing, and if it is one of several replicas,
// the others can learn what it changes.
func Ready(s *Server) bool { return Unready(s) == "" }

// Unready returns the reason why [Ready] is false, as a text; "" if it is true.
func Unready(s *Server) string {
	select {
	case <-s.host.Stopping():
		return "it is closing"
	default:
	}
	return s.linked.Unready()
}

// Fenced reports whether streams are refused, because changes on other replicas do not reach this one. If fenced is
// false, streams must end when the channel blind is closed. blind is nil for a server without replicas.
func Fenced(s *Server) (fenced bool, blind <-chan struct{}) { return s.linked.FencedUntil() }

// AddSessionPeer makes p receive the signals of the other replicas of s about sessions, until s is closed. It returns
// the name of this process among the replicas; "" if s has no bus.
func AddSessionPeer(s *Server, p replicas.SessionPeer) (name string) {
	if s.replicas == nil {
		return ""
	}
	s.replicas.AddPeer(p)
	return s.replicas.Origin()
}

// SignalSession tells the other replicas of s that the session with the given key has changed. It never blocks.
func SignalSession(s *Server, key string) { signalSession(s, relay.Session, key) }

// SignalEnded tells the other replicas of s that the session with the given key has ended. It never blocks.
func SignalEnded(s *Server, key string) { signalSession(s, relay.Ended, key) }

func signalSession(s *Server, kind relay.Kind, key string) {
	if s.replicas != nil {
		s.replicas.Note(relay.Signal{Kind: kind, Text: key})
	}
}

// SendDirect sends payload to the replica of s with the given name, where [replicas.SessionPeer.Direct] gets it. An
// error says that payload was not sent; without an error it may still be lost. SendDirect never blocks. It keeps
// payload, which must not be changed afterwards.
func SendDirect(s *Server, name string, payload []byte) error {
	if s.replicas == nil {
		return relay.ErrOrigin
	}
	return s.replicas.Send(name, payload)
}
