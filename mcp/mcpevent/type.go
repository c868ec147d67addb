package mcpevent

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/events"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Modes are the ways in which clients get events.
type Modes = events.Modes

// The values of Modes.
const (
	Poll    = events.Poll
	Push    = events.Push
	Webhook = events.Webhook
)

// Type declares the events of one name. E is their payload, and F has the arguments of a subscription. It must not be
// changed after [Add].
type Type[E, F any] struct {
	Name, Title, Description string
	Modes                    Modes
	// Arguments and Payload are JSON schemas of objects. Nil Arguments mean that subscriptions have no arguments.
	Arguments, Payload json.RawMessage
	// Schema counts the incompatible changes of the payload or the arguments. The last InputOnly of them did not change
	// the payload.
	Schema, InputOnly int

	Revisions mcprt.RevisionRange
	Tags      []string
	Guard     *mcprt.Guard
	// RetainFor and RetainMost say how long events are kept, unless the event log has to drop them earlier; 0 means 10
	// minutes and 10,000 events.
	RetainFor  time.Duration
	RetainMost int
	// PollEvery is how long clients should wait between two polls; 0 means 5 seconds.
	PollEvery time.Duration
	// Hint declares that an event is only a hint: while one waits to be appended to the event log, others with the same
	// payload are dropped.
	Hint bool

	// ID and At return the id and the time of an event; nil means a random one, and now.
	ID func(*E) string
	At func(*E) time.Time
	// Encode writes a payload, and Decode reads one, also an older one; nil means encoding/json.
	Encode func(*wire.Encoder, *E)
	Decode func(data []byte) (E, error)
	// Args reads and checks arguments; nil means that there are none.
	Args func(*wire.Decoder, *F)
	// Match reports whether an event is for a subscription; nil means that all are. Shape returns what a subscriber gets;
	// nil means the event as it is. Neither may block, or change its arguments.
	Match func(F, *E) bool
	// Equal are the fields that Match compares for equality. They spare a call of Match for each subscription.
	Equal []Equal[E, F]
	Shape func(mcp.Caller, F, *E) E

	// Replay is for a program that keeps the events itself; nil means that the event log keeps them. It returns at most
	// limit events behind cursor, which an earlier call has returned. For an empty cursor it returns no events, and as
	// Next the end of the history. With Replay nothing is published, and each event needs an ID and an At.
	Replay func(ctx context.Context, f F, cursor string, limit int) (mcp.EventPage[E], error)

	// Toggle declares that Enable is called.
	Toggle bool

	published publisher
}

// Any is a [Type], or [Updates].
type Any interface {
	declared() *declared
}

// declared is a [Type] without its type parameters.
type declared struct {
	of        *publisher
	guard     *mcprt.Guard
	toggle    bool
	revisions mcprt.RevisionRange
	tags      []string
	entry     events.Type // without Permits
	resource  string      // whose updates are the events; "" for none
	err       error
}

// publisher has the servers that offer a type of events.
type publisher struct {
	name string
	off  atomic.Bool
	mu   sync.Mutex
	to   []*serving
}

// Enable switches the event on or off in all servers that have it, and tells clients. It is on at first. While it is
// off, clients find it in no list, and streams and webhooks end; published events are still kept. It never blocks.
func (t *Type[E, F]) Enable(on bool) {
	p := &t.published
	if p.off.Swap(!on) == !on {
		return
	}
	for _, x := range p.servers() {
		x.Stir(p.name)
		_ = x.tell(listChanged) // which has no params that could be too long
	}
}

// Commit appends an event to the event log, and returns once the event is as durable as that log can make it. If ctx is
// a call, or derives from one, the caller of that call, if it gets the event, is told that it has caused the event
// itself.
func (t *Type[E, F]) Commit(ctx context.Context, e *E) error {
	entry, err := t.newEntry(e, call.Subject(ctx))
	if err != nil {
		return err
	}
	return t.published.commit(ctx, entry)
}

// Publish queues an event to be appended to the event log, and never blocks. If the queue is full, the event is lost
// and clients are told of a gap. Events that are still in the queue when the server closes are lost too, and nobody is
// told. An error means that the event itself is not valid.
func (t *Type[E, F]) Publish(ctx context.Context, e *E) error {
	entry, err := t.newEntry(e, call.Subject(ctx))
	if err != nil {
		return err
	}
	t.published.publish(entry, call.Subject(ctx))
	return nil
}

// Announce says that Replay has more events, in all servers that have the type. It never blocks.
func (t *Type[E, F]) Announce() {
	for _, x := range t.published.servers() {
		x.Announce(t.Name)
	}
}

// newEntry returns the entry for an event. by is the subject that has caused it; "" for none.
func (t *Type[E, F]) newEntry(e *E, by string) (*event.Entry, error) {
	if e == nil {
		return nil, errors.New("event: the event is nil")
	}
	var data json.RawMessage
	var err error
	if t.Encode != nil {
		data, err = mcprt.EncodeObject(t.Encode, e, nil)
	} else {
		data, err = mcprt.AsObject(e, nil)
	}
	if err != nil {
		return nil, err
	}
	id, at := "", time.Time{}
	if t.ID != nil {
		if id = t.ID(e); id == "" {
			return nil, errors.New("event: the event has an empty id")
		}
	}
	if t.At != nil {
		at = t.At(e)
	}
	return events.NewEntry(id, at, data, events.CauseOf(by))
}

