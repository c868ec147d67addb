package shared

import (
	"encoding/binary"
	"log/slog"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/sessions"
	"github.com/mcpgen/mcpgen/mcp/replica"
)

// record is the record of one session in a SessionStore, which is sealed there.
type record struct {
	state   session.State
	subject subjectHash
	issued  time.Time
	level   slog.Level
	holder  string   // the replica that has the notification stream, or had it last; "" if there was none
	uris    []string // that the client has subscribed to, sorted, after the topics of tasks that it is told about
}

// The first byte of a record is its version. A process refuses records of a version that it does not know.
const (
	recordVersion         = 1
	recordVersionSettings = 2 // of a session whose client has declared settings with an extension
)

// sealing is how many bytes seal and salt add to a record.
const sealing = 64

// clone returns a copy that can be changed.
func (r *record) clone() record {
	c := *r
	c.uris = slices.Clone(r.uris)
	return c
}

// recordPurpose returns the purpose of the seal of a record. It has the key of the session, so that the record of one
// session cannot take the place of that of another.
func (s *sealedIDs) recordPurpose(k sessions.Key) []byte {
	return append(append([]byte("session record\x00"), k[:]...), s.name...)
}

// sealRecord returns r in the form for a store. It returns false if r is too large.
func (s *sealedIDs) sealRecord(k sessions.Key, r *record) ([]byte, bool) {
	settings := haveSettings(r.state.Extensions)
	b := []byte{recordVersion, byte(r.state.Capabilities)}
	if settings {
		b[0] = recordVersionSettings
	}
	b = append(b, r.subject[:]...)
	b = binary.AppendVarint(b, r.issued.Unix())
	b = binary.AppendVarint(b, int64(r.level))
	b = appendText(b, r.state.Revision.String())
	b = appendText(b, cutText(r.state.Client, maxClientID))
	b = appendText(b, r.holder)
	b = binary.AppendUvarint(b, uint64(len(r.uris)))
	for _, uri := range r.uris {
		b = appendText(b, uri)
	}
	b = appendExtensions(b, r.state.Extensions, settings) // older processes do not read so far
	if len(b)+sealing > replica.MaxRecord {
		return nil, false
	}
	return s.box.Seal(b, s.recordPurpose(k)), true
}

// openRecord undoes sealRecord. It returns false for a text that no process with these keys and this version has
// sealed.
func (s *sealedIDs) openRecord(k sessions.Key, sealed []byte) (r record, ok bool) {
	b, err := s.box.Open(sealed, s.recordPurpose(k))
	if err != nil || len(b) < 2+len(r.subject) || b[0] != recordVersion && b[0] != recordVersionSettings {
		return r, false
	}
	r.state.Capabilities = call.ClientCapability(b[1])
	d := recordReader{rest: b[2:]}
	d.rest = d.rest[copy(r.subject[:], d.rest):]
	r.issued = time.Unix(d.number(), 0)
	r.level = slog.Level(d.number())
	revision := d.text()
	r.state.Client = d.text()
	r.holder = d.text()
	for n := d.count(); n > 0 && !d.bad; n-- {
		r.uris = append(r.uris, d.text())
	}
	extensions, whole := extensionsOf(d.rest, b[0] == recordVersionSettings)
	r.state.Extensions = extensions
	r.state.Revision, ok = revisionWithSessions(revision)
	return r, ok && whole && !d.bad
}

// recordReader reads the parts of a record.
type recordReader struct {
	rest []byte
	bad  bool
}

func (d *recordReader) number() int64 {
	n, size := binary.Varint(d.rest)
	return n * int64(d.take(size))
}

func (d *recordReader) count() uint64 {
	n, size := binary.Uvarint(d.rest)
	return n * uint64(d.take(size))
}

// take drops the size bytes of a number that was read. It returns 1; 0 if size says that no number could be read.
func (d *recordReader) take(size int) int {
	if size <= 0 {
		d.bad, d.rest = true, nil
		return 0
	}
	d.rest = d.rest[size:]
	return 1
}

func (d *recordReader) text() string {
	text, rest, ok := takeText(d.rest)
	d.rest, d.bad = rest, d.bad || !ok
	return text
}
