package feature

import (
	"github.com/mcpgen/mcpgen/generated/protocol"
)

// RevisionRange is the range of protocol revisions that have a feature. From and To are the dates of the first and the
// last one; "" means no bound. For clients of other revisions the feature does not exist.
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
