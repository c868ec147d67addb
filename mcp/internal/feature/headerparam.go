package feature

import (
	"bytes"
	"slices"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// HeaderParam is an argument of a tool that HTTP clients of 2026-07-28 repeat in a header, so that proxies can route by
// it. In the input schema it has the member x-mcp-header.
type HeaderParam struct {
	Header string   // what follows Mcp-Param- in the name of the header
	Path   []string // members, from the arguments down to the value
}

// HeaderParams returns the arguments of a tool that are repeated in headers.
func (t *Tool) HeaderParams() []HeaderParam {
	if !bytes.Contains(t.Entry.InputSchema, headerKeyword) {
		return nil
	}
	return headerParams(nil, nil, t.Entry.InputSchema)
}

var headerKeyword = []byte(`"x-mcp-header"`)

// headerParams appends the header parameters of an object's schema and of the objects in it. It follows only the
// keyword properties.
func headerParams(list []HeaderParam, path []string, schema []byte) []HeaderParam {
	properties, ok := wire.Lookup(schema, "properties")
	if !ok || wire.KindOf(properties) != wire.KindObject {
		return list
	}
	d := wire.NewDecoder(properties)
	for d.Object(); d.Next(); {
		at := append(slices.Clip(path), string(d.Name()))
		member := d.Raw()
		if raw, ok := wire.Lookup(member, "x-mcp-header"); ok {
			h := wire.NewDecoder(raw)
			if name := h.String(); h.Err() == nil {
				list = append(list, HeaderParam{name, at})
			}
		}
		list = headerParams(list, at, member)
	}
	return list
}
