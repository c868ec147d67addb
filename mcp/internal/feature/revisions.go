package feature

import (
	"github.com/mcpgen/mcpgen/generated/protocol"
)

// RevisionRange is the range of protocol revisions that have a feature. For clients of other revisions the feature does
// not exist. The zero value is the range of all revisions.
type RevisionRange struct {
	first, last protocol.Revision // 0 means no bound
	// Off means that the feature is not part of this version of the server and does not exist for clients.
	Off bool
}

// Revisions returns the range from the revision first to the revision last. Both are dates; "" means no bound. This
// version of the runtime need not know a revision of that date.
func Revisions(first, last string) RevisionRange {
	p := RevisionRange{first: protocol.Latest + 1}
	for _, rev := range protocol.Revisions() {
		if date := rev.String(); date >= first && (last == "" || date <= last) {
			p.first, p.last = min(p.first, rev), rev
		}
	}
	if last == "" {
		p.last = 0
	}
	return p
}

// Has reports whether rev is in the range, and the feature is not off.
func (p RevisionRange) Has(rev protocol.Revision) bool {
	return !p.Off && p.first <= rev && (p.last == 0 || rev <= p.last)
}
