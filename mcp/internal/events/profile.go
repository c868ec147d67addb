package events

import (
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// profile has what differs between the specification and clients that were written for an earlier draft of it.
type profile struct {
	codes [event.CallbackEndpoint + 1]int
	// unknownIsEnded means that ending a subscription that does not exist is no error: the result is empty.
	unknownIsEnded bool
}

// profiles has the profile of each [event.Profile].
var profiles = [...]profile{
	event.Specification: {codes: [...]int{
		event.Internal:          wire.CodeInternal,
		event.InvalidParams:     wire.CodeInvalidParams,
		event.NotFound:          -32023,
		event.Forbidden:         -32024,
		event.ResourceExhausted: -32025,
		event.Unsupported:       -32026,
		event.CallbackEndpoint:  -32027,
	}},
	event.Shipped: {unknownIsEnded: true, codes: [...]int{
		event.Internal:          wire.CodeInternal,
		event.InvalidParams:     wire.CodeInvalidParams,
		event.NotFound:          -32011,
		event.Forbidden:         -32012,
		event.ResourceExhausted: -32013,
		event.Unsupported:       -32014,
		event.CallbackEndpoint:  -32015,
	}},
}

// wireError returns f in the form that clients get.
func (p *profile) wireError(f *event.Error) *wire.Error {
	e := wire.NewError(p.codes[f.Kind], f.Message)
	b := []byte{'{'}
	for _, m := range []struct{ name, value string }{
		{"kind", f.Of}, {"reason", f.Reason}, {"feature", f.Feature}, {"value", f.Value}, {"limit", f.Limit},
	} {
		if m.value != "" {
			b = append(wire.AppendString(append(wire.AppendString(b, m.name), ':'), m.value), ',')
		}
	}
	if f.Max > 0 {
		b = append(wire.AppendInt(append(b, `"max":`...), int64(f.Max)), ',')
	}
	if len(b) > 1 {
		e.Data = wire.EndObject(b)
	}
	return e
}
