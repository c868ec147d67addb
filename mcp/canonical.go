package mcp

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// appendCanonical appends a JSON value in the one form that all its spellings have: members sorted,
// no space, strings escaped alike. Numbers stay as they are written. The text was checked, so its
// depth is bounded. encoding/json could do it too, but would make every server larger by 150 kB.
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
	}
	return append(b, bytes.TrimSpace(raw)...)
}

// appendCanonicalObject is appendCanonical for an object.
func appendCanonicalObject(b []byte, d *wire.Decoder) []byte {
	type member struct {
		name string
		raw  []byte
	}
	var members []member
	for d.Object(); d.Next(); {
		name := string(d.Name())
		members = append(members, member{name, d.Raw()})
	}
	slices.SortFunc(members, func(x, y member) int { return cmp.Compare(x.name, y.name) })
	b = append(b, '{')
	for _, m := range members {
		b = append(wire.AppendString(b, m.name), ':')
		b = append(appendCanonical(b, m.raw), ',')
	}
	return wire.EndObject(b)
}
