package server

import (
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// admit decides in which revision a request is answered, or why it is not. Modern requests and
// the legacy session of the same conn take no notice of each other.
func (c *conn) admit(m *wire.Message, meta requestMeta, inBatch bool) (protocol.Revision, *wire.Error) {
	if meta.claimed {
		if inBatch {
			return oldestModern, wire.NewError(wire.CodeInvalidRequest, "invalid request: the claimed revision has no batches")
		}
		return meta.modernRevision()
	}
	rev := c.session()
	if string(m.Method) == protocol.MethodInitialize {
		return c.admitInitialize(m, rev, inBatch)
	}
	switch {
	case rev != 0:
		return rev, nil
	case string(m.Method) == protocol.MethodPing:
		return newestLegacy, nil
	}
	// The code is that of a modern request without its _meta; the older revisions do not name one.
	return newestLegacy, invalid("not initialized: send initialize first, or name the revision in params._meta")
}

// admitInitialize returns the revision that an initialize request negotiates.
func (c *conn) admitInitialize(m *wire.Message, rev protocol.Revision, inBatch bool) (protocol.Revision, *wire.Error) {
	switch {
	case inBatch:
		return rev, wire.NewError(wire.CodeInvalidRequest, "invalid request: initialize must not be part of a batch")
	case rev != 0:
		return rev, wire.NewError(wire.CodeInvalidRequest, "invalid request: already initialized")
	}
	raw, _ := wire.Lookup(m.Params, "protocolVersion")
	d := wire.NewDecoder(raw)
	return negotiate(d.String()), nil
}
