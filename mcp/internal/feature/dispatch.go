package feature

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Dispatched returns a method that a generated package of an extension handles. parse and dispatch are ParseRevision
// and Dispatch of that package, which "mcpgen protocol" has written. The versions of that package must be the revisions
// of the extension.
func Dispatched[R, H any](
	id, method string, handler H, parse func(string) (R, bool),
	dispatch func(context.Context, H, R, []byte, *wire.Decoder, []byte) ([]byte, error),
) Method {
	run := func(c *call.Call, params []byte) (json.RawMessage, error) {
		name, err := c.Peer().ExtensionRevision(id)
		if err != nil {
			return nil, err
		}
		rev, known := parse(name)
		if !known {
			return nil, fmt.Errorf("mcp: Extension %q: its package does not have the version %q", id, name)
		}
		d := wire.NewDecoder(call.WithMeta(c, params))
		return dispatch(c, handler, rev, []byte(method), &d, nil)
	}
	return Method{Name: method, Call: run, Whole: true}
}

// TakeCommon moves the members that all results have from object to common, because results of generated packages
// contain them already. It moves "_meta" in all revisions, and "resultType" in modern ones.
func TakeCommon(common *protocol.Result, object *json.RawMessage, rev protocol.Revision) error {
	_, typed := wire.Lookup(*object, "resultType")
	_, described := wire.Lookup(*object, "_meta")
	if typed = typed && era.IsModern(rev); !typed && !described {
		return nil
	}
	meta, own := new(protocol.ResultMetaObject), wire.Extra(nil)
	d := wire.NewDecoder(*object)
	for d.Object(); d.Next(); {
		switch name := string(d.Name()); {
		case name == "resultType" && typed:
			common.ResultType = protocol.ResultType(d.String())
		case name == "_meta":
			meta.DecodeJSON(&d, rev)
		default:
			d.Extra(&own)
		}
	}
	if meta.ServerInfo == nil && common.Meta != nil {
		meta.ServerInfo = common.Meta.ServerInfo
	}
	if described {
		common.Meta = meta
	}
	*object = own.AppendJSON(nil)
	return d.Err()
}
