package mcpevent

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/events"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Updates declares an event for the updates of a resource. The event is a hint to read the resource again: several
// updates of a URI that wait to be appended become one.
type Updates struct {
	Name, Title, Description string
	// Resource is the URI of the resource, or its template.
	Resource  string
	Modes     Modes
	Revisions mcprt.RevisionRange
	Tags      []string
	Guard     *mcprt.Guard
}

// update is the payload: the URI of what may have changed. It is also the arguments of a subscription: the URI whose
// updates the client wants, "" for all.
type update struct{ uri string }

// updateSchema is the beginning of two schemas: of the payload, which must have a uri, and of the arguments, which need
// not.
const updateSchema = `{"type":"object","properties":{"uri":{"type":"string","format":"uri"}}`

func (u *Updates) declared() *declared {
	t := &Type[update, update]{
		Name: u.Name, Title: u.Title, Description: u.Description, Modes: u.Modes, Revisions: u.Revisions, Tags: u.Tags,
		Guard: u.Guard, Hint: true,
		Arguments: json.RawMessage(updateSchema + `,"additionalProperties":false}`),
		Payload:   json.RawMessage(updateSchema + `,"required":["uri"]}`),
		Encode:    writeUpdate,
		Decode: func(data []byte) (v update, err error) {
			d := wire.NewDecoder(data)
			readUpdate(&d, &v)
			return v, d.Err()
		},
		Args:  readUpdate,
		Match: func(of update, e *update) bool { return of.uri == "" || of.uri == e.uri },
		Equal: []Equal[update, update]{{
			Wants: func(of update) []any { return WantedText(of.uri) }, Has: func(e *update) any { return e.uri },
		}},
	}
	d := t.declared()
	d.resource = u.Resource
	return d
}

func writeUpdate(e *wire.Encoder, v *update) {
	e.Object()
	e.Name("uri").String(v.uri)
	e.EndObject()
}

func readUpdate(d *wire.Decoder, v *update) {
	for d.Object(); d.Next(); {
		if string(d.Name()) != "uri" {
			d.Fail("unknown argument")
			continue
		}
		v.uri = d.String()
	}
}

// hear returns the function that publishes updates of resources as events; nil if no event is for updates.
func (x *serving) hear() func(resource, uri, by string) {
	if !slices.ContainsFunc(x.types, func(t *declared) bool { return t.resource != "" }) {
		return nil
	}
	return x.updated
}

// updated publishes the event of an update. Other replicas learn of the event from the event log.
func (x *serving) updated(resource, uri, by string) {
	for _, t := range x.types {
		if t.resource != resource {
			continue
		}
		data, err := mcprt.EncodeObject(writeUpdate, &update{uri}, nil)
		if err != nil {
			continue // does not happen: any string can be encoded
		}
		if e, err := events.NewEntry("", time.Time{}, data, events.CauseOf(by)); err == nil {
			x.publish(t.entry.Name, e, by)
		}
	}
}
