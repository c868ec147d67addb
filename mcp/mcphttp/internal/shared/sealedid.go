package shared

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/seal"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/sessions"
)

// With Options.Keys the id of a session is sealed text: it contains what initialize has agreed on, so that every
// process with the same keys can continue the session. The salt of the seal has 192 random bits.
const (
	// replicaSize is the length of the name of a process without a bus. The name has 65 random bits.
	replicaSize = 13

	idVersion           = 1
	idVersionExtensions = 2    // of an id that says which extensions the client has declared
	idVersionSettings   = 3    // and with which settings
	maxClientID         = 96   // bytes of the name and version of a client
	maxSealedID         = 2048 // characters; an id that this code makes has 1,865 at most, or 411 without settings
)

// subjectHash identifies a subject in ids and records without naming it.
type subjectHash [16]byte

func hashSubject(subject string) (h subjectHash) {
	sum := sha256.Sum256([]byte("session subject\x00" + subject))
	copy(h[:], sum[:])
	return h
}

// opened is the content of a sealed id.
type opened struct {
	state   session.State
	subject subjectHash
	issued  time.Time
}

// sealedIDs makes and reads session ids that other processes can open. The zero value makes none.
type sealedIDs struct {
	box      seal.Box // nil for no ids
	name     string   // of the server
	replica  string   // tells this process apart from others with the same keys
	lifetime time.Duration
	ended    tombstones
}

// on reports whether ids are sealed.
func (s *sealedIDs) on() bool { return s.box != nil }

// purpose returns the purpose of the seal of ids. It has the name of the server, so that servers with the same keys do
// not open the ids of each other.
func (s *sealedIDs) purpose() []byte { return append([]byte("session id\x00"), s.name...) }

// seal returns a new id for a session. It contains st, the subject of the caller, and the time.
func (s *sealedIDs) seal(st session.State, who mcp.Caller, now time.Time) string {
	subject := hashSubject(who.Subject)
	b := []byte{idVersion, byte(st.Capabilities)}
	settings := haveSettings(st.Extensions)
	switch {
	case settings:
		b[0] = idVersionSettings
	case st.Extensions != nil:
		b[0] = idVersionExtensions
	}
	b = binary.BigEndian.AppendUint64(b, uint64(now.Unix()))
	b = append(b, subject[:]...)
	b = appendText(b, st.Revision.String())
	if st.Extensions != nil {
		b = appendText(b, string(appendExtensions(nil, st.Extensions, settings)))
	}
	b = append(b, cutText(st.Client, maxClientID)...)
	return base64.RawURLEncoding.EncodeToString(s.box.Seal(b, s.purpose()))
}

// open returns the content of an id. It returns false for an id that no process with these keys has made.
func (s *sealedIDs) open(id string) (o opened, ok bool) {
	if len(id) > maxSealedID {
		return o, false
	}
	sealed, err := seal.Decode(id)
	if err != nil {
		return o, false
	}
	b, err := s.box.Open(sealed, s.purpose())
	if err != nil || len(b) < 2+8+len(o.subject) || b[0] < idVersion || b[0] > idVersionSettings {
		return o, false
	}
	version := b[0]
	o.state.Capabilities = call.ClientCapability(b[1])
	o.issued = time.Unix(int64(binary.BigEndian.Uint64(b[2:])), 0)
	b = b[2+8:]
	b = b[copy(o.subject[:], b):]
	revision, b, ok := takeText(b)
	if !ok {
		return o, false
	}
	if version >= idVersionExtensions {
		var list string
		if list, b, ok = takeText(b); !ok {
			return o, false
		}
		if o.state.Extensions, ok = extensionsOf([]byte(list), version == idVersionSettings); !ok {
			return o, false
		}
	}
	o.state.Revision, ok = revisionWithSessions(revision)
	o.state.Client = string(b)
	return o, ok
}

// haveSettings reports whether a client has declared settings with any of the extensions.
func haveSettings(list []feature.DeclaredExtension) bool {
	return slices.ContainsFunc(list, func(e feature.DeclaredExtension) bool { return e.Settings != "" })
}

