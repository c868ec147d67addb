package server

import (
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Envelope is a message that a transport has brought, read so far that the transport can tell whether it accepts it.
type Envelope struct{ engine.Envelope }

// OpenEnvelope reads text, one message or batch within the limits of the transport.
func OpenEnvelope(text []byte) Envelope { return Envelope{era.Table.Open(text)} }

// Notifies reports whether e is a notification of an extension of s, which runs code of the program.
func Notifies(s *Server, e *Envelope) bool {
	x := s.extensions
	return x != nil && e.Message.IsNotification() && x.Notifies(e.Message.Method)
}

// VersionFault returns why a modern request cannot be answered in the revision that it declares; nil if it can be.
func (e *Envelope) VersionFault() *wire.Error {
	if !e.Meta.Declared {
		return nil
	}
	_, fault := era.Table.Modernize(&e.Meta)
	return fault
}

// NullID reports whether the response to a message without a readable id has a null for it, given the revision of the
// session that it came in; 0 if there is none.
func NullID(rev protocol.Revision) bool { return era.Table.NullID(rev, false) }

// ModernVersion reports whether a revision, as a header names it, is one whose requests stand alone, or is none that
// this server knows.
func ModernVersion(revision string) bool {
	rev, ok := era.Table.Parse(revision)
	return !ok || era.IsModern(rev)
}
