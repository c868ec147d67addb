package wire

import (
	"bytes"
	"math"
)

// rawDepth is how deep a value that AppendRaw writes may be nested. The limit protects peers that read it recursively.
const rawDepth = 10_000

// CheckValue returns nil if raw is a JSON value that [AppendRaw] can write. Otherwise it returns a *SyntaxError with
// the reason why AppendRaw would write null. A value may have 2 GiB and be nested 10,000 deep.
func CheckValue(raw []byte) error { return Check(raw, Limits{Bytes: math.MaxInt32, Depth: rawDepth}) }

// AppendRaw appends a JSON value without the white space around and between its tokens, so that no line break can get
// into a message. A value that [CheckValue] refuses becomes null.
func AppendRaw(b, raw []byte) []byte {
	if check(raw, Limits{Bytes: math.MaxInt32, Depth: rawDepth}) != nil {
		return append(b, "null"...)
	}
	begin := 0 // where the next copy begins: most values have no space to leave out, and are copied at once
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '"':
			end, _ := stringEnd(raw, i+1)
			i = end + 1
		case c <= ' ':
			b = append(b, raw[begin:i]...)
			i = skipSpace(raw, i)
			begin = i
		default:
			i++
		}
	}
	return append(b, raw[begin:]...)
}

// AppendKept appends a JSON value byte for byte. But it appends a value with line breaks as AppendRaw does, because a
// message must have none. A value that [CheckValue] refuses becomes null.
func AppendKept(b, raw []byte) []byte {
	if bytes.ContainsAny(raw, "\r\n") || check(raw, Limits{Bytes: math.MaxInt32, Depth: rawDepth}) != nil {
		return AppendRaw(b, raw)
	}
	return append(b, raw...)
}
