package events

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Canonical returns a JSON value in one form for all its spellings: members sorted, no space, strings and numbers
// written alike. Integers that a float64 cannot hold stay as they are written, so that different arguments stay
// different. The text was checked, so its depth is bounded.
func Canonical(raw []byte) json.RawMessage { return appendCanonical(nil, raw) }

func appendCanonical(b, raw []byte) []byte {
	switch d := wire.NewDecoder(raw); wire.KindOf(raw) {
	case wire.KindObject:
		return appendCanonicalObject(b, &d)
	case wire.KindArray:
		b = append(b, '[')
		for d.Array(); d.More(); {
			b = append(appendCanonical(b, d.Raw()), ',')
		}
		return wire.EndArray(b)
	case wire.KindString:
		return wire.AppendString(b, d.String())
	case wire.KindNumber:
		return appendCanonicalNumber(b, bytes.TrimSpace(raw))
	}
	return append(b, bytes.TrimSpace(raw)...)
}

func appendCanonicalNumber(b, text []byte) []byte {
	if _, err := strconv.ParseInt(string(text), 10, 64); err == nil && string(text) != "-0" {
		return append(b, text...)
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return append(b, text...)
	}
	return wire.AppendFloat(b, f)
}

func appendCanonicalObject(b []byte, d *wire.Decoder) []byte {
	raws := map[string][]byte{}
	var names []string
	for d.Object(); d.Next(); {
		name := string(d.Name())
		names, raws[name] = append(names, name), d.Raw()
	}
	slices.Sort(names)
	b = append(b, '{')
	for _, name := range names {
		b = append(wire.AppendString(b, name), ':')
		b = append(appendCanonical(b, raws[name]), ',')
	}
	return wire.EndObject(b)
}
