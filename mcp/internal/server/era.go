package server

import (
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
)

// The era table: the only place that knows which revision does what. Package protocol may have the types of newer
// revisions; no server offers them until newestServed names them here.
const (
	newestServed = protocol.Revision20260728
	newestLegacy = protocol.Revision20251125 // the last that begins with a handshake
	oldestModern = newestLegacy + 1

	batchRevision       = protocol.Revision20250326 // the one that has JSON-RPC batches
	structuredSince     = protocol.Revision20250618 // tools answer with structured content
	badArgumentsSince   = protocol.Revision20251125 // wrong tool arguments are a tool result
	omitUnknownIDsSince = protocol.Revision20251125 // an unreadable id is left out, not null
	formsSince          = protocol.Revision20250618 // users can be asked by forms
	appsSince           = protocol.Revision20250618 // tools have _meta, which names their apps
	choicesSince        = protocol.Revision20251125 // forms have several choices in a field; web pages; tools in sampling
)

// eras decides the era and the revision of each message.
var eras = engine.NewEras(engine.Era[protocol.Revision]{
	Served:             Revisions(),
	Modern:             oldestModern,
	Batches:            batchRevision,
	OmitsUnknownIDs:    omitUnknownIDsSince,
	UnsupportedVersion: protocol.CodeUnsupportedProtocolVersion,
})

// isModern reports whether requests of rev carry all their context and need no handshake.
func isModern(rev protocol.Revision) bool { return rev >= oldestModern }

// Revisions returns the revisions of the protocol that servers offer, oldest first.
func Revisions() []protocol.Revision {
	return slices.DeleteFunc(protocol.Revisions(), func(rev protocol.Revision) bool { return rev > newestServed })
}
