package mcpevent

import (
	"encoding/json"
	"strconv"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/events"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// listPage is the size of a page of events/list.
const listPage = 100

func (x *serving) list(c *call.Call, text []byte) (json.RawMessage, error) {
	cursor := ""
	d := wire.NewDecoder(text)
	for d.Object(); d.Next(); {
		if string(d.Name()) != "cursor" || d.Null() {
			d.Skip()
			continue
		}
		cursor = d.String()
	}
	if d.Err() != nil {
		return nil, invalid(d.Err().Error())
	}
	from := 0
	if cursor != "" {
		last, err := server.OpenCursor(c, "events", cursor)
		if err != nil {
			return nil, err
		}
		if from, err = strconv.Atoi(last); err != nil {
			return nil, err
		}
	}
	b, n := []byte(`{"events":[`), 0
	for i := min(from, len(x.types)); i < len(x.types); i++ {
		t := x.types[i]
		if t.of.off.Load() {
			continue
		}
		if f := x.refusal(t, t.guard.Permits(c)); !t.revisions.Has(c.Revision()) || f != nil && f.Kind == event.NotFound {
			continue
		}
		if n == min(listPage, server.PageSizeOf(c)) {
			b = append(wire.EndArray(b), `,"nextCursor":`...)
			return append(wire.AppendString(b, server.SealCursor(c, "events", strconv.Itoa(i))), '}'), nil
		}
		n++
		b = append(append(b, '{'), t.entry.Entry...)
		b = append(x.AppendModes(append(b, `,"delivery":`...), x.specs[t.entry.Name]), '}', ',')
	}
	return append(wire.EndArray(b), '}'), nil
}

// found has the params of a request, and the event that it is about.
type found struct {
	events.Params
	spec  *events.Type
	of    *declared
	leave func()
}

// find reads the params of a request, and finds the event that it is about, if the caller may have it. On success the
// request counts against the limits of the event until leave is called.
func (x *serving) find(c *call.Call, text []byte, mode events.Modes) (*found, error) {
	p, err := readParams(text)
	if err != nil {
		return nil, err
	}
	t := x.byName[p.Name]
	if t == nil || t.of.off.Load() || !t.revisions.Has(c.Revision()) {
		return nil, x.Fault(event.NoEvent(p.Name))
	}
	if f := x.refusal(t, t.guard.Permits(c)); f != nil {
		return nil, x.Fault(f)
	}
	spec, err := x.Find(p.Name, mode)
	if err != nil {
		return nil, x.FaultOf(err)
	}
	leave, err := server.Take(c, t.guard)
	if err != nil {
		return nil, err
	}
	return &found{p, spec, t, leave}, nil
}

// subscriber returns the caller of a request as a subscriber. It is used only while the request goes on.
func (x *serving) subscriber(c *call.Call, f *found) (*events.Subscriber, error) {
	who := c.Caller()
	s, err := f.spec.NewSubscriber(event.Caller{Subject: who.Subject, Scopes: who.Scopes, Roles: who.Roles}, f.Arguments)
	if err != nil {
		return nil, x.FaultOf(err)
	}
	s.Permits = func() *event.Error {
		if who.Expired() {
			return &event.Error{Kind: event.Forbidden, Message: "the caller has expired", Reason: "expired"}
		}
		if f.of.of.off.Load() {
			return event.NoEvent(f.Name)
		}
		return x.verdict(f.of, f.of.guard.PermitsWithout(c, c.Request().Conn, &who, c.Revision()))
	}
	return s, nil
}

func (x *serving) poll(c *call.Call, text []byte) (json.RawMessage, error) {
	f, err := x.find(c, text, events.Poll)
	if err != nil {
		return nil, err
	}
	defer f.leave()
	s, err := x.subscriber(c, f)
	if err != nil {
		return nil, err
	}
	return x.Poll(c, &f.Params, s, f.spec)
}

func (x *serving) stream(c *call.Call, text []byte) (json.RawMessage, error) {
	f, err := x.find(c, text, events.Push)
	if err != nil {
		return nil, err
	}
	f.leave() // a stream does not count as a running call
	s, err := x.subscriber(c, f)
	if err != nil {
		return nil, err
	}
	defer call.Stay(c)()
	of := c.Request()
	err = x.Stream(c, &f.Params, s, f.spec, events.To{
		Principal: principalOf(c), ID: of.ID, Ended: of.Conn.Ended.Done(),
		Send: func(method string, params []byte) error { return call.SendNotification(c, method, params) },
	})
	return json.RawMessage(`{}`), err
}

// principalOf returns the principal of a stream: its subject, or else its address.
func principalOf(c *call.Call) string {
	if subject := c.Principal(); subject != "" {
		return "s" + subject
	}
	origin := call.OriginOf(c.Request().Responder)
	return "a" + string(origin[:])
}

// target returns the name of the event in a request, for the audit.
func target(params []byte) string {
	text, found := wire.Lookup(params, "name")
	if !found || wire.KindOf(text) != wire.KindString {
		return ""
	}
	d := wire.NewDecoder(text)
	return d.String()
}
