package mcpevent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/events"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	_ "github.com/mcpgen/mcpgen/mcp/keys" // a client keeps the cursors of events
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/stats"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// ID is the identifier of the extension.
const ID = "io.modelcontextprotocol/events"

// firstRevision is the revision of the protocol that the extension is for.
const firstRevision = "2026-07-28"

// Add adds events to what f declares. Call it once for a server. Mistakes in the events make the constructor of the
// server fail.
func Add(f *mcprt.Features, types ...Any) {
	s := new(set)
	for _, t := range types {
		s.types = append(s.types, t.declared())
	}
	e := s.extension()
	server.AddExtension(f, &e)
}

// set has the events of a server. It does not change.
type set struct{ types []*declared }

// extension returns the declaration of the extension, before the options of its server are known.
func (s *set) extension() feature.Extension {
	e := feature.Extension{ID: ID, Top: "events", Attach: s.attach, Joins: s}
	if slices.ContainsFunc(s.types, func(t *declared) bool { return t.toggle }) {
		e.Filters = []feature.Filter{{Name: "eventsListChanged", Undeclared: true, Topics: listTopics}}
		e.Settings = func() (json.RawMessage, error) { return json.RawMessage(`{"listChanged":true}`), nil }
	}
	for _, t := range s.types {
		e.Features = append(e.Features, feature.Guarded{Name: t.entry.Name, Tags: t.tags, Guard: t.guard})
	}
	return e
}

// listChanged is the notification that the list of events has changed.
var listChanged = wire.Notification{Extension: ID, Method: "notifications/events/list_changed", Topic: "list"}

// listTopics returns the topic of the list of events if value, a member of the filter of a listen, is true.
func listTopics(_ *call.Call, value []byte) ([]string, error) {
	if string(value) != "true" {
		return nil, nil
	}
	return []string{listChanged.Topic}, nil
}

// With implements feature.JoinableExtension.
func (s *set) With(other feature.JoinableExtension) (feature.Extension, error) {
	o, ok := other.(*set)
	if !ok {
		return feature.Extension{}, errors.New("an extension " + ID + " of another kind cannot be joined")
	}
	both := &set{slices.Concat(s.types, o.types)}
	return both.extension(), nil
}

// attach returns the extension that serves the events of one server.
func (s *set) attach(h *feature.Host) (feature.Extension, feature.Attachment, error) {
	x, err := newServing(s, h)
	if err != nil {
		return feature.Extension{}, feature.Attachment{}, fmt.Errorf("mcp: Options.Events: %w", err)
	}
	e := s.extension()
	e.Subjects = x.options.Webhooks != nil
	always := feature.Revisions(firstRevision, "")
	lists := always
	if x.options.Sessions {
		lists = feature.RevisionRange{}
	}
	e.Declared = lists
	method := func(name string, in feature.RevisionRange, call func(*call.Call, []byte) (json.RawMessage, error)) {
		e.Methods = append(e.Methods, feature.Method{Name: name, Revisions: in, Undeclared: true, Target: target, Call: call})
	}
	method("events/list", lists, x.list)
	method("events/poll", always, x.poll)
	method("events/stream", always, x.stream)
	e.Methods[len(e.Methods)-1].Stays = true
	method("events/subscribe", lists, x.subscribe)
	method("events/unsubscribe", lists, x.unsubscribe)
	return e, feature.Attachment{Signal: x.signal, Updated: x.hear(), AddTo: x.addTo, Close: x.close}, nil
}

// serving serves the events of one server.
type serving struct {
	*events.Engine
	options event.Options
	tell    func(n wire.Notification) error
	types   []*declared // the events that the server offers
	byName  map[string]*declared
	specs   map[string]*events.Type
}

func newServing(s *set, h *feature.Host) (*serving, error) {
	x := &serving{tell: h.Publish, byName: map[string]*declared{}, specs: map[string]*events.Type{}}
	if o, ok := h.Events.(*event.Options); ok && o != nil {
		x.options = *o
	}
	c := events.Config{
		Server: h.Name, Options: x.options, Box: h.Seal, LastingKeys: h.LastingKeys, Logger: h.Log, Audit: h.Audit,
		Stopping: h.Stopping, Changed: h.Note,
	}
	for _, t := range s.types {
		if t.err != nil {
			return nil, t.err
		}
		if !h.Offers(t.tags) || t.revisions.Off {
			continue
		}
		spec := t.entry
		spec.Permits = func(who *event.Caller) *event.Error {
			if t.of.off.Load() {
				return event.NoEvent(t.entry.Name)
			}
			caller := call.Caller{Subject: who.Subject, Scopes: who.Scopes, Roles: who.Roles}
			return x.verdict(t, t.guard.PermitsWithout(context.Background(), h.Conn, &caller, protocol.Latest))
		}
		x.types = append(x.types, t)
		x.byName[spec.Name], x.specs[spec.Name] = t, &spec
		c.Types = append(c.Types, &spec)
	}
	var err error
	if x.Engine, err = events.New(c); err != nil {
		return nil, err
	}
	for _, t := range x.types {
		t.of.attach(x)
	}
	return x, nil
}

// signal takes a signal of another replica: there may be new events of a name; "" means of all names.
func (x *serving) signal(name string) {
	if name == "" {
		x.WakeAll()
		return
	}
	x.Wake(name)
}

func (x *serving) addTo(out *stats.Snapshot) {
	c, to := &x.Counts, &out.Events
	to.Committed += c.Committed.Load()
	to.Duplicates += c.Duplicates.Load()
	to.Overflows += c.Overflows.Load()
	to.Delivered += c.Delivered.Load()
	to.Gaps += c.Gaps.Load()
	to.Streams += c.Streams.Load()
	to.StreamsRefused += c.Refused.Load()
	to.Withheld += c.Failed.Load()
	to.LogErrors += c.LogErrors.Load()
	if x.options.Webhooks != nil {
		addWebhooks(&to.Webhooks, x.options.Webhooks.Stats())
	}
}

func (x *serving) close(ctx context.Context) {
	for _, t := range x.types {
		t.of.detach(x)
	}
	x.Close(ctx)
}

// verdict is like refusal, for a caller that gets the events already. If a policy has not decided yet, the error is
// temporary, so that the events do not end.
func (x *serving) verdict(t *declared, err error) *event.Error {
	f, ok := err.(*access.ForbiddenError) //nolint:errorlint // made there, and never wrapped
	if ok && f.Undecided {
		return &event.Error{Kind: event.Internal, Message: "whether the caller may have events is not decided at the moment"}
	}
	return x.refusal(t, err)
}

// refusal returns what a client is told when the guard of t has returned err. It returns nil if err is nil.
func (x *serving) refusal(t *declared, err error) *event.Error {
	if err == nil {
		return nil
	}
	f, ok := err.(*access.ForbiddenError) //nolint:errorlint // made there, and never wrapped
	if ok && f.Shown {
		return &event.Error{Kind: event.Forbidden, Message: f.Error()}
	}
	return event.NoEvent(t.entry.Name)
}
