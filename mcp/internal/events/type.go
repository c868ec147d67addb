package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// Modes are the ways in which clients get the events of a name.
type Modes uint8

// The values of Modes.
const (
	Poll Modes = 1 << iota
	Push
	Webhook
)

// Type is what the program has declared about the events of one name. It does not change once there is an engine.
type Type struct {
	Name string
	// Schema counts the incompatible changes of the payload or the arguments. The last InputOnly of them did not change
	// the payload.
	Schema, InputOnly int
	Modes             Modes
	Keep              event.Retention
	// PollEvery is how long clients should wait between two polls; 0 means 5 seconds.
	PollEvery time.Duration
	// Hint drops a published event while another event with the same payload waits to be appended.
	Hint bool
	// Entry is what clients get in events/list, without "delivery", as members of an object without braces.
	Entry []byte
	// Filter decodes and checks arguments, a JSON object. Its error is for the client.
	Filter func(args []byte) (filter any, err error)
	// Value decodes a payload.
	Value func(data []byte) (value any, err error)
	// Match reports whether an event is for a filter; nil means that all are.
	Match func(filter, value any) bool
	// Wants and Has are for finding the filters that an event may match without calling Match on all of them. Of each
	// field that Match compares for equality, Wants returns the values that a filter accepts (none: any value), and Has
	// those that an event has, in the same order of fields. Both are nil if there are no such fields.
	Wants func(filter any) [][]any
	Has   func(value any) []any
	// Shape returns the payload that a caller gets; nil means that all get the same.
	Shape func(who *event.Caller, filter, value any) ([]byte, error)
	// Replay returns events of a history that the program keeps: at most limit events for filter, behind cursor. cursor is
	// the Next of an earlier call. For "" there are no events, and Next is the end of the history. A nil Replay means that
	// the log has the events.
	Replay func(ctx context.Context, filter any, cursor string, limit int) (Past, error)
	// Permits returns why a caller may not have events of the name, or nil. An error of the kind event.Internal means that
	// this could not be decided: nothing is delivered, and Permits is called again later. It may take long.
	Permits func(who *event.Caller) *event.Error
}

// Past is a part of a history that the program keeps: Len events behind a cursor.
type Past struct {
	Len int
	// Event returns the i-th event, as an entry and as what Type.Value returns.
	Event func(i int) (entry *event.Entry, value any, err error)
	// Next is the cursor behind these events, and More says that there are more. Lost says that events behind the
	// requested cursor are gone: then there are no events here, and Next is where the remaining ones begin.
	Next       string
	More, Lost bool
}

const defaultPollEvery = 5 * time.Second

// check reports what is wrong with a declaration.
func (t *Type) check() error {
	switch {
	case t.Name == "" || len(t.Name) > event.MaxName:
		return fmt.Errorf("the name of the event %q has %d bytes: want 1 to %d", t.Name, len(t.Name), event.MaxName)
	case t.Modes == 0 || t.Modes > Poll|Push|Webhook:
		return fmt.Errorf("the event %s has no modes", t.Name)
	case t.Keep.For < 0 || t.Keep.Most < 0 || t.PollEvery < 0 || t.InputOnly < 0 || t.Schema < t.InputOnly:
		return fmt.Errorf("the event %s has a negative number", t.Name)
	}
	return nil
}

// schemaFault returns the error for a cursor or a subscription that was made when the schema had the number old.
func (t *Type) schemaFault(old int) *event.Error {
	if old < t.Schema-t.InputOnly || old > t.Schema {
		return event.SchemaChanged(t.Name)
	}
	return &event.Error{Kind: event.Unsupported, Feature: "inputSchema", Reason: event.SchemaChanged(t.Name).Reason,
		Message: "the arguments of the event " + t.Name + " have changed: subscribe anew"}
}

// pollEvery is how long clients should wait between polls.
func (t *Type) pollEvery() time.Duration {
	if t.PollEvery > 0 {
		return t.PollEvery
	}
	return defaultPollEvery
}

// errPanic is returned for code of the program that has panicked.
var errPanic = errors.New("code of the program has panicked")

// caught recovers from a panic in code of the program, and sets err. It must be deferred itself.
func caught(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("%w: %v", errPanic, v)
	}
}

// shaped returns the payload of an event for one subscriber, or nil if the subscriber does not get the event. After an
// error or a panic the subscriber does not get it either, because there may be no right to the event.
func (t *Type) shaped(s *Subscriber, i *item) (data json.RawMessage, err error) {
	defer caught(&err)
	if i.err != nil {
		return nil, i.err
	}
	if t.Match != nil && !t.Match(s.filter, i.value) {
		return nil, nil
	}
	if t.Shape == nil {
		return i.Data, nil
	}
	if data, err = t.Shape(&s.Caller, s.filter, i.value); err != nil {
		return nil, err
	}
	return data, nil
}

// decode decodes the payload of an entry, for all subscribers. An error or a panic is kept in the item.
func (t *Type) decode(e event.Entry) *item {
	i := &item{Entry: e}
	if i.isGap() || t.Match == nil && t.Shape == nil {
		return i
	}
	func() {
		defer caught(&i.err)
		i.value, i.err = t.Value(e.Data)
	}()
	return i
}

// item is an entry with its payload, decoded.
type item struct {
	event.Entry
	value any
	err   error
}

// isGap reports whether an entry says that events were lost before they could be appended.
func (i *item) isGap() bool { return len(i.Data) == 0 }
