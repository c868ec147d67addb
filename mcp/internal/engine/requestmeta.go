package engine

import "github.com/mcpgen/mcpgen/mcp/wire"

// Keys of params._meta that make a request modern.
const (
	metaKey           = "_meta"
	metaVersion       = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities  = "io.modelcontextprotocol/clientCapabilities"
	metaClientInfo    = "io.modelcontextprotocol/clientInfo"
	metaLogLevel      = "io.modelcontextprotocol/logLevel"
	metaProgressToken = "progressToken"
)

// RequestMeta has the members of params._meta that decide the era of a message.
type RequestMeta struct {
	// Version is the revision that the message declares; "" if it declares none, or a value that is no string.
	Version string
	// Declared reports that the message declares a version, of whatever type. That makes it modern.
	Declared bool
	// Mistake says what is wrong with the _meta of a modern message; "" if nothing is.
	Mistake string
}

// Fault returns the error about a mistake in the _meta of a modern message; nil if there is none.
func (m *RequestMeta) Fault() *wire.Error {
	if !m.Declared || m.Mistake == "" {
		return nil
	}
	return wire.NewError(wire.CodeInvalidParams, "invalid params: /params/_meta: "+m.Mistake)
}

// DeclaresVersion reports whether text declares a version where a message does. The rest of text need not be a valid
// message.
func DeclaresVersion(text []byte) bool {
	_, found := wire.Lookup(text, "params", metaKey, metaVersion)
	return found
}

// metaOf returns the _meta object of params; nil if they have none.
func metaOf(params []byte) []byte {
	meta, ok := wire.Lookup(params, metaKey)
	if !ok || wire.KindOf(meta) != wire.KindObject {
		return nil
	}
	return meta
}

// readMeta reads a _meta object. It allocates only for a version that is not in known.
func readMeta(meta []byte, known []string) (m RequestMeta) {
	var capabilities bool
	d := wire.NewDecoder(meta)
	for d.Object(); d.Next(); {
		kind := d.Kind()
		switch string(d.Name()) {
		case metaVersion:
			m.Declared = true
			if kind != wire.KindString {
				m.Mistake = metaVersion + " must be a string"
				break
			}
			m.Version = intern(d.Bytes(), known)
			continue
		case metaCapabilities:
			capabilities = true
			if kind != wire.KindObject {
				m.Mistake = metaCapabilities + " must be an object"
			}
		case metaClientInfo:
			if kind != wire.KindObject {
				m.Mistake = metaClientInfo + " must be an object"
			}
		case metaLogLevel:
			if !isLogLevel(d.Peek()) {
				m.Mistake = metaLogLevel + " is not a level"
			}
		}
		d.Skip()
	}
	if !capabilities && m.Mistake == "" {
		m.Mistake = metaCapabilities + " is required"
	}
	return m
}

// intern returns text as a string. It allocates nothing if known has that text.
func intern(text []byte, known []string) string {
	for _, s := range known {
		if s == string(text) {
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