// appendExtensions appends extensions, with their settings or without, and extensionsOf is the reverse.
func appendExtensions(b []byte, list []feature.DeclaredExtension, settings bool) []byte {
	for _, e := range list {
		b = binary.BigEndian.AppendUint32(b, e.Key)
		if settings {
			b = appendText(b, e.Settings)
		}
	}
	return b
}

func extensionsOf(b []byte, settings bool) (list []feature.DeclaredExtension, ok bool) {
	for len(b) >= 4 {
		e := feature.DeclaredExtension{Key: binary.BigEndian.Uint32(b)}
		b = b[4:]
		if settings {
			if e.Settings, b, ok = takeText(b); !ok {
				return nil, false
			}
		}
		list = append(list, e)
	}
	return list, true
}

// revisionWithSessions returns the revision with a name. It returns false if the revision has no sessions, or if only
// processes of a newer version of this code know it.
func revisionWithSessions(name string) (protocol.Revision, bool) {
	if session.ModernVersion(name) {
		return 0, false
	}
	return protocol.ParseRevision(name)
}

// appendText appends the length of a text, and the text.
func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// takeText reads what appendText has appended, and returns the rest of b.
func takeText(b []byte) (text string, rest []byte, ok bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return "", nil, false
	}
	b = b[size:]
	return string(b[:n]), b[n:], true
}

// cutText returns at most n bytes of a text, without a part of a character at its end.
func cutText(text string, n int) string {
	if len(text) > n {
		text = text[:n]
		for len(text) > 0 && !utf8.ValidString(text) {
			text = text[:len(text)-1]
		}
	}
	return strings.ToValidUTF8(text, "")
}

// idSkew is how far the clocks of replicas may differ.
const idSkew = 30 * time.Second

// valid returns the content of an id if the caller may continue its session in this process. It returns false if the id
// is not one of the subject, has expired, or belongs to a session that has ended.
func (s *sealedIDs) valid(id string, who mcp.Caller) (o opened, ok bool) {
	o, ok = s.open(id)
	if !ok || o.subject != hashSubject(who.Subject) {
		return o, false
	}
	age := time.Since(o.issued)
	expired := age >= s.lifetime && !failpoint.On("session-id-for-ever") || age < -idSkew
	return o, !expired && !s.ended.has(sessions.KeyOf(id))
}

// end ends the session with an id, so that this process does not adopt it any more. It returns false if the caller
// could not have continued the session anyway.
func (s *sealedIDs) end(id string, who mcp.Caller) bool {
	if !s.on() {
		return false
	}
	_, ok := s.valid(id, who)
	if ok {
		s.forbid(sessions.KeyOf(id))
	}
	return ok
}

// forbid remembers that a session has ended.
func (s *sealedIDs) forbid(k sessions.Key) { s.ended.add(k, time.Now(), s.lifetime+idSkew) }

// maxTombstones is how many ended sessions each half of tombstones remembers.
const maxTombstones = 32 << 10

// tombstones remember the sessions that clients have ended, so that this process does not adopt them as long as their
// ids are valid. They take at most 3 MB; beyond that the oldest half is forgotten. If a session is forgotten too early,
// the user who has ended it can use it again, without its subscriptions. The zero value has none.
type tombstones struct {
	mu       sync.Mutex
	new, old map[sessions.Key]struct{}
	since    time.Time // when new was made
}

// add remembers that a session has ended. kept is false if sessions whose ids are still valid were forgotten to make
// room.
func (t *tombstones) add(k sessions.Key, now time.Time, lifetime time.Duration) (kept bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept = true
	if age := now.Sub(t.since); age >= lifetime || len(t.new) >= maxTombstones {
		kept = age >= lifetime || len(t.old) == 0
		t.old, t.new, t.since = t.new, make(map[sessions.Key]struct{}), now
	}
	t.new[k] = struct{}{}
	return kept
}

// has reports whether a session has ended.
func (t *tombstones) has(k sessions.Key) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, fresh := t.new[k]
	_, known := t.old[k]
	return fresh || known
}
