package main

import (
	"strings"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/internal/recorded"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// recode reads a value and writes it again.
type recode func(d *wire.Decoder, rev protocol.Revision) []byte

// codecs has the types by their Go names, and types the Go names by revision and kind, as in
// "2025-11-25 definition Tool". The table that mcpgen protocol makes fills both.
var (
	codecs = map[string]recode{}
	types  = map[string]string{}
)

func structure[T any, P interface {
	*T
	AppendJSON(b []byte, rev protocol.Revision) []byte
	DecodeJSON(d *wire.Decoder, rev protocol.Revision)
}]() recode {
	return func(d *wire.Decoder, rev protocol.Revision) []byte {
		v := P(new(T))
		if v.DecodeJSON(d, rev); d.Err() != nil {
			return nil
		}
		return v.AppendJSON(nil, rev)
	}
}

//nolint:unused // by the table
func union[U any](write func([]byte, protocol.Revision, U) []byte,
	read func(*wire.Decoder, protocol.Revision) U) recode {
	return func(d *wire.Decoder, rev protocol.Revision) []byte {
		v := read(d, rev)
		if d.Err() != nil {
			return nil
		}
		return write(nil, rev, v)
	}
}

// written returns what the codecs make of a message, and why if it is refused.
func written(m *recorded.Message, rev protocol.Revision) (text, reason string) {
	text = m.Text
	codec := codecs[typeOf(m, rev)]
	if codec == nil {
		return recorded.Typeless, m.Kind
	}
	if err := wire.Check([]byte(text), wire.Limits{}); err != nil {
		return recorded.Refused, err.Error()
	}
	d := wire.NewDecoder([]byte(text))
	b := codec(&d, rev)
	if err := d.Err(); err != nil {
		return recorded.Refused, err.Error()
	}
	got, err := recorded.Canonical(b)
	if err != nil {
		return recorded.Refused, "what is written is no JSON: " + err.Error()
	}
	if want, err := recorded.Canonical([]byte(text)); err == nil && got == want {
		return recorded.Same, ""
	}
	return got, ""
}

// typeOf returns the Go name of the type of a message. A result may also be one that asks for more, or a task.
func typeOf(m *recorded.Message, rev protocol.Revision) string {
	method, isResult := strings.CutPrefix(m.Kind, "result ")
	if !isResult {
		return types[rev.String()+" "+m.Kind]
	}
	kind := "result "
	switch {
	case wire.MemberIs([]byte(m.Text), "resultType", "input_required"):
		kind = "input "
	case wire.MemberIs([]byte(m.Text), "resultType", "task"):
		kind = "task "
	default:
		if _, ok := wire.Lookup([]byte(m.Text), "task"); ok && method != "tasks/get" {
			kind = "task "
		}
	}
	if name := types[rev.String()+" "+kind+method]; name != "" {
		return name
	}
	return types[rev.String()+" "+m.Kind]
}
