package feature

import (
	"github.com/mcpgen/mcpgen/generated/protocol"
)

// RevisionRange is a range of protocol revisions by their dates, both ends included; an empty end means no bound.
// Clients of other revisions are served as if the feature did not exist.
type RevisionRange struct {
	From, To string
	// Off means that the feature is not part of this version of the server and does not exist for clients.
	Off bool
}

// Has reports whether rev is in the range, and the feature is not off.
func (p RevisionRange) Has(rev protocol.Revision) bool {
	if p == (RevisionRange{}) {
		return true
	}
	date := rev.String()
	return !p.Off && p.From <= date && (p.To == "" || date <= p.To)
}
