package server

import (
	"bytes"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
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
	choicesSince        = protocol.Revision20251125 // forms have several choices in a field; web pages; tools in sampling
)

// Keys of params._meta that make a request modern.
const (
	metaKey          = "_meta"
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaClientInfo   = "io.modelcontextprotocol/clientInfo"
	metaLogLevel     = "io.modelcontextprotocol/logLevel"
)

// isModern reports whether requests of rev carry all their context and need no handshake.
func isModern(rev protocol.Revision) bool { return rev >= oldestModern }

// Revisions returns the revisions of the protocol that servers offer, oldest first.
func Revisions() []protocol.Revision {
	return slices.DeleteFunc(protocol.Revisions(), func(rev protocol.Revision) bool { return rev > newestServed })
}

// parseServed returns the revision with this date. It reports false for one that servers do not offer.
func parseServed(date string) (protocol.Revision, bool) {
	rev, ok := protocol.ParseRevision(date)
	return rev, ok && rev <= newestServed
}

// servedVersions lists the revisions that a server answers, newest first; only modern ones if asked.
func servedVersions(modernOnly bool) []string {
	var list []string
	for _, rev := range Revisions() {
		if !modernOnly || isModern(rev) {
			list = append(list, rev.String())
		}
	}
	slices.Reverse(list)
	return list
}

// negotiate returns the revision in which a session goes on that asked for version: that one if
// it has the handshake, else the newest that has.
func negotiate(version string) protocol.Revision {
	if rev, ok := parseServed(version); ok && !isModern(rev) {
		return rev
	}
	return newestLegacy
}

// requestMeta is what decides the era of a message.
type requestMeta struct {
	claim    string
	claimed  bool   // there is a claim, of whatever type
	mistaken string // what is wrong with the _meta of a modern request
}

// maxMeta is the longest _meta in bytes that a worker remembers.
const maxMeta = 4 << 10

// metaMemo remembers the last _meta that was judged: clients send the same with each request.
type metaMemo struct {
	text   []byte
	judged requestMeta
}

// read looks into the params of a message.
func (c *metaMemo) read(params []byte) requestMeta {
	meta, ok := wire.Lookup(params, metaKey)
	if !ok || wire.KindOf(meta) != wire.KindObject {
		return requestMeta{}
	}
	if bytes.Equal(meta, c.text) {
		return c.judged
	}
	m := judgeMeta(meta)
	if len(meta) <= maxMeta {
		c.text, c.judged = append(c.text[:0], meta...), m
	}
	return m
}

// judgeMeta reads a _meta object. It allocates only for a claim of no known revision.
func judgeMeta(meta []byte) (m requestMeta) {
	var capabilities bool
	d := wire.NewDecoder(meta)
	for d.Object(); d.Next(); {
		kind := d.Kind()
		switch string(d.Name()) {
		case metaVersion:
			m.claimed = true
			if kind != wire.KindString {
				m.mistaken = metaVersion + " must be a string"
				break
			}
			m.claim = knownVersion(d.Bytes())
			continue
		case metaCapabilities:
			capabilities = true
			if kind != wire.KindObject {
				m.mistaken = metaCapabilities + " must be an object"
			}
		case metaClientInfo:
			if kind != wire.KindObject {
				m.mistaken = metaClientInfo + " must be an object"
			}
		case metaLogLevel:
			if !isLogLevel(d.Peek()) {
				m.mistaken = metaLogLevel + " is not a level"
			}
		}
		d.Skip()
	}
	if !capabilities && m.mistaken == "" {
		m.mistaken = metaCapabilities + " is required"
	}
	return m
}

// knownVersion returns text as a string, without allocating if it names a revision.
func knownVersion(text []byte) string {
	for _, rev := range protocol.Revisions() {
		if s := rev.String(); s == string(text) {
			return s
		}
	}
	return string(text)
}

func isLogLevel(raw []byte) bool {
	switch string(raw) {
	case `"debug"`, `"info"`, `"notice"`, `"warning"`, `"error"`, `"critical"`, `"alert"`, `"emergency"`:
		return true
	}
	return false
}

// modernRevision returns the revision of a request with a claim, or why it cannot be served.
func (m *requestMeta) modernRevision() (protocol.Revision, *wire.Error) {
	if m.mistaken != "" {
		return oldestModern, wire.NewError(wire.CodeInvalidParams, "invalid params: /params/_meta: "+m.mistaken)
	}
	rev, ok := parseServed(m.claim)
	if ok && isModern(rev) {
		return rev, nil
	}
	data := append([]byte(`{"supported":`), wire.AppendStrings(nil, servedVersions(true))...)
	data = wire.AppendString(append(data, `,"requested":`...), m.claim)
	return oldestModern, &wire.Error{
		Code:    protocol.CodeUnsupportedProtocolVersion,
		Message: "unsupported protocol version",
		Data:    append(data, '}'),
	}
}
