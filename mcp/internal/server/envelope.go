package server

import (
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Envelope is a message that a carrier has brought, read so far that the carrier can say whether
// it accepts it. It keeps the text that it was made of.
type Envelope struct {
	// Message is the message; of a batch it is empty.
	Message wire.Message
	// Fault is why the text is no message; nil if it is one. The id of Message is what could be read.
	Fault *wire.Error
	// Batch says that the text is an array. What it holds was not looked at.
	Batch bool

	text []byte
	meta requestMeta
}

// OpenEnvelope reads text, one message or batch within the limits of the carrier.
func OpenEnvelope(text []byte) Envelope {
	if wire.IsBatch(text) {
		return Envelope{text: text, Batch: true}
	}
	m, bad := wire.ParseMessage(text, limits)
	e := Envelope{Message: m, Fault: bad, text: text}
	if bad == nil && m.Method != nil {
		e.meta = lookupMeta(m.Params)
	}
	return e
}

// lookupMeta judges the _meta of params.
func lookupMeta(params []byte) requestMeta {
	meta, ok := wire.Lookup(params, metaKey)
	if !ok || wire.KindOf(meta) != wire.KindObject {
		return requestMeta{}
	}
	return judgeMeta(meta)
}

// Claim returns the revision that the message itself names, in its _meta; ok is false if it names
// none. A request with a claim is a modern one, whatever else is said about it.
func (e *Envelope) Claim() (revision string, ok bool) { return e.meta.claim, e.meta.claimed }

// MetaFault returns what is wrong with the _meta of a modern request; nil if nothing is.
func (e *Envelope) MetaFault() *wire.Error {
	if e.meta.claimed && e.meta.mistaken != "" {
		return invalid("/params/_meta: %s", e.meta.mistaken)
	}
	return nil
}

// VersionFault returns why a modern request cannot be answered in the revision that it claims; nil
// if it can be.
func (e *Envelope) VersionFault() *wire.Error {
	if !e.meta.claimed {
		return nil
	}
	_, fault := e.meta.modernRevision()
	return fault
}

// NullID reports whether the answer to a message without a readable id says so with a null, given
// the revision of the session that it came in; 0 if there is none.
func NullID(rev protocol.Revision) bool { return rev < omitUnknownIDsSince }

// ModernVersion reports whether a revision, as a header names it, is one whose requests stand
// alone, or is none that this server knows.
func ModernVersion(revision string) bool {
	rev, ok := parseServed(revision)
	return !ok || isModern(rev)
}
