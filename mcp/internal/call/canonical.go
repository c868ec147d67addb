package call

import (
	"bytes"
	"slices"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// appendCanonical appends a JSON value in one form for all its spellings: members sorted, no space, strings escaped
// alike. Numbers stay as they are written. The text was checked, so its depth is bounded. encoding/json could do this,
// but would make every server 150 kB larger.
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

// appendCanonicalObject is appendCanonical for an object. No name occurs twice: the text was checked. It sorts the
// names and not the members, because a second sort function would add 16 kB to every server.
func appendCanonicalObject(b []byte, d *wire.Decoder) []byte {
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
		b = append(appendCanonical(b, raws[name]), ',')
	}
	return wire.EndObject(b)
}
