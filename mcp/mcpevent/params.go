package mcpevent

import (
	"math"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/events"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// invalid returns the error of invalid params.
func invalid(message string) error {
	return wire.NewError(wire.CodeInvalidParams, "invalid params: "+message)
}

// readParams reads the params of the methods that are about one event. Unknown members are ignored. MaxAge is -1 if the
// params do not have it.
func readParams(text []byte) (p events.Params, err error) {
	p.MaxAge = -1
	d := wire.NewDecoder(text)
	for d.Object(); d.Next(); {
		switch string(d.Name()) {
		case "name":
			p.Name = d.String()
		case "arguments":
			if !d.Null() {
				p.Arguments = d.RawCopy()
			}
		case "cursor":
			if !d.Null() {
				p.Cursor = d.String()
			}
		case "maxAgeMs":
			if !d.Null() {
				p.MaxAge = millis(&d)
			}
		case "maxEvents":
			if !d.Null() {
				p.MaxEvents = int(min(d.Int(), math.MaxInt32))
				d.Must(p.MaxEvents >= 1, "must be at least 1")
			}
		case "ttlMs":
			if p.TTL.Set = true; d.Null() {
				p.TTL.Never = true
			} else {
				p.TTL.For = millis(&d)
			}
		case "delivery":
			readDelivery(&d, &p.Delivery)
		default:
			d.Skip()
		}
	}
	switch {
	case d.Err() != nil:
		return p, invalid(d.Err().Error())
	case p.Name == "":
		return p, invalid("/name: is missing")
	case p.Arguments == nil:
		p.Arguments = []byte("{}")
	case wire.KindOf(p.Arguments) != wire.KindObject:
		return p, invalid("/arguments: must be an object")
	}
	return p, nil
}

// millis reads a number of milliseconds, 0 or more.
func millis(d *wire.Decoder) time.Duration {
	n := d.Int()
	d.Must(n >= 0, "must be at least 0")
	return time.Duration(min(n, math.MaxInt64/int64(time.Millisecond))) * time.Millisecond
}

func readDelivery(d *wire.Decoder, v *events.Delivery) {
	v.Given = true
	for d.Object(); d.Next(); {
		switch string(d.Name()) {
		case "mode":
			v.Mode = d.String()
		case "url":
			v.URL = d.String()
		case "secret":
			v.Secret = d.String()
		default:
			d.Skip()
		}
	}
}

// checkDelivery reports what is wrong with the delivery of a webhook. The mode may be left out. secret says that the
// delivery must have a secret.
func checkDelivery(v *events.Delivery, secret bool) error {
	switch {
	case !v.Given:
		return invalid("/delivery: is missing")
	case v.Mode != "" && v.Mode != "webhook":
		return invalid("/delivery/mode: must be webhook")
	case v.URL == "":
		return invalid("/delivery/url: is missing")
	case secret && v.Secret == "":
		return invalid("/delivery/secret: is missing")
	}
	return nil
}
