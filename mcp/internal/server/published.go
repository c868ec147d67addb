package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/relay"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/internal/subscribe"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Filters implements [attachment].
func (x *extensions) Filters() (all []session.Filter) {
	x.DeclaredExtensions.Filters(func(f *feature.Filter, of int) {
		all = append(all, session.Filter{Name: f.Name, Accept: func(w *session.Worker, value []byte) (
			[]pubsub.Request, json.RawMessage, error,
		) {
			l, err := x.listener(f, of, w)
			if err != nil || l == nil {
				return nil, nil, err
			}
			return x.follow(f, of, l, w, value)
		}})
	})
	return all
}

// listener returns the [subscribe.Listener] for the current listen. It returns nil if the caller must not know of f, or
// if the client speaks a version of the extension without f.
func (x *extensions) listener(f *feature.Filter, of int, w *session.Worker) (*subscribe.Listener, error) {
	who := w.Call.Caller()
	if f.Guard != nil {
		w.Enter()
		if err := f.Guard.Permits(w.Call); err != nil {
			w.Deny()
			if _, refused := err.(*access.ForbiddenError); refused && !f.Guard.Access.Shown { //nolint:errorlint // made there
				return nil, nil
			}
			return nil, access.Refusal(err, feature.ErrUnknownMethod)
		}
	}
	if !f.Undeclared && !x.declared(w, of, w.ClientMeta()) {
		return nil, feature.MissingExtension(w.Rev, x.ID(of))
	}
	speaks, err := x.Spoken(&w.Conn.Conn, w.Rev, of, w.ClientMeta())
	if err != nil || speaks < f.Since {
		return nil, err
	}
	l := &subscribe.Listener{Listen: w.Call.Request().ID, Rev: w.Rev, Speaks: speaks}
	if conn := &w.Conn.Conn; f.Guard != nil {
		l.Permits = func() bool {
			return !who.Expired() && f.Guard.PermitsWithout(w.Conn.Context, conn, &who, l.Rev) == nil
		}
	}
	return l, nil
}

// follow asks the program which topics a listen with the given value of f gets. granted is value; nil if there are no
// topics.
func (x *extensions) follow(f *feature.Filter, of int, l *subscribe.Listener, w *session.Worker, value []byte) (
	topics []pubsub.Request, granted json.RawMessage, err error,
) {
	if err := w.EnterFor(true); err != nil {
		return nil, nil, err
	}
	names, err := f.Topics(w.Call, value)
	if err != nil {
		return nil, nil, invalidFilter(f, err)
	}
	if len(names) > subscribe.MaxTopics {
		return nil, nil, content.InvalidParams("/notifications/%s: follows %d topics, and may follow %d",
			f.Name, len(names), subscribe.MaxTopics)
	}
	source := l.Source()
	for _, name := range names {
		if err := checkTopic(name); err != nil {
			return nil, nil, content.InvalidParams("/notifications/%s: %v", f.Name, err)
		}
		topics = append(topics, pubsub.Request{Topic: subscribe.PublishedOn(x.ID(of), name), Source: source})
	}
	if len(topics) > 0 {
		granted = append(granted, value...)
	}
	return topics, granted, nil
}

// invalidFilter turns the error for a mistake in the value of f into the error of the response, with the name of the
// member. It returns other errors as they are.
func invalidFilter(f *feature.Filter, err error) error {
	if arguments, ok := err.(*content.ArgumentsError); ok { //nolint:errorlint // made there, and never wrapped
		return content.InvalidParams("/notifications/%s: %v", f.Name, arguments.Unwrap())
	}
	return err
}

// checkTopic returns an error if name cannot be the name of a topic: it is too long to be sent to other replicas and
// stored, or contains NUL.
func checkTopic(name string) error {
	if len(name) > subscribe.MaxTopic || strings.Contains(name, "\x00") {
		return fmt.Errorf("a topic of %d bytes: it may have %d, and none is NUL", len(name), subscribe.MaxTopic)
	}
	return nil
}

// Publish sends n to the clients that follow its topic: clients of s and of the servers joined with s, on all replicas.
// It returns an error if n is not valid. It never blocks.
func Publish(s *Server, n wire.Notification) error {
	p, err := publicationOf(n)
	if err != nil {
		return err
	}
	s.joins.each(func(o *Server) { subscribe.Publish(o.host.Hub, p) })
	s.linked.Note(relay.Updated, p.Text())
	return nil
}

// publishHere is Publish for the clients of s alone, on this replica only.
func publishHere(s *Server, n wire.Notification) error {
	p, err := publicationOf(n)
	if err == nil {
		subscribe.Publish(s.host.Hub, p)
	}
	return err
}

// publicationOf returns the publication of n, or an error if n is not valid.
func publicationOf(n wire.Notification) (*subscribe.Publication, error) {
	params, err := call.SettingsOf(n.Params)
	if err == nil {
		err = checkTopic(n.Topic)
	}
	if err == nil && len(params) > subscribe.MaxPublished {
		err = fmt.Errorf("params of %d bytes: they may have %d", len(params), subscribe.MaxPublished)
	}
	if err != nil {
		return nil, fmt.Errorf("mcp: publish %s: %w", n.Method, err)
	}
	return &subscribe.Publication{
		Extension: n.Extension, Topic: n.Topic, Method: n.Method, Since: n.Since, Params: params,
		At: nextInstant(),
	}, nil
}

// lastInstant is the last result of nextInstant; 0 before the first.
var lastInstant atomic.Int64

// nextInstant returns the time in nanoseconds since 1970. Each result is larger than the one before, even if the clock
// stands still, because replicas tell by the time which of two publications is newer.
func nextInstant() int64 {
	for {
		last := lastInstant.Load()
		at := max(time.Now().UnixNano(), last+1)
		if lastInstant.CompareAndSwap(last, at) {
			return at
		}
	}
}

// Signal implements [attachment].
func (x *extensions) Signal(text string) {
	if p := subscribe.PublicationOf(text); p != nil {
		subscribe.Publish(x.s.host.Hub, p)
		return
	}
	x.DeclaredExtensions.Signal(text)
}
