package subscribe

import (
	"slices"

	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pipeline"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
)

// Keep ends the subscriptions of a session to all resources that are not among uris, which another process has
// confirmed to the client. It returns the uris that the session is not subscribed to yet.
func (s *Subscriptions) Keep(x *session.Session, uris []string) (missing []string) {
	wanted := make(map[string]bool, len(uris))
	for _, uri := range uris {
		wanted[uri] = true
	}
	for _, uri := range x.Conn().Streams().Resources() {
		if !wanted[uri] {
			x.Conn().Streams().Part(pubsub.Topic{URI: uri})
		}
		delete(wanted, uri)
	}
	return slices.DeleteFunc(slices.Clone(uris), func(uri string) bool { return !wanted[uri] })
}

// Join subscribes a session to resources that another process has confirmed. The client gets an update of each
// resource, because the resource may have changed meanwhile. Resources to which the last caller of the session has no
// right are left out.
func (s *Subscriptions) Join(x *session.Session, uris []string) {
	last := x.Conn().LastCaller()
	if len(uris) == 0 || last == nil {
		return
	}
	req := s.request(&pipeline.Pipeline{Worker: x.WorkerFor(*last)})
	for _, uri := range uris {
		r, ok := req.shared(uri)
		if !ok {
			continue
		}
		failed := func(err error) { x.Conn().Log.Warn("mcp: subscription ended", "uri", uri, "err", err) }
		if err := x.Conn().Streams().Join(r, failed); err != nil {
			failed(err)
		}
	}
}

// shared returns the subscription to a resource that another process has confirmed. It returns false if the resource is
// gone by now, or the client has lost the right to it. Policies are asked later, before each update.
func (req request) shared(uri string) (pubsub.Request, bool) {
	i := req.s.RouteFor(uri, &req.pipeline.Vars, req.Rev)
	if i < 0 {
		return pubsub.Request{}, false
	}
	r := &req.s.Resources[i]
	if req.pipeline.Admit(r.Guard, feature.ErrNoMethod) != nil || req.subscribeFault(i) != nil {
		return pubsub.Request{}, false
	}
	return req.subscription(r, uri), true
}
