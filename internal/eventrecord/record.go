// Package eventrecord keeps what subscribers know of the events of a package: a file beside it with the schemas of
// arguments and payloads. The file only grows, because subscriptions and cursors outlive the program that made them. A
// change that they cannot follow is reported, and if it is accepted, it is counted.
package eventrecord

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Name is the base name of the file with the record.
const Name = "mcp_events.json"

// Record is the content of a file: events by their server and their name. Its zero value is empty.
type Record map[string]map[string]*Event

// Event is what is known of an event.
type Event struct {
	// Schema is how often a change was accepted that subscribers cannot follow.
	Schema int `json:"schema"`
	// InputOnly is how many of the last of these changes left the payload as it was.
	InputOnly int `json:"inputOnly,omitempty"`
	// Arguments and Payload are schemas without what describes only; Arguments is nil for an event without arguments.
	Arguments any `json:"arguments,omitempty"`
	Payload   any `json:"payload"`
}

// Read returns the record in a file.
func Read(data []byte) (Record, error) {
	r := Record{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return nil, err
	}
	if r == nil {
		return nil, errors.New("it is no object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something stands behind the record")
	}
	for server, events := range r {
		for name, e := range events {
			if e == nil || e.Payload == nil || e.InputOnly < 0 || e.Schema < e.InputOnly {
				return nil, fmt.Errorf("event %q of server %q has no payload", name, server)
			}
		}
	}
	return r, nil
}

// Bytes returns the text of the file.
func (r Record) Bytes() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "\t")
	err := e.Encode(r)
	return b.Bytes(), err
}

// Add records an event with the JSON schemas of its arguments, empty for none, and of its payload. It returns
// what the record has of it then, and what subscribers cannot follow of a change that is not accepted, when the record
// stays as it is.
func (r Record) Add(server, name, arguments, payload string, accept bool) (now *Event, breaks []string, err error) {
	now = &Event{}
	if arguments != "" {
		if now.Arguments, err = plain(arguments); err != nil {
			return nil, nil, err
		}
	}
	if now.Payload, err = plain(payload); err != nil {
		return nil, nil, err
	}
	if r[server] == nil {
		r[server] = map[string]*Event{}
	}
	if old := r[server][name]; old != nil {
		input, payload := old.breaks(now)
		now.Schema, now.InputOnly = old.Schema, old.InputOnly
		if breaks = slices.Concat(input, payload); len(breaks) > 0 {
			if !accept {
				return old, breaks, nil
			}
			now.Schema++
			now.InputOnly++
			if len(payload) > 0 {
				now.InputOnly = 0
			}
		}
	}
	r[server][name] = now
	return now, nil, nil
}

// plain reads a schema without keywords that only describe.
func plain(schema string) (any, error) {
	var v any
	d := json.NewDecoder(bytes.NewReader([]byte(schema)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	undescribe(v)
	return v, nil
}

// undescribe removes keywords that only describe from a schema and from the schemas in it.
func undescribe(schema any) {
	s, _ := schema.(map[string]any)
	for key, v := range s {
		switch key {
		case "description", "title", "examples", "$comment":
			delete(s, key)
		case "properties", "$defs":
			members, _ := v.(map[string]any)
			for _, m := range members {
				undescribe(m)
			}
		case "oneOf":
			list, _ := v.([]any)
			for _, x := range list {
				undescribe(x)
			}
		default:
			undescribe(v)
		}
	}
}
