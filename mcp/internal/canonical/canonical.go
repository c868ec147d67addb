// Package canonical writes JSON values in one form for all their spellings.
package canonical

import (
	"bytes"
	"slices"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Append appends a JSON value: members sorted, no space, strings escaped alike, and numbers as number appends them. The
// text was checked, so its depth is bounded. encoding/json could do this, but would make every server 150 kB larger.
func Append(b, raw []byte, number func(b, text []byte) []byte) []byte {
	switch d := wire.NewDecoder(raw); wire.KindOf(raw) {
	case wire.KindObject:
		return appendObject(b, &d, number)
	case wire.KindArray:
		b = append(b, '[')
		for d.Array(); d.More(); {
			b = append(Append(b, d.Raw(), number), ',')
		}
		return wire.EndArray(b)
	case wire.KindString:
		return wire.AppendString(b, d.String())
	case wire.KindNumber:
		return number(b, bytes.TrimSpace(raw))
	}
	return append(b, bytes.TrimSpace(raw)...)
}

// appendObject is Append for an object. No name occurs twice: the text was checked. It sorts the names and not the
// members, because a second sort function would add 16 kB to every server.
func appendObject(b []byte, d *wire.Decoder, number func(b, text []byte) []byte) []byte {
	var names []string
	raws := map[string][]byte{}
	for d.Object(); d.Next(); {
		name := string(d.Name())
		names = append(names, name)
		raws[name] = d.Raw()
	}
	slices.Sort(names)
	b = append(b, '{')
	for _, name := range names {
		b = append(wire.AppendString(b, name), ':')
		b = append(Append(b, raws[name], number), ',')
	}
	return wire.EndObject(b)
}
