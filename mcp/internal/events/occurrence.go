package events

import (
	"crypto/sha256"
	"encoding/base64"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// timeFormat is the format of times on the wire, which are in UTC.
const timeFormat = "2006-01-02T15:04:05.000Z"

// AppendTime appends a time as a JSON string.
func AppendTime(b []byte, t time.Time) []byte {
	return append(t.UTC().AppendFormat(append(b, '"'), timeFormat), '"')
}

// KeyOwn is the member of _meta that marks an event as caused by a request of the subscriber itself.
const KeyOwn = "io.github.mcpgen/own"

// appendOccurrence appends an event, without its last brace. meta are members of its _meta; nil for none. If own is
// true, the event is marked with KeyOwn.
func appendOccurrence(b []byte, name string, e *event.Entry, data, meta []byte, own bool) []byte {
	b = wire.AppendString(append(b, `{"eventId":`...), e.ID)
	b = wire.AppendString(append(b, `,"name":`...), name)
	b = AppendTime(append(b, `,"timestamp":`...), e.Time)
	b = append(append(b, `,"data":`...), data...)
	if !own && meta == nil {
		return b
	}
	b = append(append(b, `,"_meta":{`...), meta...)
	if own && meta != nil {
		b = append(b, ',')
	}
	if own {
		b = append(b, `"`+KeyOwn+`":true`...)
	}
	return append(b, '}')
}

// CauseOf returns the Entry.Cause for events that a subject has caused. It is "" for a subject of "".
func CauseOf(subject string) string {
	if subject == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("event cause\x00" + subject))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}
