package wire

// Kind is the JSON type of a value, known from its first byte.
type Kind uint8

// The kinds of JSON values. KindInvalid is the zero value: no value starts here.
const (
	KindInvalid Kind = iota
	KindNull
	KindBool
	KindNumber
	KindString
	KindArray
	KindObject
)

var kindNames = [...]string{"nothing", "null", "boolean", "number", "string", "array", "object"}

// String returns the JSON name of the kind.
func (k Kind) String() string {
	if int(k) >= len(kindNames) {
		return kindNames[KindInvalid]
	}
	return kindNames[k]
}

// KindOf returns the kind of the first value in text. It looks only at the first byte: text that begins like a value
// but is wrong later has the kind of that value.
func KindOf(text []byte) Kind {
	i := skipSpace(text, 0)
	if i >= len(text) {
		return KindInvalid
	}
	switch c := text[i]; {
	case c == '{':
		return KindObject
	case c == '[':
		return KindArray
	case c == '"':
		return KindString
	case c == 't' || c == 'f':
		return KindBool
	case c == 'n':
		return KindNull
	case c == '-' || isDigit(c):
		return KindNumber
	}
	return KindInvalid
}
