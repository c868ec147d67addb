package wire

import (
	"bytes"
	"math"
)

// rawDepth is the deepest value that AppendRaw writes. Checking needs no recursion, so it only bounds what a peer must
// endure.
const rawDepth = 10_000

// CheckValue reports why [AppendRaw] would write null instead of a JSON value.
func CheckValue(raw []byte) error { return Check(raw, Limits{Bytes: math.MaxInt32, Depth: rawDepth}) }

// AppendRaw appends a JSON value without the white space around and between its tokens, so that no line break can get
// into a message. What Check refuses becomes null; size is not limited.
func AppendRaw(b, raw []byte) []byte {
	if check(raw, Limits{Bytes: math.MaxInt32, Depth: rawDepth}) != nil {
		return append(b, "null"...)
	}
	begin := 0 // of what is to be copied next: most values have no space to leave out, and are copied at once
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

// AppendKept appends a JSON value byte for byte, unless it has line breaks, which a message cannot have: then it is
// AppendRaw.
func AppendKept(b, raw []byte) []byte {
	if bytes.ContainsAny(raw, "\r\n") || check(raw, Limits{Bytes: math.MaxInt32, Depth: rawDepth}) != nil {
		return AppendRaw(b, raw)
	}
	return append(b, raw...)
}
