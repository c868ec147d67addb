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

// checkBus returns an error if s lacks something that Options.Bus needs.
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

// disconnectReplicas ends what connectReplicas began.
func disconnectReplicas(s *Server) {
	if s.replicas == nil {
		return
	}
	end := s.replicas.Close
	if slices.ContainsFunc(joinedServers(s), func(o *Server) bool { return o.host.Counts.Left.Load() > 0 }) &&
		!failpoint.On("bye-with-handlers") {
		end = s.replicas.Abandon // a handler that goes on may publish after the connection has closed
	}
	end()
}

// linking is held while joined servers learn which of them have a bus.
var linking sync.Mutex

// linkReplicas tells s and all servers joined with it which of them have a bus.
func linkReplicas(s *Server) {
	linking.Lock()
	defer linking.Unlock()
	var all []replicas.Connection
	eachJoined(s, func(o *Server) {
		if o.replicas != nil {
			all = append(all, o.replicas)
		}
	})
	eachJoined(s, func(o *Server) { o.linked.Set(all) })
}

// replicated is a server with all that are joined with it. It implements [replicas.Server].
type replicated struct{ s *Server }

// DeliverUpdate implements [replicas.Server].
func (r replicated) DeliverUpdate(text string) {
	if pubsub.TopicOf(text).Kind == pubsub.Resource {
		deliver(r.s, text)
	}
}

// DeliverInstances implements [replicas.Server].
func (r replicated) DeliverInstances(declared string) {
	eachJoined(r.s, func(o *Server) {
		for i := range o.features.Resources {
			if o.features.Resources[i].URI() == declared {
				o.host.Hub.PublishAll(o.registry.Canonical(i))
			}
		}
	})
}

// DeliverList implements [replicas.Server].
func (r replicated) DeliverList(k feature.Kind) {
	eachJoined(r.s, func(o *Server) { o.host.Hub.PublishList(subscribe.ListTopic(k)) })
}

// SignalAttached implements [replicas.Server].
func (r replicated) SignalAttached(text string) {
	eachJoined(r.s, func(o *Server) { signalAttached(o, text) })
}

// EachValue implements [replicas.Server].
func (r replicated) EachValue(uri string, f func(feature.LiveValue)) {
	eachJoined(r.s, func(o *Server) {
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
	eachJoined(r.s, func(o *Server) {
		o.host.Hub.Resync(spread)
		signalAttached(o, "")
	})
}

// EndListens implements [replicas.Server].
func (r replicated) EndListens() { eachJoined(r.s, func(o *Server) { o.host.Hub.EndListens() }) }

// Declared implements [replicas.Server].
func (r replicated) Declared() *feature.Features { return &r.s.features }

// AddedTools implements [replicas.Server].
func (r replicated) AddedTools() (version any, tools iter.Seq[*feature.Tool]) {
	t := r.s.tools.Load()
	return t, func(yield func(*feature.Tool) bool) {
		for i := range t.list {
			if !yield(t.list[i].Tool) {
				return
			}
		}
	}
}

// Ready reports whether requests may be sent to this process. s must not be closing. If it is one of several replicas,
// the others must be able to learn what it changes.
func Ready(s *Server) bool { return Unready(s) == "" }

// Unready says why [Ready] is false; "" if it is true.
func Unready(s *Server) string {
	select {
	case <-s.host.Stopping():
		return "it is closing"
	default:
	}
	return s.linked.Unready()
}

// Fenced reports whether streams are refused, because changes on other replicas do not reach this one. If fenced is
// false, streams must end when the channel is closed; it is nil for a server without replicas.
func Fenced(s *Server) (fenced bool, ends <-chan struct{}) { return s.linked.FencedUntil() }

// AddSessionPeer passes to p what the other replicas of s say of sessions, until s is closed. It returns the name of
// this process among the replicas; "" if s has no bus.
func AddSessionPeer(s *Server, p replicas.SessionPeer) (name string) {
	if s.replicas == nil {
		return ""
	}
	s.replicas.AddPeer(p)
	return s.replicas.Origin()
}

// SignalSession tells the other replicas of s that a session has changed, and SignalEnded that it has ended. They never
// block.
func SignalSession(s *Server, key string) { signalSession(s, relay.Session, key) }

// SignalEnded is described at [SignalSession].
func SignalEnded(s *Server, key string) { signalSession(s, relay.Ended, key) }

func signalSession(s *Server, kind relay.Kind, key string) {
	if s.replicas != nil {
		s.replicas.Note(relay.Signal{Kind: kind, Text: key})
	}
}

// SendDirect sends payload to one other replica of s, where [replicas.SessionPeer.Direct] gets it. The payload may be
// lost without an error; an error says that it was not sent. SendDirect never blocks, and keeps payload.
func SendDirect(s *Server, to string, payload []byte) error {
	if s.replicas == nil {
		return relay.ErrOrigin
	}
	return s.replicas.Send(to, payload)
}
