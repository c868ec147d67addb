package wire

import (
	"strconv"
	"strings"
)

// ID is a JSON-RPC request id or a progress token: a string or an integer. The zero ID means that there is none.
//
// Two IDs are equal if their JSON texts are equal, because a response must repeat exactly the text of the request. So
// "a" and "\u0061" are different IDs; see [ID.Canonical]. An ID does not alias the message.
type ID struct {
	text string // the JSON text, unless kind is idNumber
	num  int64
	kind uint8
}

const (
	idAbsent uint8 = iota
	idNumber       // an integer whose JSON text is the shortest decimal form of num
	idText
	idLocal // never in a message
)

// StringID returns the ID whose JSON text is s as AppendString writes it.
func StringID(s string) ID { return ID{text: string(AppendString(nil, s)), kind: idText} }

// NumberID returns the ID with the number n.
func NumberID(n int64) ID { return ID{num: n, kind: idNumber} }

// LocalID returns an ID that no message can have, for something that is handled like a request but has no id, such as a
// notification. Its JSON text is null.
func LocalID(n int64) ID { return ID{num: n, kind: idLocal} }

// maxID is the longest JSON text of an ID, in bytes. It is bounded because the server keeps the id of a request, and
// repeats it in every response and notification about the request, even in one that refuses it for lack of room.
const maxID = 128 << 10

// ParseID reads the JSON text of an id. It accepts only a string or an integer literal of at most 128 KiB, and not
// null. An integer in the usual form that fits 64 bits needs no allocation.
func ParseID(raw []byte) (ID, bool) {
	if len(raw) == 0 || len(raw) > maxID {
		return ID{}, false
	}
	if raw[0] == '"' {
		end, _, why := scanString(raw, 1)
		if why != "" || end != len(raw)-1 {
			return ID{}, false
		}
		return ID{text: string(raw), kind: idText}, true
	}
	if !isInteger(raw) {
		return ID{}, false
	}
	if n, ok := parseInt(raw); ok && (n != 0 || len(raw) == 1) {
		return NumberID(n), true
	}
	return ID{text: string(raw), kind: idText}, true
}

// isInteger reports whether all of raw is a number without fraction and exponent.
func isInteger(raw []byte) bool {
	if scanNumber(raw, 0) != len(raw) {
		return false
	}
	for _, c := range raw {
		if c == '.' || c|0x20 == 'e' {
			return false
		}
	}
	return true
}

// IsZero reports whether there is no id.
func (id ID) IsZero() bool { return id.kind == idAbsent }

// IsString reports whether the id is a JSON string.
func (id ID) IsString() bool { return id.kind == idText && id.text[0] == '"' }

// Raw returns the JSON text of the id, "" for the zero ID and for a [LocalID].
func (id ID) Raw() string {
	if id.kind == idNumber {
		return strconv.FormatInt(id.num, 10)
	}
	return id.text
}

// String returns the id for people: the digits, or the string without quotes and escapes.
func (id ID) String() string {
	if id.IsString() {
		return unescapedString([]byte(id.text[1 : len(id.text)-1]))
	}
	return id.Raw()
}

// Canonical returns an ID that is equal for all spellings of one string. Two IDs have equal canonical forms exactly if
// they are the same JSON value.
func (id ID) Canonical() ID {
	if id.IsString() {
		if strings.IndexByte(id.text, '\\') < 0 && lineSeparator(id.text) < 0 {
			return id
		}
		return StringID(id.String())
	}
	if id.text == "-0" {
		return NumberID(0)
	}
	return id
}

// AppendJSON appends the JSON text of the id; null for the zero ID and for a [LocalID].
func (id ID) AppendJSON(b []byte) []byte {
	switch id.kind {
	case idAbsent, idLocal:
		return append(b, "null"...)
	case idNumber:
		return strconv.AppendInt(b, id.num, 10)
	}
	return append(b, id.text...)
}

// MarshalJSON implements json.Marshaler, for tests and logs.
func (id ID) MarshalJSON() ([]byte, error) { return id.AppendJSON(nil), nil }

// UnmarshalJSON implements json.Unmarshaler. Null leaves the ID as it is.
func (id *ID) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	v, ok := ParseID(text)
	if !ok {
		return &DecodeError{Reason: reasonID}
	}
	*id = v
	return nil
}