// declared implements [Any].
func (t *Type[E, F]) declared() *declared {
	t.published.name = t.Name
	d := &declared{of: &t.published, guard: t.Guard, toggle: t.Toggle, revisions: t.Revisions, tags: t.Tags,
		entry: events.Type{
			Name: t.Name, Schema: t.Schema, InputOnly: t.InputOnly, Modes: t.Modes, Hint: t.Hint,
			Keep:      event.Retention{For: t.RetainFor, Most: t.RetainMost},
			PollEvery: t.PollEvery,
			Filter:    t.filter, Value: t.value,
		}}
	d.entry.Entry, d.err = t.listed()
	if t.Match != nil {
		d.entry.Match = func(filter, value any) bool { return t.Match(*filter.(*F), value.(*E)) }
	}
	t.compare(d)
	if t.Shape != nil {
		d.entry.Shape = t.shape
	}
	if t.Replay != nil {
		d.entry.Replay = t.replay
		if t.ID == nil || t.At == nil {
			d.err = errors.New("the event " + t.Name + " has a Replay, and no ID or no At")
		}
	}
	return d
}

// replay is Replay for the engine.
func (t *Type[E, F]) replay(ctx context.Context, filter any, cursor string, limit int) (events.Past, error) {
	page, err := t.Replay(ctx, *filter.(*F), cursor, limit)
	if err != nil {
		return events.Past{}, err
	}
	return events.Past{
		Len: len(page.Events), Next: page.Next, More: page.More, Lost: page.Lost,
		Event: func(i int) (*event.Entry, any, error) {
			entry, err := t.newEntry(&page.Events[i], "")
			return entry, &page.Events[i], err
		},
	}, nil
}

func (t *Type[E, F]) filter(args []byte) (any, error) {
	f := new(F)
	if t.Args == nil {
		return f, mcprt.NoArguments(args)
	}
	return f, mcprt.Arguments(args, t.Args, f)
}

func (t *Type[E, F]) value(data []byte) (any, error) {
	if t.Decode == nil {
		e := new(E)
		return e, json.Unmarshal(data, e)
	}
	e, err := t.Decode(data)
	return &e, err
}

func (t *Type[E, F]) shape(who *event.Caller, filter, value any) ([]byte, error) {
	caller := mcp.Caller{Subject: who.Subject, Scopes: who.Scopes, Roles: who.Roles}
	e := t.Shape(caller, *filter.(*F), value.(*E))
	if t.Encode == nil {
		return mcprt.AsObject(&e, nil)
	}
	return mcprt.EncodeObject(t.Encode, &e, nil)
}

// listed returns the members of the entry in events/list that do not depend on the server.
func (t *Type[E, F]) listed() ([]byte, error) {
	b := wire.AppendString([]byte(`"name":`), t.Name)
	if t.Title != "" {
		b = wire.AppendString(append(b, `,"title":`...), t.Title)
	}
	if t.Description != "" {
		b = wire.AppendString(append(b, `,"description":`...), t.Description)
	}
	input := t.Arguments
	if input == nil {
		input = mcprt.NoInput
	}
	for _, schema := range []json.RawMessage{input, t.Payload} {
		if wire.KindOf(schema) != wire.KindObject || wire.CheckValue(schema) != nil {
			return nil, errors.New("a schema of the event " + t.Name + " is no JSON object")
		}
	}
	b = wire.AppendRaw(append(b, `,"inputSchema":`...), input)
	return wire.AppendRaw(append(b, `,"payloadSchema":`...), t.Payload), nil
}

func (p *publisher) attach(x *serving) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.to = append(slices.Clip(p.to), x)
}

func (p *publisher) detach(x *serving) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.to = slices.DeleteFunc(slices.Clone(p.to), func(o *serving) bool { return o == x })
}

// servers returns the servers that are not closed.
func (p *publisher) servers() []*serving {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.to
}

// errNoServer is the error of an event before its server was made, and after it was closed.
var errNoServer = errors.New("event: no server is open that has the event")

// commit appends an entry to the event logs of all open servers. It appends the entry only once to a log that several
// servers share.
func (p *publisher) commit(ctx context.Context, e *event.Entry) error {
	all := p.servers()
	if len(all) == 0 {
		return errNoServer
	}
	var errs error
	for i, x := range all {
		if sharesLog(x, all[:i]) {
			x.Wake(p.name)
			continue
		}
		copied, begun := *e, time.Now()
		err := x.Commit(ctx, p.name, &copied)
		r := event.Record{
			Action: event.ActionCommit, Principal: call.Subject(ctx), Name: p.name, Status: "ok", Took: time.Since(begun),
		}
		if err != nil {
			r.Status = "failed"
		}
		x.Record(r)
		errs = errors.Join(errs, err)
	}
	return errs
}

func (p *publisher) publish(e *event.Entry, by string) {
	all := p.servers()
	for i, x := range all {
		if !sharesLog(x, all[:i]) {
			copied := *e
			x.publish(p.name, &copied, by)
		}
	}
}

// publish publishes an event, and tells the audit. by is the subject that has caused it; "" for none.
func (x *serving) publish(name string, e *event.Entry, by string) {
	r := event.Record{Action: event.ActionPublish, Principal: by, Name: name, Status: "ok"}
	if !x.Publish(name, e) {
		r.Status = "lost"
	}
	x.Record(r)
}

// sharesLog reports whether one of others has the same event log as x.
func sharesLog(x *serving, others []*serving) bool {
	return slices.ContainsFunc(others, func(o *serving) bool { return o.SharesLog(x.Engine) })
}
