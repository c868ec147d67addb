package era

import (
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
)

// These constants alone say which revision does what. Package protocol may have the types of newer revisions; no server
// offers them until NewestServed names them here.
const (
	NewestServed = protocol.Revision20260728
	NewestLegacy = protocol.Revision20251125 // the last that begins with a handshake
	OldestModern = NewestLegacy + 1

	Batches             = protocol.Revision20250326 // the one that has JSON-RPC batches
	BadArgumentsSince   = protocol.Revision20251125 // wrong tool arguments are a tool result
	omitUnknownIDsSince = protocol.Revision20251125 // an unreadable id is left out, not null
	FormsSince          = protocol.Revision20250618 // users can be asked by forms
	AppsSince           = protocol.Revision20250618 // tools have _meta, which names their apps
	ChoicesSince        = protocol.Revision20251125 // forms have several choices in a field; web pages; tools in sampling
)

// Table decides the era and the revision of each message.
var Table = engine.NewEras(engine.Era[protocol.Revision]{
	Served:             Revisions(),
	Modern:             OldestModern,
	Batches:            Batches,
	OmitsUnknownIDs:    omitUnknownIDsSince,
	UnsupportedVersion: protocol.CodeUnsupportedProtocolVersion,
})

// IsModern reports whether requests of rev carry all their context and need no handshake.
func IsModern(rev protocol.Revision) bool { return rev >= OldestModern }

// Revisions returns the revisions of the protocol that servers offer, oldest first.
func Revisions() []protocol.Revision {
	return slices.DeleteFunc(protocol.Revisions(), func(rev protocol.Revision) bool { return rev > NewestServed })
}
